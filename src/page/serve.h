/* Serving: a page over HTTP on this machine alone, and word to its readers whenever it changes.
 *
 *     GET /          the page, made anew
 *     GET /events    server-sent events: "changed" whenever what the page is about has changed
 *
 * There is no other address, so that no file can be asked for. The server listens on 127.0.0.1 only, and answers only requests
 * for a name of this machine: a web page of another host whose name is made to point here (DNS rebinding) gets nothing.
 */
#ifndef PAGE_SERVE_H
#define PAGE_SERVE_H

#include <stdint.h>

#include "base/error.h"

typedef struct Server Server;

/* Port 0: any that is free. */
bool server_start(const char *path, uint16_t port, Server **ret_server, Error *err);
uint16_t server_port(const Server *server);
void server_stop(Server *server); /* ends open streams; accepts NULL */
static inline void server_stopp(Server **server) { server_stop(*server); }

#endif
