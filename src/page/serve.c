#include "page/serve.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "page/http.h"
#include "page/page.h"

/* How often the campaign is looked at, and how long a silent stream stays without a sign of life, by which a reader that has
 * gone is noticed. At most so many readers: each has a thread. */
enum { LOOK_MS = 1000, ALIVE_MS = 10000, CONNECTIONS = 24 };

struct Server {
    Http http;
    char *path;
    struct MHD_Daemon *daemon;
    uint16_t port;
    atomic_bool stopping;
};

/* One reader of /events. */
typedef struct Stream {
    Server *server;
    Str stamp; /* of the page as the reader has it */
} Stream;

static void add_header(Server *server, struct MHD_Response *response, const char *name, const char *value) {
    server->http.add_response_header(response, name, value);
}

static enum MHD_Result answer(Server *server, struct MHD_Connection *connection, unsigned status,
                              struct MHD_Response *response, const char *type) {
    add_header(server, response, "Content-Type", type);
    add_header(server, response, "Cache-Control", "no-store");
    add_header(server, response, "X-Content-Type-Options", "nosniff");
    add_header(server, response, "Cross-Origin-Resource-Policy", "same-origin");
    add_header(server, response, "Cross-Origin-Opener-Policy", "same-origin");
    add_header(server, response, "Referrer-Policy", "no-referrer");
    add_header(server, response, "Content-Security-Policy",
               "frame-ancestors 'none'"); /* the page has the rest itself */
    enum MHD_Result result = server->http.queue_response(connection, status, response);
    server->http.destroy_response(response);
    return result;
}

static enum MHD_Result answer_text(Server *server, struct MHD_Connection *connection, unsigned status, const char *type,
                                   const char *text, size_t len) {
    struct MHD_Response *response = server->http.create_response_from_buffer(len, (void *)text, MHD_RESPMEM_MUST_COPY);
    return response ? answer(server, connection, status, response, type) : MHD_NO;
}

static enum MHD_Result refuse(Server *server, struct MHD_Connection *connection, unsigned status, const char *text) {
    return answer_text(server, connection, status, "text/plain; charset=utf-8", text, strlen(text));
}

/* --- Events --- */

static void sleep_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Waits until there is something to say: on a thread of this reader's own. */
static ssize_t next_event(void *context, uint64_t position, char *buffer, size_t most) {
    Stream *stream = context;
    (void)position;
    for (int waited = 0; !stream->server->stopping && waited < ALIVE_MS; waited += LOOK_MS) {
        CLEANUP(str_release) Str now = {0};
        Error err;
        if (page_stamp(stream->server->path, &now, &err) && !str_equal(str_text(&now), str_text(&stream->stamp))) {
            bool first = stream->stamp.len == 0;
            str_clear(&stream->stamp);
            str_append(&stream->stamp, str_text(&now));
            if (!first)
                return snprintf(buffer, most, "event: changed\ndata: now\n\n");
            return snprintf(buffer, most, ": hello\n\n");
        }
        sleep_ms(LOOK_MS);
    }
    return stream->server->stopping ? MHD_CONTENT_READER_END_OF_STREAM : snprintf(buffer, most, ": still here\n\n");
}

static void stream_free(void *context) {
    Stream *stream = context;
    str_release(&stream->stamp);
    free(stream);
}

static enum MHD_Result answer_events(Server *server, struct MHD_Connection *connection) {
    Stream *stream = mem_zalloc(1, sizeof *stream);
    stream->server = server;
    struct MHD_Response *response =
        server->http.create_response_from_callback(MHD_SIZE_UNKNOWN, 256, next_event, stream, stream_free);
    if (response)
        return answer(server, connection, MHD_HTTP_OK, response, "text/event-stream");
    stream_free(stream);
    return MHD_NO;
}

/* --- Requests --- */

static bool is_this_machine(const Server *server, const char *host) {
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; host && i < ARRAY_LEN(names); i++) {
        CLEANUP(str_release) Str own = {0};
        str_printf(&own, "%s:%u", names[i], server->port);
        if (strcasecmp(host, str_text(&own)) == 0 || (server->port == 80 && strcasecmp(host, names[i]) == 0))
            return true;
    }
    return false;
}

static enum MHD_Result answer_page(Server *server, struct MHD_Connection *connection) {
    CLEANUP(str_release) Str html = {0};
    Error err;
    if (!page_make(server->path, true, &html, &err))
        return refuse(server, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, err.text);
    return answer_text(server, connection, MHD_HTTP_OK, "text/html; charset=utf-8", str_text(&html), html.len);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_len, void **state) {
    Server *server = context;
    (void)version, (void)upload, (void)state;
    if (*upload_len) { /* nobody has anything to send */
        *upload_len = 0;
        return MHD_YES;
    }
    const char *host = server->http.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (!is_this_machine(server, host))
        return refuse(server, connection, MHD_HTTP_FORBIDDEN,
                      "This server answers only for 127.0.0.1 and localhost.\n");
    if (!str_equal(method, "GET"))
        return refuse(server, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET is known here.\n");
    if (str_equal(url, "/"))
        return answer_page(server, connection);
    if (str_equal(url, "/events"))
        return answer_events(server, connection);
    return refuse(server, connection, MHD_HTTP_NOT_FOUND, "There is only the page.\n");
}

bool server_start(const char *path, uint16_t port, Server **ret_server, Error *err) {
    Server *server = mem_zalloc(1, sizeof *server);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    server->path = mem_strdup(path);
    server->port = port;
    if (!http_load(&server->http, err)) {
        server_stop(server);
        return false;
    }
    server->daemon =
        server->http.start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL,
                                  handle, server, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
                                  MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_END);
    if (!server->daemon) {
        server_stop(server);
        return error_set(
            err, "cannot listen on port %u of this machine: it is taken or reserved; choose another, or 0 for any",
            port);
    }
    const union MHD_DaemonInfo *info = server->http.get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    server->port = info ? info->port : port;
    *ret_server = server;
    return true;
}

uint16_t server_port(const Server *server) { return server->port; }

void server_stop(Server *server) {
    if (!server)
        return;
    server->stopping = true;
    if (server->daemon)
        server->http.stop_daemon(server->daemon);
    free(server->path);
    free(server);
}
