/* Inside src/page: libmicrohttpd, loaded when a server is wanted: linked in, it and what it needs would cost every start. */
#ifndef PAGE_HTTP_H
#define PAGE_HTTP_H

#include <microhttpd.h>

#include "base/error.h"

#define HTTP_FUNCTIONS(X)                                                                                    \
    X(start_daemon)                                                                                          \
    X(stop_daemon)                                                                                           \
    X(get_daemon_info)                                                                                       \
    X(create_response_from_buffer) X(create_response_from_callback) X(add_response_header) X(queue_response) \
        X(destroy_response) X(lookup_connection_value)

typedef struct Http {
#define HTTP_MEMBER(name) __typeof__(&MHD_##name) name;
    HTTP_FUNCTIONS(HTTP_MEMBER)
#undef HTTP_MEMBER
} Http;

bool http_load(Http *ret_http, Error *err);

#endif
