#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"

/* Lines "name value" with the same names and close values. */
static bool values_match(const char *expected, double tolerance, const char *output) {
    while (*expected && *output) {
        const char *value = strchr(expected, ' '), *line_end = strchr(expected, '\n');
        size_t name = value ? (size_t)(value - expected) : 0;
        if (!value || !line_end || strncmp(expected, output, name) != 0 || output[name] != ' ')
            return false;
        char *end;
        double wanted = strtod(value, NULL), got = strtod(output + name, &end);
        if (*end != '\n' || !(fabs(wanted - got) <= tolerance * fabs(wanted)))
            return false;
        expected = line_end + 1;
        output = end + 1;
    }
    return *expected == *output;
}

bool gen_output_matches(const char *expected, double tolerance, const char *output) {
    if (tolerance == 0)
        return strcmp(expected, output) == 0;
    size_t first = strcspn(expected, "\n") + 1;
    return strncmp(expected, output, first) == 0 && values_match(expected + first, tolerance, output + first);
}
