/* Confinement: the Landlock rules for a program under test, made here and imposed by the warden's child on itself. */
#ifndef PROC_CONFINE_H
#define PROC_CONFINE_H

#include "proc/run.h"

int confine_landlock_version(void); /* 0 if the kernel has none */
bool confine_has_seccomp(void);

/* A descriptor of the rules, or -1 if the kernel has no Landlock. */
bool confine_ruleset(const ProcConfinement *confinement, int *ret_fd, Error *err);

#endif
