#include "proc/request.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "proc/confine.h"

extern char **environ;

static void append_text(Str *texts, const char *text) { str_append_n(texts, text, strlen(text) + 1); }

static size_t name_len(const char *entry) { return strcspn(entry, "="); }

static bool is_overridden(const char *entry, const char *const *changes) {
    size_t len = name_len(entry);
    for (; changes && *changes; changes++)
        if (name_len(*changes) == len && memcmp(*changes, entry, len) == 0)
            return true;
    return false;
}

/* Our environment with the request's changes; of several changes of one name the last one counts. */
static uint32_t append_environment(Str *texts, const char *const *changes) {
    uint32_t count = 0;
    for (char **entry = environ; entry && *entry; entry++) {
        if (is_overridden(*entry, changes))
            continue;
        append_text(texts, *entry);
        count++;
    }
    for (; changes && *changes; changes++) {
        if (!strchr(*changes, '=') || is_overridden(*changes, changes + 1))
            continue;
        append_text(texts, *changes);
        count++;
    }
    return count;
}

static bool is_in_tmp(const char *path) { return path && str_starts(path, "/tmp/"); }

/* An empty text if the program keeps the real /tmp. */
static void append_tmp_dir(Str *texts, const ProcRequest *request) {
    bool wanted = request->confinement && request->confinement->tmp_dir && !is_in_tmp(texts->data) &&
                  !is_in_tmp(request->dir) && !is_in_tmp(request->confinement->tmp_dir);
    append_text(texts, wanted ? request->confinement->tmp_dir : "");
}

/* A name with a slash is left to exec, so that "./a.out" is looked up in the request's directory. */
static bool append_program(Str *texts, const char *name, Error *err) {
    if (strchr(name, '/')) {
        append_text(texts, name);
        return true;
    }
    CLEANUP(str_release) Str path = {0};
    if (!path_find_program(name, &path, NULL))
        return error_set(err, "cannot run '%s': it is not in PATH; is it installed?", name);
    append_text(texts, str_text(&path));
    return true;
}

bool request_write_texts(const ProcRequest *request, Str *texts, int text_fd, WireRequest *wire, Error *err) {
    str_clear(texts);
    if (!append_program(texts, request->argv[0], err))
        return false;
    append_text(texts, request->dir ? request->dir : "");
    append_tmp_dir(texts, request);
    for (const char *const *arg = request->argv; *arg; arg++, wire->argc++)
        append_text(texts, *arg);
    wire->envc = append_environment(texts, request->env);
    wire->text_len = texts->len;
    for (size_t done = 0; done < texts->len;) {
        ssize_t len = pwrite(text_fd, texts->data + done, texts->len - done, (off_t)done);
        if (len < 0 && errno != EINTR)
            return error_errno(err, "cannot hand over the command line of '%s'", request->argv[0]);
        done += len > 0 ? (size_t)len : 0;
    }
    return true;
}

void attached_release(Attached *attached) {
    for (int i = 0; i < WIRE_FDS; i++)
        if (attached->fds[i] >= 0)
            close(attached->fds[i]);
}

static bool attach_input(const ProcRequest *request, int *ret_fd, Error *err) {
    int fd = memfd_create("culprit-input", MFD_CLOEXEC);
    if (fd < 0)
        return error_errno(err, "cannot make the standard input of '%s'", request->argv[0]);
    for (size_t done = 0; done < request->input_len;) {
        ssize_t len = pwrite(fd, request->input + done, request->input_len - done, (off_t)done);
        if (len < 0 && errno != EINTR) {
            error_errno(err, "cannot make the standard input of '%s'", request->argv[0]);
            close(fd);
            return false;
        }
        done += len > 0 ? (size_t)len : 0;
    }
    *ret_fd = fd;
    return true;
}

static bool attach_file(const char *path, int *ret_fd, Error *err) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_errno(err, "cannot write a program's output to %s", path);
    *ret_fd = fd;
    return true;
}

bool request_attach(const ProcRequest *request, WireRequest *wire, Attached *attached, Error *err) {
    bool same_file = request->out_path && str_equal(request->out_path, request->err_path);
    wire->merge_output = request->merge_output || same_file;
    if (request->input && request->input_len && !attach_input(request, &attached->fds[WIRE_INPUT], err))
        return false;
    if (request->out_path && !attach_file(request->out_path, &attached->fds[WIRE_OUT_FILE], err))
        return false;
    if (request->err_path && !wire->merge_output && !attach_file(request->err_path, &attached->fds[WIRE_ERR_FILE], err))
        return false;
    if (request->confinement && !confine_ruleset(request->confinement, &attached->fds[WIRE_RULESET], err))
        return error_context(err, "cannot confine '%s'", request->argv[0]);
    for (int i = 0; i < WIRE_FDS; i++)
        wire->fds[i] = attached->fds[i] >= 0;
    return true;
}

bool request_send(int link, const WireOrder *order, const Attached *attached) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int) * WIRE_FDS)];
    } control = {0};
    int fds[WIRE_FDS];
    size_t count = 0;
    for (int i = 0; i < WIRE_FDS; i++)
        if (attached->fds[i] >= 0)
            fds[count++] = attached->fds[i];
    struct iovec part = {.iov_base = (void *)order, .iov_len = sizeof(*order)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    }
    ssize_t len;
    do
        len = sendmsg(link, &message, MSG_NOSIGNAL);
    while (len < 0 && errno == EINTR);
    return len > 0;
}
