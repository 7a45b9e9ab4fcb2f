/* Emulators: words in front of a program, as in "qemu-aarch64 -L /usr/aarch64-linux-gnu ./a.out" or "valgrind -q
 * ./a.out".
 *
 * One rule for whose programs they run: those of cross compilers, and those of native compilers if the emulator can run
 * native programs at all, which is found out once, by running one under it.
 */
#ifndef COMPILER_EMULATOR_H
#define COMPILER_EMULATOR_H

#include "compiler/compiler.h"

typedef struct Emulator {
    StrList command; /* empty: there is none */
    bool runs_native;
} Emulator;

/* An Error where it cannot be started. */
bool emulator_probe(Runner *runner, const StrList *command, Emulator *ret_emulator, Error *err);
void emulator_release(Emulator *emulator);

/* Appends how to run the file: "./a.out", behind the emulator where the rule says so. An Error where the programs of
 * a cross compiler cannot run. `emulator` may be NULL. */
bool emulator_command(const Emulator *emulator, const Compiler *compiler, const char *file, StrList *ret_command,
                      Error *err);

#endif
