/* The tables of suspects, of an isolation and of its recording. */
#ifndef CLI_SUSPECTS_H
#define CLI_SUSPECTS_H

#include "cli/command.h"
#include "isolate/isolate.h"

void print_suspects(Cli *cli, const Isolation *isolation, size_t top);
/* Under them: what speaks against the first files, in words. */
void print_reasons(Cli *cli, const Isolation *isolation);

#endif
