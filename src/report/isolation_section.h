/* An isolation on a page: suspects with their evidence, how their ranks moved, witnesses. From suspects.json alone. */
#ifndef REPORT_ISOLATION_SECTION_H
#define REPORT_ISOLATION_SECTION_H

#include "base/json.h"
#include "report/html.h"

/* `brief` gives the first files alone: for one bug of very many. */
void isolation_section(Html *html, const Json *suspects, bool brief);

#endif
