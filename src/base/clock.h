/* Clocks. Only loops bounded by time and measurements read them; nothing random derives from them. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/str.h"

int64_t clock_ms(void);                          /* monotonic */
int64_t clock_us(void);                          /* monotonic */
int64_t clock_cpu_us(void);                      /* CPU time of this process, all threads */
int64_t clock_wall_s(void);                      /* seconds since 1970 */
void clock_append_utc(Str *str, int64_t wall_s); /* 2026-11-15T21:45:00Z */

#endif
