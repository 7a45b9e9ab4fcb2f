/* The form of a compiler's bug tracker, filled in: an address that opens GCC's Bugzilla or LLVM's issue form with title,
 * component and text in place. Nothing is sent: the user looks at the form and decides.
 */
#ifndef REPORT_TRACKER_H
#define REPORT_TRACKER_H

#include "bug/bug.h"

typedef struct TrackerForm {
    const char *tracker;   /* "GCC Bugzilla"; NULL: a compiler whose tracker is not known */
    const char *component; /* as the tracker calls it; NULL: left to the user */
    Str title, address;    /* the address with everything that fits */
    bool has_text;         /* false: the text was too long for an address, and must be pasted */
} TrackerForm;

/* `text` is report.md. */
void tracker_form(const Bug *bug, const char *text, TrackerForm *ret_form);
void tracker_form_release(TrackerForm *form);

#endif
