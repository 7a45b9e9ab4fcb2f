#include "compiler/emulator.h"

#include "base/file.h"

#define PROBE_WALL_MS 20000

bool emulator_probe(Runner *runner, const StrList *command, Emulator *ret_emulator, Error *err) {
    CLEANUP(strlist_release) StrList argv = {0};
    CLEANUP(str_release) Str native = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    Emulator emulator = {0};
    if (command->len > 0) {
        strlist_add_all(&argv, command);
        if (path_find_program("true", &native, NULL))
            strlist_add(&argv, str_text(&native));
        ProcRequest request = {.argv = (const char *const *)argv.items,
                               .limits = {.wall_ms = PROBE_WALL_MS, .sanitized = true}};
        if (!runner_run(runner, &request, &result, err))
            return error_context(err, "cannot use the emulator %s", command->items[0]);
        emulator.runs_native = native.len > 0 && proc_ok(&result);
        strlist_add_all(&emulator.command, command);
    }
    *ret_emulator = emulator;
    return true;
}

void emulator_release(Emulator *emulator) {
    strlist_release(&emulator->command);
    *emulator = (Emulator){0};
}

bool emulator_command(const Emulator *emulator, const Compiler *compiler, const char *file, StrList *ret_command,
                      Error *err) {
    bool present = emulator && emulator->command.len > 0;
    if (compiler->cross && !present)
        return error_set(err,
                         "programs of %s do not run on this machine; give an emulator, as in "
                         "--run \"qemu-aarch64 -L /usr/aarch64-linux-gnu\"",
                         compiler->command.items[0]);
    if (present && (compiler->cross || emulator->runs_native))
        strlist_add_all(ret_command, &emulator->command);
    strlist_addf(ret_command, "./%s", file);
    return true;
}
