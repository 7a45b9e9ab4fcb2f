# What loads a libLLVM runs outside culprit's own process, without culprit's sanitizers, which would not leave it the
# address space: the fork server, and the reader of a module's graph.
LLVM_PROGRAM := $(CC) -D_GNU_SOURCE -Isrc -std=c17 -g -O2 -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Werror

runtime: $(RUNTIME)/llvm-server $(RUNTIME)/ir-graph
LLVM_EDITS := $(addprefix runtime/edit, .c _globals.c _blocks.c _instructions.c _signatures.c _decoration.c _passes.c .h)
LLVM_SERVER := $(addprefix runtime/server, .c _child.c _fork.c _opt.c _bench.c _state.h)
$(RUNTIME)/llvm-server: $(addprefix src/llvm/, $(LLVM_SERVER) runtime/loader.c $(LLVM_EDITS) api.c runtime/loader.h api.h server_format.h runtime.mk)
	@mkdir -p $(@D)
	$(Q)$(LLVM_PROGRAM) -o $@ $(filter %.c,$^) -ldl
$(RUNTIME)/ir-graph: $(addprefix src/llvm/, runtime/graph.c api.c api.h runtime.mk)
	@mkdir -p $(@D)
	$(Q)$(LLVM_PROGRAM) -o $@ $(filter %.c,$^) -ldl
