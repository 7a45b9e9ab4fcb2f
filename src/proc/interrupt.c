#include "proc/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* Signal handlers have no argument to carry state in: this is the one place with a variable of its own. */
static volatile sig_atomic_t count;

static void on_signal(int signal) {
    (void)signal;
    count = count + 1;
}

void interrupt_catch(void) {
    /* Without SA_RESTART, so that a blocking read or sleep returns and its loop can look. */
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int interrupt_count(void) { return count; }
