/* Permission to fork: where the warden lacks the privileges that keep a fork bomb from outrunning it, every new process
 * of a tree waits for the warden's word (seccomp's user notification). Threads do not ask. So a limit of processes holds
 * exactly, also for root in a container, and a tree that is being killed cannot grow meanwhile.
 *
 *     forks_init(&forks)                     once
 *     forks_ask(&forks)                      in the child, before it becomes the program
 *     listener = forks_listener(&forks)      in the warden; readable when somebody waits
 *     if (forks_next(listener, &id)) …       then forks_allow(listener, id), or leave it waiting and kill the tree
 */
#ifndef PROC_WARDEN_FORKS_H
#define PROC_WARDEN_FORKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Forks {
    int child_end, warden_end; /* of the socket through which the child hands its listener over */
} Forks;

bool forks_init(Forks *forks);
void forks_ask(const Forks *forks);
int forks_listener(const Forks *forks); /* -1 where the kernel has none to give */
bool forks_next(int listener, uint64_t *ret_id);
void forks_allow(int listener, uint64_t id);

#endif
