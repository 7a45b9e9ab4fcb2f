#include "subject/recipe.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "binary/elf_file.h"
#include "proc/interrupt.h"
#include "proc/pool.h"

/* --- Reading recipes --- */

void recipe_release(Recipe *recipe) {
    free(recipe->name);
    free(recipe->path);
    free(recipe->about);
    *recipe = (Recipe){0};
}

/* The value of the line `key=value` or `key="value"`; false if there is none. */
static bool recipe_value(const char *text, const char *key, Str *ret_value) {
    size_t key_len = strlen(key), len;
    for (const char *line; (line = str_next_line(&text, &len));) {
        if (strncmp(line, key, key_len) != 0 || line[key_len] != '=')
            continue;
        const char *value = line + key_len + 1;
        len -= key_len + 1;
        if (len >= 2 && value[0] == '"' && value[len - 1] == '"')
            value++, len -= 2;
        str_append_n(ret_value, value, len);
        return true;
    }
    return false;
}

static bool recipe_size(const char *text, const char *key, uint64_t *ret_bytes, Error *err) {
    CLEANUP(str_release) Str value = {0};
    return !recipe_value(text, key, &value) || units_parse_size(str_text(&value), ret_bytes, err);
}

static bool recipes_dir(Str *ret_path, Error *err) { return path_runtime("subjects", ret_path, err); }

bool recipe_find(const char *name, Recipe *ret_recipe, Error *err) {
    CLEANUP(str_release) Str dir = {0};
    CLEANUP(str_release) Str text = {0};
    CLEANUP(str_release) Str about = {0};
    CLEANUP(str_release) Str steps = {0};
    if (!recipes_dir(&dir, err))
        return false;
    CLEANUP(recipe_release) Recipe recipe = {.name = mem_strdup(name), .path = path_of(str_text(&dir), name)};
    if (strchr(name, '/') || strchr(name, '.') || str_equal(name, "build") || !file_exists(recipe.path))
        return error_set(err, "there is no recipe for %s; `culprit subject list` shows all", name);
    if (!file_read(recipe.path, &text, err) || !recipe_size(str_text(&text), "disk", &recipe.disk, err) ||
        !recipe_size(str_text(&text), "memory", &recipe.memory, err))
        return error_context(err, "in the recipe %s", recipe.path);
    recipe_value(str_text(&text), "about", &about);
    recipe_value(str_text(&text), "steps", &steps);
    recipe.about = str_detach(&about);
    recipe.steps = strtoul(str_text(&steps), NULL, 10);
    *ret_recipe = recipe;
    recipe = (Recipe){0};
    return true;
}

bool recipes_list(StrList *ret_names, Error *err) {
    CLEANUP(str_release) Str dir = {0};
    CLEANUP(strlist_release) StrList names = {0};
    if (!recipes_dir(&dir, err) || !dir_list(str_text(&dir), &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++)
        if (!strchr(names.items[i], '.') && !str_equal(names.items[i], "build"))
            strlist_add(ret_names, names.items[i]);
    return true;
}

/* --- Room --- */

static uint64_t memory_available(void) {
    CLEANUP(str_release) Str text = {0};
    if (!file_read("/proc/meminfo", &text, NULL))
        return UINT64_MAX;
    const char *line = strstr(str_text(&text), "MemAvailable:");
    return line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) * 1024 : UINT64_MAX;
}

static bool enough(const char *what, uint64_t need, uint64_t have, const char *advice, Error *err) {
    if (have >= need)
        return true;
    CLEANUP(str_release) Str need_text = {0};
    CLEANUP(str_release) Str have_text = {0};
    units_format_size(&need_text, need);
    units_format_size(&have_text, have);
    return error_set(err, "the build needs %s of %s, and there are %s: %s", str_text(&need_text), what,
                     str_text(&have_text), advice);
}

static bool check_room(const Recipe *recipe, const char *dir, size_t jobs, Error *err) {
    struct statvfs disk;
    if (statvfs(dir, &disk) != 0)
        return error_errno(err, "cannot look at the disk of %s", dir);
    return enough("disk", recipe->disk, (uint64_t)disk.f_bavail * disk.f_frsize,
                  "make room or set CULPRIT_SUBJECTS to another disk", err) &&
           enough("memory", recipe->memory * jobs, memory_available(), "use a smaller -j or wait", err);
}

/* --- Building --- */

typedef struct BuildJob {
    ProcRequest request;
    ProcResult result;
    bool ran;
    Error err;
} BuildJob;

static void build_job(Runner *runner, size_t worker, void *context) {
    (void)worker;
    BuildJob *job = context;
    job->ran = runner_run(runner, &job->request, &job->result, &job->err);
}

/* What the log has told so far. */
typedef struct BuildProgress {
    size_t read;         /* bytes of the log */
    size_t steps, total; /* files compiled since the start, and all, about */
    char stage[64];
} BuildProgress;

static void follow_log(BuildProgress *progress, const char *log) {
    int fd = open(log, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    static const size_t chunk = 1 << 20;
    CLEANUP(mem_freep) char *text = mem_alloc(chunk + 1);
    ssize_t len = pread(fd, text, chunk, (off_t)progress->read);
    close(fd);
    text[len > 0 ? len : 0] = '\0';
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        progress->read += (size_t)(end - line) + 1;
        size_t step, total;
        if (str_starts(line, "==> ")) {
            snprintf(progress->stage, sizeof(progress->stage), "%.60s", line + 4);
        } else if (sscanf(line, "[%zu/%zu]", &step, &total) == 2) { /* ninja counts, "[7/311] …" */
            progress->steps = step;
            progress->total = total;
        } else if (strstr(line, " -c ")) /* of make's output the compiler's calls are counted */
            progress->steps++;
    }
}

static void show_progress(const BuildProgress *progress, const Recipe *recipe, int64_t started_ms, Console *console) {
    CLEANUP(str_release) Str time = {0};
    CLEANUP(str_release) Str steps = {0};
    units_format_duration(&time, clock_ms() - started_ms);
    if (progress->total > 0)
        str_printf(&steps, " of about %zu", progress->total);
    console_status(console, "%s: %s, %zu%s files compiled, %s", recipe->name, progress->stage, progress->steps,
                   str_text(&steps), str_text(&time));
}

/* Runs the build script, following its log; false if it failed or the user stopped it. */
static bool run_build(const Recipe *recipe, const char *const *argv, const char *log, Console *console, Error *err) {
    CLEANUP(pool_freep) Pool *pool = pool_new(1, POOL_AS_FINISHED, err);
    if (!pool)
        return false;
    BuildJob job = {.request = {.argv = argv, .out_path = log, .merge_output = true}};
    BuildProgress progress = {.stage = "starting", .total = recipe->steps};
    int64_t started_ms = clock_ms();
    unlink(log); /* what an earlier build said there is not followed */
    pool_submit(pool, build_job, &job);
    while (!pool_poll(pool)) {
        if (interrupt_count() > 0)
            pool_cancel(pool);
        follow_log(&progress, log);
        show_progress(&progress, recipe, started_ms, console);
        usleep(200 * 1000);
    }
    follow_log(&progress, log);
    console_status_end(console);
    bool ok = job.ran && proc_ok(&job.result);
    if (!job.ran)
        error_set(err, "%s", job.err.text);
    else if (interrupt_count() > 0)
        error_set(err, "interrupted; the same command goes on from here");
    else if (!ok)
        error_set(err, "the stage \"%s\" failed; %s tells why. The same command tries again from there", progress.stage,
                  log);
    proc_result_release(&job.result);
    return ok;
}

/* made.tsv: one member a line, its values separated by tabs. */
static bool read_made(Subject *subject, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(subject->dir, "made.tsv");
    CLEANUP(str_release) Str text = {0};
    CLEANUP(strlist_release) StrList lines = {0};
    if (!file_read(path, &text, err))
        return false;
    strlist_split(&lines, str_text(&text), '\n');
    for (size_t i = 0; i < lines.len; i++) {
        CLEANUP(strlist_release) StrList fields = {0};
        strlist_split(&fields, lines.items[i], '\t');
        if (fields.len < 2)
            continue;
        const char *key = fields.items[0];
        StrList *list = str_equal(key, "cc")        ? &subject->cc
                        : str_equal(key, "opt")     ? &subject->opt
                        : str_equal(key, "llc")     ? &subject->llc
                        : str_equal(key, "modules") ? &subject->modules
                        : str_equal(key, "how")     ? &subject->made
                                                    : NULL;
        char **text_member = str_equal(key, "version")   ? &subject->version
                             : str_equal(key, "source")  ? &subject->source_root
                             : str_equal(key, "build")   ? &subject->build_root
                             : str_equal(key, "libllvm") ? &subject->libllvm
                                                         : NULL;
        for (size_t j = 1; list && j < fields.len; j++)
            strlist_add(list, fields.items[j]);
        if (text_member) {
            free(*text_member);
            *text_member = mem_strdup(fields.items[1]);
        }
    }
    return true;
}

bool recipe_build(const Recipe *recipe, const char *provider, size_t jobs, Console *console, Subject *ret_subject,
                  Error *err) {
    CLEANUP(str_release) Str root = {0};
    CLEANUP(str_release) Str name = {0};
    CLEANUP(str_release) Str script = {0};
    CLEANUP(str_release) Str object = {0};
    subjects_dir(&root);
    str_printf(&name, "%s%s", recipe->name, str_equal(provider, "gcov") ? "-gcov" : "");
    CLEANUP(subject_release)
    Subject subject = {.name = mem_strdup(str_text(&name)),
                       .dir = path_of(str_text(&root), str_text(&name)),
                       .provider = mem_strdup(provider),
                       .version = mem_strdup("")};
    CLEANUP(mem_freep) char *log = path_of(subject.dir, "build.log");
    CLEANUP(mem_freep) char *done = path_of(subject.dir, "made.tsv");
    if (!path_runtime("subjects/build", &script, err) || !path_runtime("sancov.o", &object, err) ||
        !dir_make(subject.dir, err) || (!file_exists(done) && !check_room(recipe, subject.dir, jobs, err)))
        return error_context(err, "cannot build %s", str_text(&name));
    char jobs_text[24];
    snprintf(jobs_text, sizeof(jobs_text), "%zu", jobs);
    const char *argv[] = {"bash",   str_text(&script), recipe->path,      subject.dir,
                          provider, jobs_text,         str_text(&object), NULL};
    console_info(console, "building %s in %s; the log is %s", str_text(&name), subject.dir, log);
    if (!run_build(recipe, argv, log, console, err) || !read_made(&subject, err) || !subject_save(&subject, err))
        return error_context(err, "cannot build %s", str_text(&name));
    *ret_subject = subject;
    subject = (Subject){0};
    return true;
}

/* --- Registering a build --- */

/* Adds the instrumented programs and libraries below `dir`. */
static bool find_modules(const char *dir, Subject *subject, Error *err) {
    CLEANUP(strlist_release) StrList files = {0};
    if (!dir_walk(dir, "", UINT64_MAX, &files, err))
        return false;
    for (size_t i = 0; i < files.len; i++) {
        ElfInstrumented found = elf_instrumented(files.items[i]);
        if (found.is_module)
            strlist_add(&subject->modules, files.items[i]);
        subject->preload |= found.is_module && found.needs_runtime;
    }
    return true;
}

bool subject_add(const char *name, const char *dir, const char *provider, const StrList *command, const char *version,
                 const char *source_dir, Subject *ret_subject, Error *err) {
    CLEANUP(str_release) Str root = {0};
    CLEANUP(str_release) Str build = {0};
    CLEANUP(str_release) Str source = {0};
    subjects_dir(&root);
    if (!dir_exists(dir))
        return error_set(err, "%s is no directory; give the one in which the compiler was built", dir);
    if (!path_absolute(dir, &build, err) || !path_absolute(source_dir ? source_dir : dir, &source, err))
        return false;
    CLEANUP(subject_release)
    Subject subject = {.name = mem_strdup(name),
                       .dir = path_of(str_text(&root), name),
                       .provider = mem_strdup(provider),
                       .version = mem_strdup(version),
                       .source_root = str_detach(&source),
                       .build_root = str_detach(&build)};
    strlist_add_all(subject_tool(&subject, command->items[0]), command);
    if (str_equal(provider, "sancov")) {
        if (!find_modules(subject.build_root, &subject, err))
            return false;
        if (subject.modules.len == 0)
            return error_set(err,
                             "%s has no program or library that was built with clang's "
                             "-fsanitize-coverage=inline-bool-flag,pc-table",
                             dir);
    }
    strlist_addf(&subject.made, "registered: the build in %s", subject.build_root);
    if (!subject_save(&subject, err))
        return false;
    *ret_subject = subject;
    subject = (Subject){0};
    return true;
}
