/* culprit's version: recorded in generated programs, bug directories and stores. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define CULPRIT_VERSION "0.1.0"
#define CULPRIT_DATE "2026-11-18" /* of this version, for the manual page */

#endif
