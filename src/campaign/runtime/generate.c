/* generate LANGUAGE STANDARD SIZE MODEL SHAPE VARIETY SEED [SWITCH…]: a program of our own generator, written into the working
 * directory with its `expected` output, and the `tolerance` of its floating-point values if it has any; prints its standard.
 *
 * A program of its own and not a call, so that a campaign survives a generator that crashes, hangs or eats memory, and small,
 * so that starting it costs a millisecond. An empty STANDARD and the SIZE 0 are the generator's choice; the SHAPE is `single` or
 * `several` files, the VARIETY a number of GeneratorVariety; switches are those of gen_switch_parse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "gen/gen.h"

static bool write_program(const GenProgram *program, Error *err) {
    for (size_t i = 0; i < program->file_count; i++)
        if (!file_write(program->files[i].name, program->files[i].text, program->files[i].len, err))
            return false;
    char tolerance[32];
    snprintf(tolerance, sizeof tolerance, "%g\n", program->tolerance);
    return file_write_text("expected", program->expected, err) &&
           (program->tolerance == 0 || file_write_text("tolerance", tolerance, err));
}

static bool generate(char **argv, GenProgram *program, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    GenOptions options = gen_defaults(strtoull(argv[7], NULL, 10));
    options.language = strcmp(argv[1], "c++") == 0 ? GEN_CXX : GEN_C;
    options.standard = *argv[2] ? argv[2] : NULL;
    if (strcmp(argv[3], "0") != 0)
        options.size = strtoull(argv[3], NULL, 10);
    options.single = strcmp(argv[5], "single") == 0;
    int variety = atoi(argv[6]); /* 1 and 2: every feature by a coin; 1: weights as they are */
    Rng rng = rng_from_seed(rng_mix(options.seed));
    for (unsigned f = 0; variety > 0 && f < GEN_FEATURE_COUNT; f++)
        if (rng_chance(&rng, 50))
            options.features &= ~(1u << f);
    options.policies = variety != 1;
    for (char **word = argv + 8; *word; word++)
        if (!gen_switch_parse(*word, &options, err))
            return false;
    return gen_model_parse(argv[4], &options.model, err) && gen_program(&options, &arena, program, err) &&
           write_program(program, err);
}

int main(int argc, char **argv) {
    Error err = {0};
    GenProgram program;
    if (argc < 8 || !generate(argv, &program, &err)) {
        fprintf(stderr, "%s\n",
                argc >= 8 ? err.text : "usage: generate LANGUAGE STANDARD SIZE MODEL SHAPE VARIETY SEED [SWITCH...]");
        return 1;
    }
    puts(program.standard);
    return 0;
}
