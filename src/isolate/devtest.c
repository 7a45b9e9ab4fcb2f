#include "isolate/devtest.h"

#include <ctype.h>
#include <string.h>

/* Whether the text defines a function of that name, or at least names it in front of a parenthesis. */
static bool has_main(const char *text) {
    for (const char *at = text; (at = strstr(at, "main")); at += 4) {
        bool starts = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (starts && at[4 + strspn(at + 4, " \t\n")] == '(')
            return true;
    }
    return false;
}

DevTest devtest_of(const char *path, const char *text) {
    DevTest test = {.refused = strstr(text, "dg-error") != NULL};
    const char *directive = strstr(text, "dg-do");
    if (directive) {
        directive += strlen("dg-do");
        directive += strspn(directive, " \t\"{");
        test.kind = strncmp(directive, "run", 3) == 0    ? DEVTEST_RUN
                    : strncmp(directive, "link", 4) == 0 ? DEVTEST_LINK
                                                         : DEVTEST_COMPILE;
    } else if (!strstr(path, "/compile/") && has_main(text)) {
        test.kind = DEVTEST_RUN;
    }
    if (test.refused)
        test.kind = DEVTEST_COMPILE;
    return test;
}
