/* The user's wish to stop: the first SIGINT or SIGTERM asks to finish what is under way, the second to stop at once. */
#ifndef PROC_INTERRUPT_H
#define PROC_INTERRUPT_H

void interrupt_catch(void); /* from main, once */
int interrupt_count(void);  /* how often the user asked; long loops look at it */

#endif
