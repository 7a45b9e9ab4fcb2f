#include "base/clock.h"

#include <time.h>

static int64_t read_us(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_us(void) { return read_us(CLOCK_MONOTONIC); }
int64_t clock_ms(void) { return clock_us() / 1000; }
int64_t clock_cpu_us(void) { return read_us(CLOCK_PROCESS_CPUTIME_ID); }
int64_t clock_wall_s(void) { return read_us(CLOCK_REALTIME) / 1000000; }

void clock_append_utc(Str *str, int64_t wall_s) {
    time_t seconds = (time_t)wall_s;
    struct tm parts;
    gmtime_r(&seconds, &parts);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    str_append(str, text);
}
