/* How fast the generator is: programs of seeds 1 to N in one process, as hunt makes them.
 *   gen_speed COUNT [SIZE [STANDARD]]
 * Prints: programs, bytes, bytes of executed statements, CPU seconds, repairs, safe forms, reruns, peak KiB. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "gen/gen.h"

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    GenStatistics sum = {0};
    CLEANUP(arena_release) Arena arena = {0};
    for (uint64_t seed = 1; seed <= count; seed++) {
        GenOptions options = gen_defaults(seed);
        if (argc > 2 && atoi(argv[2]))
            options.size = strtoull(argv[2], NULL, 10);
        Error err;
        GenProgram program;
        if ((argc > 3 && !gen_standard_parse(argv[3], &options, &err)) ||
            !gen_program(&options, &arena, &program, &err)) {
            fprintf(stderr, "gen_speed: %s\n", err.text);
            return 3;
        }
        sum.bytes += program.statistics.bytes;
        sum.executed_bytes += program.statistics.executed_bytes;
        sum.repairs += program.statistics.repairs;
        sum.safe_forms += program.statistics.safe_forms;
        sum.reruns += program.statistics.reruns;
        arena_clear(&arena);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    printf("%llu %llu %llu %.4f %llu %llu %llu %ld\n", (unsigned long long)count, (unsigned long long)sum.bytes,
           (unsigned long long)sum.executed_bytes, seconds, (unsigned long long)sum.repairs,
           (unsigned long long)sum.safe_forms, (unsigned long long)sum.reruns, usage.ru_maxrss);
    return 0;
}
