#include "proc/launch.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

/* The child's child has no parent left, so that nobody must wait for it; a pipe that exec closes tells whether it started. */
bool launch_detached(const char *const *argv, Error *err) {
    CLEANUP(str_release) Str program = {0};
    int started[2];
    if (!path_find_program(argv[0], &program, err))
        return false;
    if (pipe2(started, O_CLOEXEC) != 0)
        return error_errno(err, "cannot start %s", argv[0]);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        int null = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3 && null >= 0; fd++)
            dup2(null, fd);
        execv(str_text(&program), (char *const *)argv);
        (void)!write(started[1], "", 1);
        _exit(127);
    }
    close(started[1]);
    char byte;
    bool failed = child < 0 || read(started[0], &byte, 1) == 1;
    close(started[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return !failed || error_set(err, "cannot start %s", argv[0]);
}
