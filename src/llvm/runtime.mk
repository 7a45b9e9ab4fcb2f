# What loads a libLLVM runs outside culprit's own process, without culprit's sanitizers.

# --- ir-graph: prints the graph of a module ---
runtime: $(RUNTIME)/ir-graph
$(RUNTIME)/ir-graph: src/llvm/runtime/graph.c src/llvm/api.c src/llvm/api.h src/llvm/runtime.mk
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Isrc -std=c17 -g -O2 -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Werror \
	    -o $@ src/llvm/runtime/graph.c src/llvm/api.c -ldl
