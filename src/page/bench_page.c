#include "page/kinds.h"
bool bench_page(Html *html, const char *journal, Error *err) {
    (void)html;
    (void)journal;
    return error_set(err, "not yet");
}
