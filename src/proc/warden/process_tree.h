/* The process tree below the warden: how much it uses, and its end.
 *
 * In a PID namespace of its own the warden is process 1: every other process of its /proc belongs to the tree, orphans
 * come to it, and one kill(-1) ends all of them at once, fork bombs included. Elsewhere it is a subreaper, which also
 * gets the orphans; the tree is then found through the parents in /proc, and killed pass by pass until nothing is left.
 */
#ifndef PROC_WARDEN_PROCESS_TREE_H
#define PROC_WARDEN_PROCESS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct Tree Tree;

/* What the living processes use; dead ones are in the TreeDead of those that waited for them. */
typedef struct TreeUse {
    uint32_t processes;
    uint64_t resident_bytes; /* pages that several processes share count once */
    int64_t cpu_us;
} TreeUse;

/* What the processes that came to the warden's wait have used, with all that they had waited for. */
typedef struct TreeDead {
    int64_t user_us, system_us;
    uint64_t peak_bytes;
    pid_t child; /* the program itself */
    bool child_ended;
    int child_status;
} TreeDead;

Tree *tree_new(bool namespaced); /* NULL without memory */
bool tree_measure(Tree *tree, TreeUse *ret_use);
/* Only the number of processes, as fast as possible: there may be a fork bomb. `child` is the program itself. */
uint32_t tree_count(Tree *tree, pid_t child);
bool tree_reap(TreeDead *dead);             /* collects the dead without waiting; true once no process is left */
void tree_kill(Tree *tree, TreeDead *dead); /* returns when no process is left */

#endif
