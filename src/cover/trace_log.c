#include "cover/trace_log.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

bool trace_log_prepare(const char *run_dir, const char *plans, size_t log_size, const char *preload, StrList *env,
                       Error *err) {
    CLEANUP(mem_freep) char *log = path_of(run_dir, TRACE_LOG_NAME);
    CLEANUP(str_release) Str library = {0};
    if (!path_runtime("libculprit-trace.so", &library, err))
        return false;
    int fd = open(log, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && ftruncate(fd, (off_t)log_size) == 0;
    if (!ok)
        error_errno(err, "cannot write %s", log);
    if (fd >= 0)
        close(fd);
    strlist_addf(env, "LD_PRELOAD=%s%s%s", str_text(&library), preload ? ":" : "", preload ? preload : "");
    strlist_addf(env, "%s=%s", TRACE_ENV_LOG, log);
    strlist_addf(env, "%s=%s", TRACE_ENV_PLANS, plans);
    return ok;
}
