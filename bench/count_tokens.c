/* count_tokens FILE…: the number of C tokens of each, one a line. */
#include <stdio.h>

#include "base/file.h"
#include "reduce/reduce.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        CLEANUP(str_release) Str text = {0};
        Error err;
        if (!file_read(argv[i], &text, &err)) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        printf("%zu\n", reduce_count_tokens(str_text(&text), text.len));
    }
    return 0;
}
