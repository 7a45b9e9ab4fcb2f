/* cpu_time SECONDS COMMAND…: runs the command and prints, on standard error, the CPU time (user and system) of all
 * processes that came of it, orphans included, and "own" that of the command's own process, all its threads but none of
 * its children. Once they have used that many seconds they are told to stop.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSES = 65536, GRACE_S = 5 };

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static double reaped(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/* Parent and CPU time of a process, by itself and with its reaped children. */
static int read_stat(const char *pid, int *ret_parent, double *ret_own, double *ret_cpu) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    size_t len = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[len] = '\0';
    char *end = strrchr(line, ')');
    unsigned long user, system, child_user, child_system;
    int read = end ? sscanf(end + 2, "%*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", ret_parent, &user,
                            &system, &child_user, &child_system)
                   : 0;
    *ret_own = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    *ret_cpu = (double)(user + system + child_user + child_system) / (double)sysconf(_SC_CLK_TCK);
    return read == 5;
}

/* CPU time of all living descendants; a signal for each where it is not 0. */
static double living(int signal_number) {
    static int pids[MOST_PROCESSES], parents[MOST_PROCESSES], ours[MOST_PROCESSES];
    static double cpu[MOST_PROCESSES];
    int count = 0;
    double own;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc)) && count < MOST_PROCESSES;)
        if (atoi(entry->d_name) > 0 && read_stat(entry->d_name, &parents[count], &own, &cpu[count]))
            pids[count++] = atoi(entry->d_name);
    closedir(proc);
    memset(ours, 0, sizeof ours);
    double sum = 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = 0; i < count; i++) {
            int mine = parents[i] == getpid();
            for (int k = 0; !ours[i] && !mine && k < count; k++)
                mine = ours[k] && pids[k] == parents[i];
            if (mine && !ours[i]) {
                ours[i] = changed = 1;
                sum += cpu[i];
                if (signal_number)
                    kill(pids[i], signal_number);
            }
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    double limit = atof(argv[1]);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    int status = 0, stopped = 0, end_status = 0, parent;
    double own = 0, with_children;
    char name[24];
    snprintf(name, sizeof name, "%d", child);
    time_t stop_time = 0;
    for (;;) {
        siginfo_t ended = {0}; /* a dead process keeps its times until it is waited for */
        if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == child)
            read_stat(name, &parent, &own, &with_children);
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid == child)
            end_status = status;
        if (pid < 0 && errno == ECHILD)
            break;
        if (pid > 0)
            continue;
        if (!stopped && reaped() + living(0) > limit) {
            stopped = 1;
            stop_time = time(NULL);
            kill(child, SIGINT);
        } else if (stopped && time(NULL) > stop_time + GRACE_S)
            living(SIGKILL);
        usleep(200000);
    }
    fprintf(stderr, "cpu %.2f own %.2f%s\n", reaped(), own, stopped ? " stopped" : "");
    return WIFEXITED(end_status) ? WEXITSTATUS(end_status) : 1;
}
