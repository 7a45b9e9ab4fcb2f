# What runs inside compilers: compiled without culprit's own options, and linked into or preloaded to other programs.

# --- sancov: an object to link, a library to preload ---
runtime: $(RUNTIME)/sancov.o $(RUNTIME)/libsancov.so
$(RUNTIME)/sancov.o: src/cover/runtime/sancov_runtime.c src/cover/runtime/sancov_runtime.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Isrc -std=c17 -O2 -Wall -Wextra -Werror -fPIC -c -o $@ $<
$(RUNTIME)/libsancov.so: $(RUNTIME)/sancov.o
	$(CC) -shared -o $@ $<

# --- trace: a library to preload; its constructor runs before all others ---
runtime: $(RUNTIME)/libculprit-trace.so
$(RUNTIME)/libculprit-trace.so: src/cover/runtime/trace_preload.c src/cover/trace_format.h
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Isrc -std=c17 -O2 -g -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared -Wl,-z,initfirst -o $@ $<

