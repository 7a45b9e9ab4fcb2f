/* A ProcRequest on its way to the warden: its texts, and the descriptors that go along. */
#ifndef PROC_REQUEST_H
#define PROC_REQUEST_H

#include "proc/wire.h"

/* Descriptors to send along with a request; ours are closed once it was sent. */
typedef struct Attached {
    int fds[WIRE_FDS]; /* -1 if there is none */
} Attached;

#define ATTACHED_NONE      \
    {                      \
        { -1, -1, -1, -1 } \
    }

void attached_release(Attached *attached);

/* Writes program, directory, arguments and environment to text_fd; `texts` is only reused memory. */
bool request_write_texts(const ProcRequest *request, Str *texts, int text_fd, WireRequest *wire, Error *err);
/* Opens the files, makes the standard input and the rules of confinement. */
bool request_attach(const ProcRequest *request, WireRequest *wire, Attached *attached, Error *err);
bool request_send(int link, const WireOrder *order, const Attached *attached); /* false: the warden is gone */

#endif
