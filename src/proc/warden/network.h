/* No network for the calling process and all it starts: a seccomp filter refuses sockets other than local ones. */
#ifndef PROC_WARDEN_NETWORK_H
#define PROC_WARDEN_NETWORK_H

#include <stdbool.h>

bool network_forbid(void); /* true also if this machine has no such filter: the runner says so */

#endif
