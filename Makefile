# culprit: build, test, install.
#
#   make            build/culprit
#   make hunt       set up, build, hunt for one minute with tcc and the compilers installed here
#   make check      set up, build, and pass every test
#   make help       every target
#
# V=1 shows the commands. SAN=1 builds with AddressSanitizer and UndefinedBehaviorSanitizer in build-san/. The folders of src/, their tiers and
# libraries stand in src/TIERS; nothing about them is repeated here.

PREFIX  ?= /usr/local
CC      := gcc
JOBS    ?= $(shell nproc)
Q       := $(if $(V),,@)

ifdef SAN
  BUILD    := build-san
  OPTIMISE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
  BUILD    := build
  OPTIMISE := -O2
endif

# Folders, highest tier first: the link order.
FOLDERS  := $(shell awk '/^[a-z]/ { print $$2, $$1 }' src/TIERS | sort -rn | awk '{ print $$2 }')
LIBRARIES := $(shell awk '/^[a-z]/ && $$3 != "-" { gsub(",", " ", $$3); print $$3 }' src/TIERS)
PACKAGES := $(filter-out -l%,$(LIBRARIES))

# libclang comes without a pkg-config file: the newest installed one is used. It is loaded when C is first parsed
# (src/clang/library.h), by the name that linking would have recorded. No run path: the loader would search it for every
# library at every start.
LLVM_ROOT := $(lastword $(sort $(patsubst %/include/clang-c/Index.h,%,$(wildcard /usr/lib/llvm-*/include/clang-c/Index.h))))
LIBCLANG  := $(shell objdump -p $(LLVM_ROOT)/lib/libclang.so 2>/dev/null | awk '$$1 == "SONAME" { print $$2 }')

# The same for the library of `culprit report --serve`.
MICROHTTPD := $(shell objdump -p $$($(CC) -print-file-name=libmicrohttpd.so) 2>/dev/null | awk '$$1 == "SONAME" { print $$2 }')

CPPFLAGS := -D_GNU_SOURCE -Isrc -I$(LLVM_ROOT)/include -DLIBCLANG='"$(LIBCLANG)"' -DLIBCLANG_DIR='"$(LLVM_ROOT)/lib"' -DMICROHTTPD='"$(MICROHTTPD)"' $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
CFLAGS   := -std=c17 -g -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla -Werror $(OPTIMISE) -fPIE -pthread
comma    := ,
LDFLAGS  := $(if $(SAN),-fsanitize=address$(comma)undefined) -pie -pthread -Wl,--as-needed
# Libraries are linked in as archives, where all packages have them: each that the loader must find costs every start 0.1 ms.
archive   = $(if $(wildcard /usr/lib/$(MULTIARCH)/lib$(1).a),-l:lib$(1).a,-l$(1))
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
ARCHIVES := $(patsubst -l%,%,$(filter-out -lm -lpthread,$(filter -l%,$(shell pkg-config --static --libs $(PACKAGES) 2>/dev/null))))
LDLIBS   := $(filter -l%,$(LIBRARIES)) \
    $(if $(ARCHIVES),$(foreach a,$(ARCHIVES),$(call archive,$(a))),$(shell pkg-config --libs $(PACKAGES) 2>/dev/null)) -ldl -lm

sources   = $(sort $(wildcard src/$(1)/*.c))
objects   = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))
# Folders that have code; each becomes lib<folder>.a.
BUILT    := $(foreach f,$(filter-out cli,$(FOLDERS)),$(if $(call sources,$(f)),$(f)))
LIBS     := $(patsubst %,$(BUILD)/lib%.a,$(BUILT))
MAIN     := $(BUILD)/culprit

UNIT_TESTS    := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/unit/test_*.c)))
SUPPORT       := $(sort $(wildcard tests/support/*.c))
SUPPORT_TOOLS := $(patsubst %.c,$(BUILD)/%,$(SUPPORT))
# The long ones first, so that none runs alone at the end.
CLI_LONG      := $(addprefix tests/cli/, reduce.t reduce-guards.t isolate.t cover-stock.t hunt.t gen-sound.t)
CLI_TESTS     := $(CLI_LONG) $(filter-out $(CLI_LONG), $(sort $(wildcard tests/cli/*.t)))
BENCHES       := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard bench/*.c)))

# Objects of tests and benchmarks are kept like all others.
.SECONDARY:

.PHONY: all
all: $(MAIN) runtime

$(MAIN): $(call objects,cli) $(LIBS)
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

define library
$(BUILD)/lib$(1).a: $(call objects,$(1))
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
endef
$(foreach f,$(BUILT),$(eval $(call library,$(f))))

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# --- What culprit needs beside itself at run time: preloaded libraries, recipes, pools. Installed to lib/culprit. ---
RUNTIME := $(BUILD)/lib/culprit
.PHONY: runtime
runtime:
-include $(wildcard src/*/runtime.mk)

# --- Tests ---
$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(LIBS)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

# Compares our lexer with libclang's, which nothing else calls.
$(BUILD)/tests/unit/test_clang_text: LDLIBS += $(LLVM_ROOT)/lib/libclang.so -Wl,-rpath,$(LLVM_ROOT)/lib

# Small programs that tests run: misbehaving children and compilers.
$(BUILD)/tests/support/%: tests/support/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=c17 -O1 -Wall -Wextra -Werror -o $@ $< -pthread

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIBS)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: setup check check-fresh check-layers print-cppflags test-programs unit cli
print-cppflags:
	@echo $(CPPFLAGS)

setup:
	@tools/setup tests

check: setup
	@tools/check $(JOBS)

check-fresh:
	@tools/check-fresh

check-layers:
	@tools/check-layers

test-programs: all $(UNIT_TESTS) $(SUPPORT_TOOLS) $(BENCHES)

unit: test-programs
	@tools/run-unit $(BUILD) $(UNIT_TESTS)

cli: test-programs
	@BUILD=$(BUILD) prove -j$(JOBS) --timer -Q $(CLI_TESTS)

# --- The main job, for one minute ---
.PHONY: hunt
hunt:
	@tools/setup build
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@tools/hunt-a-minute $(MAIN)

# --- Benchmarks: never part of check; each prints our figure beside the peer's ---
BENCH_SCRIPTS := $(sort $(wildcard bench/bench-*))
BENCH_TARGETS := $(notdir $(filter-out %.c,$(BENCH_SCRIPTS)))
.PHONY: bench $(BENCH_TARGETS)
bench: $(BENCH_TARGETS)
$(BENCH_TARGETS): bench-%: all $(BENCHES)
	@tools/setup bench
	@BUILD=$(BUILD) bench/bench-$*

# --- Housekeeping ---
.PHONY: install uninstall format lint clean help docs
install: all docs
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/culprit $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install $(MAIN) $(DESTDIR)$(PREFIX)/bin/culprit
	if [ -d $(RUNTIME) ]; then cp -R $(RUNTIME)/. $(DESTDIR)$(PREFIX)/lib/culprit/; fi
	install -m 644 $(BUILD)/docs/culprit.1 $(DESTDIR)$(PREFIX)/share/man/man1/culprit.1
	install -m 644 $(BUILD)/docs/culprit.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/culprit
	install -m 644 $(BUILD)/docs/_culprit $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_culprit
	install -m 644 $(BUILD)/docs/culprit.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/culprit.fish

uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/bin/culprit $(DESTDIR)$(PREFIX)/lib/culprit $(DESTDIR)$(PREFIX)/share/man/man1/culprit.1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/culprit $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_culprit \
	    $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/culprit.fish

# The manual page and completions are written by culprit itself, from its command table.
docs: $(MAIN)
	@mkdir -p $(BUILD)/docs
	@$(MAIN) help --man > $(BUILD)/docs/culprit.1
	@$(MAIN) help --completion bash > $(BUILD)/docs/culprit.bash
	@$(MAIN) help --completion zsh > $(BUILD)/docs/_culprit
	@$(MAIN) help --completion fish > $(BUILD)/docs/culprit.fish

C_FILES = $(shell git ls-files 'src/*.[ch]' 'tests/unit/*.[ch]' 'tests/support/*.c' 'bench/*.c')
format:
	clang-format -i $(C_FILES)

lint:
	@tools/setup bench
	cppcheck --quiet --std=c11 --inline-suppr --enable=warning,portability,performance --error-exitcode=1 \
	    --suppress=missingIncludeSystem -Isrc -D_GNU_SOURCE src
	clang-tidy --quiet $(shell git ls-files 'src/*.c') -- $(CPPFLAGS) -std=c17

clean:
	rm -rf build build-san

help:
	@echo "make                 build $(BUILD)/culprit"
	@echo "make hunt            set up, build, hunt for a minute with tcc and the compilers installed here"
	@echo "make check           set up, build, run every test (also with sanitizers)"
	@echo "make check-fresh     make hunt and make check on a new minimal Debian in a folder; needs root"
	@echo "make unit cli        only the unit tests, only the command-line tests; SAN=1 for sanitizers"
	@echo "make install PREFIX=… binary, runtime libraries, manual page, completions"
	@echo "make format lint     clang-format; clang-tidy and cppcheck"
	@echo "make bench           every benchmark; one of: $(BENCH_TARGETS)"

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
