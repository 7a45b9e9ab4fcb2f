/* libculprit-trace.so: preloaded into a stock compiler, it replaces the text of the modules to be traced by the patched
 * copies that culprit prepared (see cover/trace_format.h), and serves their traps.
 *
 *  1. Before any other constructor runs (-z initfirst), each plan's build-id is looked for among the loaded modules.
 *     Drivers, assemblers and linkers have none of them and are left alone.
 *  2. Stubs, flags and finally the patched text are mapped. Nothing is copied: runs share the pages of the plan, except
 *     those in which a trap was reached.
 *  3. From then on detours set flags by themselves. A trap comes here: the handler sets its flag, puts the original byte
 *     back and returns to it. Two threads in the same trap do the same thing twice, and a thread that trapped just before
 *     another restored the byte finds its trap in the table all the same, so no lock is needed.
 *
 * Recording ends where the program starts to report its own failure: at a fault that it handles, at abort() and failed
 * assertions, and at traps marked so. Flags then go to memory that nobody reads.
 *
 * The program must not notice. SIGTRAP can be neither blocked nor taken over: the functions for it are interposed and
 * pretend otherwise. When a displaced instruction faults, the program's handler sees the address at which the instruction
 * stood, so that backtraces and crash reports are those of the untouched compiler. A handler may also return there, to fail
 * once more and die of it, as LLVM's does; so a fault puts the module's own text back.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "cover/trace_format.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct Module {
    uint8_t *text;
    uint64_t text_size;
    int text_protection;
    const char *path; /* of the module, whose own text begins at … */
    uint64_t text_in_file;
    const uint8_t *stubs;
    uint64_t stubs_size;
    uint8_t *flags;
    uint64_t flags_size;
    uint8_t *frozen; /* memory of another provider, see TracePlanHeader */
    uint64_t frozen_size;
    const TraceTrap *traps;
    uint32_t trap_count;
    const TraceDetour *detours;
    uint32_t detour_count;
} Module;

typedef int SigactionFn(int, const struct sigaction *, struct sigaction *);
typedef void AssertFailFn(const char *, const char *, unsigned, const char *);
typedef int SigmaskFn(int, const sigset_t *, sigset_t *);

/* Written while the process has one thread, read by handlers. */
static Module modules[TRACE_MODULES_MAX];
static unsigned module_count;
static TraceLog *shared_log;
/* What the program believes to have installed for the signals that we handle. */
static struct sigaction wanted[NSIG];

/* --- Handlers --- */

/* Puts a private copy in the place of shared memory; what shares its first and last page stays as it is. */
static void freeze(uint8_t *memory, size_t size) {
    void *copy = size > 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (copy == MAP_FAILED)
        return;
    memcpy(copy, memory, size);
    mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, memory);
}

static void stop_recording(void) {
    if (module_count == 0)
        return;
    __atomic_store_n(&shared_log->stopped, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < module_count; i++) {
        freeze(modules[i].flags, modules[i].flags_size);
        freeze(modules[i].frozen, modules[i].frozen_size);
    }
}

static const TraceTrap *find_trap(const Module *module, uint32_t offset) {
    uint32_t low = 0, high = module->trap_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (module->traps[middle].text_offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->trap_count && module->traps[low].text_offset == offset ? &module->traps[low] : NULL;
}

static bool serve_trap(ucontext_t *context) {
    uint8_t *pc = (uint8_t *)context->uc_mcontext.gregs[REG_RIP] - 1;
    for (unsigned i = 0; i < module_count; i++) {
        const Module *module = &modules[i];
        if (pc < module->text || pc >= module->text + module->text_size)
            continue;
        const TraceTrap *trap = find_trap(module, (uint32_t)(pc - module->text));
        if (!trap)
            return false;
        if (trap->stops)
            stop_recording();
        module->flags[trap->unit] = 1;
        __atomic_store_n(pc, trap->original, __ATOMIC_RELEASE);
        context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
        return true;
    }
    return false;
}

/* A program counter inside a stub becomes the one of the instruction's original place. */
static void leave_stub(ucontext_t *context) {
    const uint8_t *pc = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP];
    for (unsigned i = 0; i < module_count; i++) {
        const Module *module = &modules[i];
        if (pc < module->stubs || pc >= module->stubs + module->stubs_size)
            continue;
        uint32_t offset = (uint32_t)(pc - module->stubs), low = 0, high = module->detour_count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (module->detours[middle].stub_offset <= offset)
                low = middle + 1;
            else
                high = middle;
        }
        if (low > 0 && offset >= module->detours[low - 1].stub_offset + TRACE_STUB_HEAD)
            context->uc_mcontext.gregs[REG_RIP] =
                (greg_t)(module->text + module->detours[low - 1].text_offset +
                         (offset - module->detours[low - 1].stub_offset - TRACE_STUB_HEAD));
        return;
    }
}

/* The patched text goes; the stubs stay, for threads that are inside. Nothing is recorded any more. */
static void restore_text(const Module *module) {
    int fd = open(module->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    mmap(module->text, module->text_size, module->text_protection, MAP_PRIVATE | MAP_FIXED, fd,
         (off_t)module->text_in_file);
    close(fd);
}

/* The call is the last thing done, so that this function leaves no frame in backtraces. */
static void pass_on(int signal_number, siginfo_t *info, void *context) {
    const struct sigaction *action = &wanted[signal_number];
    if (action->sa_flags & SA_SIGINFO) {
        action->sa_sigaction(signal_number, info, context);
        return;
    }
    if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
        action->sa_handler(signal_number);
        return;
    }
    if (action->sa_handler == SIG_IGN)
        return;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void on_trap(int signal_number, siginfo_t *info, void *context) {
    int saved_errno = errno;
    bool ours = serve_trap(context);
    errno = saved_errno;
    if (!ours)
        pass_on(signal_number, info, context);
}

static void on_fault(int signal_number, siginfo_t *info, void *context) {
    int saved_errno = errno;
    leave_stub(context);
    stop_recording();
    for (unsigned i = 0; i < module_count; i++)
        restore_text(&modules[i]);
    errno = saved_errno;
    pass_on(signal_number, info, context);
}

/* --- Interposed functions --- */

static int real_sigaction(int signal_number, const struct sigaction *action, struct sigaction *old) {
    static SigactionFn *real;
    if (!real)
        real = (SigactionFn *)dlsym(RTLD_NEXT, "sigaction");
    return real(signal_number, action, old);
}

static bool is_fault(int signal_number) {
    return signal_number == SIGSEGV || signal_number == SIGBUS || signal_number == SIGILL || signal_number == SIGFPE;
}

EXPORT int sigaction(int signal_number, const struct sigaction *action, struct sigaction *old) {
    bool traps = signal_number == SIGTRAP;
    if (module_count == 0 || (!traps && !is_fault(signal_number)) || (traps && !action)) {
        struct sigaction open;
        if (module_count > 0 && action)
            open = *action, sigdelset(&open.sa_mask, SIGTRAP), action = &open;
        int result = real_sigaction(signal_number, action, old);
        if (result == 0 && old && traps && module_count > 0)
            *old = wanted[signal_number];
        return result;
    }

    struct sigaction before = wanted[signal_number], installed, now;
    if (traps) {
        if (old)
            *old = before;
        wanted[signal_number] = *action;
        return 0;
    }
    if (action) {
        installed = *action;
        sigdelset(&installed.sa_mask, SIGTRAP);
        wanted[signal_number] = *action;
        if ((action->sa_flags & SA_SIGINFO) || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN)) {
            installed.sa_sigaction = on_fault;
            installed.sa_flags |= SA_SIGINFO;
        }
    }
    int result = real_sigaction(signal_number, action ? &installed : NULL, &now);
    if (result == 0 && old)
        *old = now.sa_sigaction == on_fault ? before : now;
    return result;
}

EXPORT __sighandler_t signal(int signal_number, __sighandler_t handler) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigaddset(&action.sa_mask, signal_number);
    return sigaction(signal_number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

static int set_mask(SigmaskFn *real, int how, const sigset_t *set, sigset_t *old) {
    sigset_t open;
    if (set && module_count > 0 && how != SIG_UNBLOCK) {
        open = *set;
        sigdelset(&open, SIGTRAP);
        set = &open;
    }
    return real(how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    static SigmaskFn *real;
    if (!real)
        real = (SigmaskFn *)dlsym(RTLD_NEXT, "sigprocmask");
    return set_mask(real, how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    static SigmaskFn *real;
    if (!real)
        real = (SigmaskFn *)dlsym(RTLD_NEXT, "pthread_sigmask");
    return set_mask(real, how, set, old);
}

EXPORT void abort(void) {
    stop_recording();
    ((void (*)(void))dlsym(RTLD_NEXT, "abort"))();
    __builtin_unreachable();
}

EXPORT void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function) {
    stop_recording();
    ((AssertFailFn *)dlsym(RTLD_NEXT, "__assert_fail"))(assertion, file, line, function);
    __builtin_unreachable();
}

/* --- Attaching --- */

typedef struct ModuleSearch {
    const TracePlanHeader *plan;
    uintptr_t base;
    const char *path;
    uint64_t text_in_file;
} ModuleSearch;

static bool notes_hold_build_id(const uint8_t *at, const uint8_t *end, const TracePlanHeader *plan) {
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        const uint8_t *name = at + sizeof(*note), *id = name + (note->n_namesz + 3) / 4 * 4;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0)
            return note->n_descsz == plan->build_id_size && memcmp(id, plan->build_id, note->n_descsz) == 0;
        at = id + (note->n_descsz + 3) / 4 * 4;
    }
    return false;
}

static void find_text(const struct dl_phdr_info *info, ModuleSearch *search) {
    uint64_t text = search->plan->text_address;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t first = segment->p_vaddr / TRACE_PAGE * TRACE_PAGE;
        if (segment->p_type == PT_LOAD && text >= first && text < segment->p_vaddr + segment->p_memsz)
            search->text_in_file = segment->p_offset / TRACE_PAGE * TRACE_PAGE + (text - first);
    }
}

static int match_module(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    ModuleSearch *search = data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uint8_t *notes = (const uint8_t *)info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_NOTE && notes_hold_build_id(notes, notes + segment->p_memsz, search->plan)) {
            search->base = info->dlpi_addr;
            search->path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
            find_text(info, search);
            return 1;
        }
    }
    return 0;
}

static bool map_at(uint64_t address, uint64_t size, int protection, int flags, int fd, uint64_t offset) {
    void *wanted_at = (void *)address;
    if (size == 0)
        return true;
    void *at = mmap(wanted_at, size, protection, flags, fd, (off_t)offset);
    if (at != MAP_FAILED && at != wanted_at) { /* kernels before 4.17 take MAP_FIXED_NOREPLACE for a hint */
        munmap(at, size);
        errno = EEXIST;
        return false;
    }
    return at != MAP_FAILED;
}

static bool attach(const ModuleSearch *found, int plan_fd, int log_fd, uint64_t log_offset) {
    const TracePlanHeader *plan = found->plan;
    uintptr_t base = found->base;
    uint64_t traps_size = TRACE_PAGES(plan->trap_count * sizeof(TraceTrap));
    uint64_t tables_size = traps_size + TRACE_PAGES(plan->detour_count * sizeof(TraceDetour));
    const uint8_t *tables = mmap(NULL, tables_size, PROT_READ, MAP_PRIVATE, plan_fd, (off_t)plan->traps_at);
    if (tables == MAP_FAILED)
        return false;

    const int fresh = MAP_FIXED_NOREPLACE;
    if (!map_at(base + plan->flags_address, TRACE_PAGES(plan->units), PROT_READ | PROT_WRITE, MAP_SHARED | fresh,
                log_fd, log_offset) ||
        !map_at(base + plan->stubs_address, plan->stubs_size, PROT_READ | PROT_EXEC, MAP_PRIVATE | fresh, plan_fd,
                plan->stubs_at))
        return false;

    const int protection = PROT_READ | PROT_EXEC | (plan->trap_count > 0 ? PROT_WRITE : 0);
    modules[module_count++] = (Module){.text = (uint8_t *)base + plan->text_address,
                                       .text_size = plan->text_size,
                                       .text_protection = protection,
                                       .path = found->path,
                                       .text_in_file = found->text_in_file,
                                       .stubs = (const uint8_t *)base + plan->stubs_address,
                                       .stubs_size = plan->stubs_size,
                                       .flags = (uint8_t *)base + plan->flags_address,
                                       .flags_size = TRACE_PAGES(plan->units),
                                       .frozen = (uint8_t *)base + plan->freeze_address,
                                       .frozen_size = plan->freeze_size,
                                       .traps = (const TraceTrap *)tables,
                                       .trap_count = plan->trap_count,
                                       .detours = (const TraceDetour *)(tables + traps_size),
                                       .detour_count = plan->detour_count};
    if (map_at(base + plan->text_address, plan->text_size, protection, MAP_PRIVATE | MAP_FIXED, plan_fd, plan->text_at))
        return true;
    module_count--;
    return false;
}

static void catch_traps(void) {
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    real_sigaction(SIGTRAP, &action, NULL);
    sigprocmask(SIG_UNBLOCK, &trap, NULL);
}

static void trace_plan(const char *path, unsigned number, int log_fd, TraceLog *log, uint64_t *log_offset) {
    TracePlanHeader plan;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &plan, sizeof(plan)) != (ssize_t)sizeof(plan) || plan.magic != TRACE_PLAN_MAGIC) {
        log->failure = TRACE_FAILURE_PLAN;
        log->failure_errno = (uint32_t)errno;
    } else {
        ModuleSearch search = {.plan = &plan};
        /* Another provider records each process for itself. */
        bool wanted_now = !log->stopped || plan.freeze_size > 0;
        if (wanted_now && dl_iterate_phdr(match_module, &search) != 0) {
            if (module_count == 0)
                catch_traps();
            if (attach(&search, fd, log_fd, *log_offset)) {
                __atomic_fetch_or(&log->modules, 1u << number, __ATOMIC_RELAXED);
            } else {
                log->failure_errno = (uint32_t)errno;
                log->failure = TRACE_FAILURE_MAP;
            }
        }
        *log_offset += TRACE_PAGES(plan.units);
    }
    if (fd >= 0)
        close(fd);
}

static const char *environment(char **env, const char *name) {
    size_t len = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return NULL;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **env) {
    (void)argc, (void)argv;
    const char *log_path = environment(env, TRACE_ENV_LOG), *plans = environment(env, TRACE_ENV_PLANS);
    int log_fd = log_path && plans ? open(log_path, O_RDWR | O_CLOEXEC) : -1;
    if (log_fd < 0)
        return;
    TraceLog *log = mmap(NULL, TRACE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, log_fd, 0);
    if (log != MAP_FAILED) {
        shared_log = log;
        uint64_t log_offset = TRACE_PAGE;
        for (unsigned number = 0; *plans && number < TRACE_MODULES_MAX; number++) {
            char path[4096];
            size_t len = strcspn(plans, ":");
            if (len < sizeof(path)) {
                memcpy(path, plans, len);
                path[len] = '\0';
                trace_plan(path, number, log_fd, log, &log_offset);
            }
            plans += len + (plans[len] == ':');
        }
        if (module_count > 0)
            __atomic_fetch_add(&log->processes, 1, __ATOMIC_RELAXED);
        else
            munmap(log, TRACE_PAGE);
    }
    close(log_fd);
}
