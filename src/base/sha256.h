/* SHA-256 (FIPS 180-4) in base64: what a Content-Security-Policy names a script by. Elsewhere hash.h is faster. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/base.h"

enum { SHA256_BASE64_SIZE = 45 }; /* 32 bytes are 44 characters and the end */

void sha256_base64(const void *bytes, size_t len, char ret_text[static SHA256_BASE64_SIZE]);

#endif
