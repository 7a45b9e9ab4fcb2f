#include "cover/trace_stop.h"

#include "base/file.h"
#include "cover/trace_log.h"
#include "cover/trace_patch.h"

static bool make_plan(const ElfModule *module, const char *section, const char *path) {
    X86Code code = {.module = module};
    TracePatch patch;
    uint64_t address, size;
    if (!elf_module_section(module, section, &address, &size) ||
        !trace_patch_make(&code, TRACE_REPORTERS, &patch, NULL))
        return false;
    patch.freeze_address = address / TRACE_PAGE * TRACE_PAGE;
    patch.freeze_size = TRACE_PAGES(address + size) - patch.freeze_address;
    bool ok = patch.sites.len > 0 && trace_patch_write(&patch, module, path, NULL);
    trace_patch_release(&patch);
    return ok;
}

void trace_stop_make(const StrList *modules, const char *section, const char *dir, StrList *ret_plans) {
    for (size_t i = 0; i < modules->len && ret_plans->len < TRACE_MODULES_MAX; i++) {
        CLEANUP(str_release) Str id = {0};
        CLEANUP(str_release) Str path = {0};
        ElfModule module;
        if (!elf_build_id(modules->items[i], &id, NULL))
            continue;
        str_printf(&path, "%s/stop-%llx-%s.plan", dir, (unsigned long long)TRACE_PLAN_MAGIC, str_text(&id));
        bool made = file_exists(str_text(&path));
        if (!made && elf_module_open(modules->items[i], &module, NULL)) {
            made = make_plan(&module, section, str_text(&path));
            elf_module_release(&module);
        }
        if (made)
            strlist_add(ret_plans, str_text(&path));
    }
}

bool trace_stop_prepare(const StrList *plans, const char *run_dir, const char *preload, StrList *env, Error *err) {
    CLEANUP(mem_freep) char *joined = strlist_join(plans, ":");
    /* Few functions report failures: their flags fit one page per module. */
    return trace_log_prepare(run_dir, joined, (plans->len + 1) * TRACE_PAGE, preload, env, err);
}
