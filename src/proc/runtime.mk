# The warden is a static program without sanitizers: children are started from it, so it must be small.
WARDEN_SOURCES := $(sort $(wildcard src/proc/warden/*.c))

runtime: $(RUNTIME)/warden
$(RUNTIME)/warden: $(WARDEN_SOURCES) $(wildcard src/proc/warden/*.h) src/proc/wire.h src/proc/run.h src/proc/runtime.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -std=c17 -g -O2 -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Werror \
	    -static -o $@ $(WARDEN_SOURCES)
