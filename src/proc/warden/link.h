/* The warden's end of the wire. */
#ifndef PROC_WARDEN_LINK_H
#define PROC_WARDEN_LINK_H

#include <sys/types.h>

#include "proc/wire.h"

/* What the warden was woken for; nothing of it: a child ended, or the time is up. */
typedef struct News {
    bool owner_gone, has_order;
} News;

/* Waits for an order, the end of a child or of culprit; wait_us < 0: for ever. */
News link_wait(int64_t wait_us);

/* False if there is no order after all. Unattached descriptors are -1; attached ones are the caller's to close. */
bool link_receive(WireOrder *ret_order, int ret_fds[WIRE_FDS]);
bool link_send(const void *message, size_t size);

#endif
