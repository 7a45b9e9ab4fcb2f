/* What a hunt's finding becomes: the directory's name and content. */
#ifndef CAMPAIGN_TEST_BUG_H
#define CAMPAIGN_TEST_BUG_H

#include "campaign/test.h"

/* "gcc-11-crash-1042"; findings of one test with equal names get "-2", "-3" … Lives in the test's arena. */
const char *test_bug_name(Test *test, size_t finding);
bool test_write_bug(const Test *test, size_t finding, const char *generator, const char *bugs_dir, const char *name,
                    Error *err);

#endif
