# The fork server loads libLLVM and runs generated code: without sanitizers, which would not leave it the address space.
SERVER_SOURCES := src/llvm/runtime/server.c src/llvm/runtime/loader.c src/llvm/api.c

runtime: $(RUNTIME)/llvm-server
$(RUNTIME)/llvm-server: $(SERVER_SOURCES) $(addprefix src/llvm/, runtime/loader.h api.h server_format.h runtime.mk)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -Isrc -std=c17 -g -O2 -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Werror \
	    -o $@ $(SERVER_SOURCES) -ldl
