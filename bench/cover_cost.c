/* What coverage costs with one subject, for one compilation:
 *
 *     cover_cost SUBJECT REPEATS PEER… -- ARGS…
 *
 * PEER is the command of the distribution's own compiler of the same version. Prints one figure a line, `name value`.
 * Runs of the two compilers alternate, so that both see the same machine; times are medians of CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cover/cover.h"

typedef struct Samples {
    int64_t us[1000];
    size_t len;
} Samples;

static int by_value(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static double median_ms(Samples *samples) {
    qsort(samples->us, samples->len, sizeof(int64_t), by_value);
    return (double)samples->us[samples->len / 2] / 1000;
}

static void add(Samples *samples, int64_t us) {
    if (samples->len < ARRAY_LEN(samples->us))
        samples->us[samples->len++] = us;
}

static void die(const Error *err) {
    fprintf(stderr, "cover_cost: %s\n", err->text);
    exit(3);
}

/* One run of the peer, one covered run with its halves timed apart. */
static void measure(Cover *cover, Runner *runner, const StrList *peer, const StrList *own, Bitset *units,
                    Samples *peer_cpu, Samples *own_cpu, Samples *decode) {
    Error err;
    CLEANUP(proc_result_release) ProcResult result = {0};
    ProcRequest request = {.argv = (const char *const *)peer->items, .limits = {.wall_ms = 60000}};
    if (!runner_run(runner, &request, &result, &err))
        die(&err);
    add(peer_cpu, result.user_us + result.system_us);
    CoverRun run;
    if (!cover_begin(cover, &run, &err))
        die(&err);
    request = (ProcRequest){.argv = (const char *const *)own->items,
                            .env = (const char *const *)run.env.items,
                            .no_randomisation = true,
                            .limits = {.wall_ms = 60000}};
    if (!runner_run(runner, &request, &result, &err))
        die(&err);
    add(own_cpu, result.user_us + result.system_us);
    int64_t before = clock_cpu_us();
    if (!cover_end(cover, &run, &result, units, &err))
        die(&err);
    add(decode, clock_cpu_us() - before);
}

/* Intersect, unite and count two sets of a million bits; microseconds each. */
static void measure_sets(void) {
    enum { BITS = 1000000, ROUNDS = 1000 };
    Bitset a, b;
    bitset_init(&a, BITS);
    bitset_init(&b, BITS);
    for (size_t i = 0; i < BITS; i += 3)
        bitset_set(&a, i);
    for (size_t i = 0; i < BITS; i += 7)
        bitset_set(&b, i);
    int64_t start = clock_cpu_us();
    for (size_t i = 0; i < ROUNDS; i++)
        bitset_and(&a, &b);
    int64_t intersected = clock_cpu_us();
    for (size_t i = 0; i < ROUNDS; i++)
        bitset_or(&a, &b);
    int64_t united = clock_cpu_us();
    size_t sum = 0;
    for (size_t i = 0; i < ROUNDS; i++)
        sum += bitset_count(&a);
    int64_t counted = clock_cpu_us();
    printf("intersect_us %.1f\nunite_us %.1f\ncount_us %.1f\n", (double)(intersected - start) / ROUNDS,
           (double)(united - intersected) / ROUNDS, (double)(counted - united) / ROUNDS + (sum == 0));
    bitset_release(&a);
    bitset_release(&b);
}

int main(int argc, char **argv) {
    int split = 3;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    if (split >= argc || split == 3) {
        fprintf(stderr, "usage: cover_cost SUBJECT REPEATS PEER... -- ARGS...\n");
        return 2;
    }
    Error err;
    CLEANUP(subject_release) Subject subject = {0};
    CLEANUP(strlist_release) StrList peer = {0};
    CLEANUP(strlist_release) StrList own = {0};
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    if (!runner || !subject_open(argv[1], NULL, &subject, &err))
        die(&err);
    int64_t start = clock_us();
    CLEANUP(cover_freep) Cover *cover = cover_open(&subject, runner, NULL, &err);
    if (!cover)
        die(&err);
    int64_t opened = clock_us();
    for (int i = 3; i < argc; i++)
        if (i != split)
            strlist_add(&peer, argv[i]);
    argv[split] = "cc";
    if (!subject_command(&subject, (const char *const *)argv + split, &own, &err))
        die(&err);
    CLEANUP(bitset_release) Bitset first = {0};
    CLEANUP(bitset_release) Bitset units = {0};
    bitset_init(&first, cover_units(cover)->unit_count);
    bitset_init(&units, cover_units(cover)->unit_count);
    static Samples peer_cpu, own_cpu, decode;
    size_t same = 0, repeats = strtoul(argv[2], NULL, 10);
    measure(cover, runner, &peer, &own, &first, &peer_cpu, &own_cpu, &decode);
    for (size_t i = 0; i < repeats; i++) {
        measure(cover, runner, &peer, &own, &units, &peer_cpu, &own_cpu, &decode);
        same += bitset_equal(&first, &units);
    }
    printf("units %zu\ncovered %zu\nopen_ms %.1f\n", cover_units(cover)->unit_count, bitset_count(&first),
           (double)(opened - start) / 1000);
    double peer_ms = median_ms(&peer_cpu), own_ms = median_ms(&own_cpu);
    printf("peer_ms %.1f\nown_ms %.1f\nratio %.2f\ndecode_ms %.2f\n", peer_ms, own_ms, own_ms / peer_ms,
           median_ms(&decode));
    printf("same %zu of %zu\n", same, repeats);
    measure_sets();
    return 0;
}
