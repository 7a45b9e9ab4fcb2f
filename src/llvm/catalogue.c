/* How a catalogue is made:
 *  1. --print-passes gives names, kinds and parameters; the table below says which are left out and why.
 *  2. The default pipelines say which are in production, with which parameters, and which loop passes they run with
 *     MemorySSA.
 *  3. Each remaining pass runs alone on small programs that have loops, memory, calls, vectors to make and switches. A
 *     loop pass that is refused in loop(…) for want of MemorySSA belongs into loop-mssa(…). What opt does not accept as
 *     a pass or as a parameter is left out; what crashes is kept and marked.
 */
#include "llvm/catalogue.h"

#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/table.h"
#include "compiler/execute.h"
#include "proc/scratch.h"

#define CACHE_VERSION 2 /* counts up when the catalogue's content changes its meaning */

#define NO_FIXPOINT "no-verify-fixpoint"

/* --- What is left out --- */

static const struct {
    const char *reason, *names; /* patterns of the shell */
} left_out[] = {
    {"prints or draws something",
     "print* dot-* view-* aa-eval pa-eval lint instcount count-visits helloworld transform-warning annotation-remarks"},
    {"checks something", "verify* check-debugify"},
    {"is about analyses only", "require<* invalidate<*"},
    {"does nothing", "no-op-*"},
    {"fails on purpose", "trigger-*"},
    {"is a pipeline of other passes", "function-simplification inliner-wrapper* scc-oz-module-inliner"},
    {"instruments the program",
     "asan* hwasan* msan* tsan* dfsan* nsan* memprof* sancov* sanmd* bounds-checking poison-checking ee-instrument "
     "safe-stack "
     "stack-protector kcfi jmc-instrumenter lower-allow-check debugify instrorderfile rtsan* tysan* cfguard"},
    {"needs a profile or makes one",
     "pgo-* instrprof insert-gcov-profiling ctx-instr-lower ctx-prof* sample-profile* pseudo-probe* "
     "synthetic-counts-propagation inliner-ml-advisor-release assign-guid memprof-use"},
    {"needs a file or a list", "function-import rewrite-symbols extract-blocks embed-bitcode"},
    {"belongs to link time", "lowertypetests wholeprogramdevirt cross-dso-cfi internalize"},
    {"is for garbage-collected languages",
     "rewrite-statepoints-for-gc place-safepoints gc-lowering shadow-stack-gc-lowering strip-gc-relocates"},
    {"is for coroutines", "coro-*"},
    {"is for Objective-C", "objc-arc*"},
    {"is for another target", "win-eh-prepare wasm-eh-prepare sjlj-eh-prepare dxil-upgrade hipstdpar-* hardware-loops "
                              "infer-address-spaces amdgpu-* "
                              "nvptx-* hexagon-* aarch64-* bpf-* loop-idiom-vectorize lower-emutls"},
    {"renames what other files call", "metarenamer"},
};

static const char *reason_to_leave_out(const char *name) {
    for (size_t i = 0; i < ARRAY_LEN(left_out); i++) {
        CLEANUP(strlist_release) StrList patterns = {0};
        strlist_split(&patterns, left_out[i].names, ' ');
        for (size_t k = 0; k < patterns.len; k++)
            if (fnmatch(patterns.items[k], name, 0) == 0)
                return left_out[i].reason;
    }
    return NULL;
}

/* --- Access --- */

void catalogue_free(Catalogue *catalogue) {
    if (!catalogue)
        return;
    for (size_t i = 0; i < catalogue->passes.len; i++) {
        strlist_release(&catalogue->passes.items[i].parameters);
        strlist_release(&catalogue->passes.items[i].in_pipelines);
        strlist_release(&catalogue->passes.items[i].variants);
    }
    vec_release(&catalogue->passes);
    arena_release(&catalogue->arena);
    free(catalogue);
}

const CataloguePass *catalogue_find(const Catalogue *catalogue, const char *text, PassKind kind) {
    bool loops = kind == PASS_LOOP || kind == PASS_LOOP_MSSA;
    /* The whole text first: in print<loops> and the like the brackets belong to the name. */
    for (int whole = 1; whole >= 0; whole--) {
        size_t len = whole ? strlen(text) : pass_name_len(text);
        for (size_t i = 0; i < catalogue->passes.len; i++) {
            const CataloguePass *pass = &catalogue->passes.items[i];
            if (strncmp(pass->name, text, len) == 0 && pass->name[len] == '\0' &&
                (kind == PASS_KINDS || pass->kind == kind || (loops && pass->kind >= PASS_LOOP)))
                return pass;
        }
    }
    return NULL;
}

bool catalogue_resolve(const Catalogue *catalogue, Pipeline *pipeline, Error *err) {
    for (size_t i = 0; i < pipeline->len; i++) {
        Pass *pass = &pipeline->items[i];
        if (catalogue_find(catalogue, pass->text, pass->kind))
            continue;
        const CataloguePass *any = catalogue_find(catalogue, pass->text, PASS_KINDS);
        if (!any || pass->kind != PASS_MODULE)
            return error_set(err, any ? "'%s' is no %s pass in LLVM %s, but a %s pass" : "'%s' is no %spass of LLVM %s",
                             pass->text, any ? pass_kind_name(pass->kind) : "", catalogue->version,
                             any ? pass_kind_name(any->kind) : "");
        pass->kind = any->kind;
    }
    return true;
}

bool catalogue_is_production(const Catalogue *catalogue, const char *text) {
    const CataloguePass *pass = catalogue_find(catalogue, text, PASS_KINDS);
    if (!pass || !pass->production)
        return false;
    const char *open = text + strlen(pass->name);
    if (*open != '<')
        return true;
    CLEANUP(str_release) Str list = {0};
    str_append_n(&list, open + 1, strlen(open) - 2);
    return list.len == 0 || strlist_contains(&pass->in_pipelines, str_text(&list)) ||
           str_equal(str_text(&list), NO_FIXPOINT);
}

void catalogue_choose(Catalogue *catalogue, bool all, Pipeline *ret_passes) {
    for (size_t i = 0; i < catalogue->passes.len; i++) {
        const CataloguePass *pass = &catalogue->passes.items[i];
        if (pass->left_out || !(all || pass->production))
            continue;
        /* Without parameters instcombine from LLVM 18 on checks that it is done after one iteration, which is for its own
         * tests: the default pipelines switch that off. */
        bool checks = strlist_contains(&pass->parameters, NO_FIXPOINT);
        bool any = all; /* false: what the pipelines are printed with is not what opt reads */
        for (size_t k = 0; k < pass->variants.len && !any; k++)
            any = strlist_contains(&pass->in_pipelines, pass->variants.items[k]);
        for (size_t k = 0; k < pass->variants.len; k++) {
            const char *list = pass->variants.items[k];
            if (any ? !all && !strlist_contains(&pass->in_pipelines, list) : k > 0)
                continue;
            if (checks && !strstr(list, NO_FIXPOINT)) {
                if (k == 0)
                    vec_push(ret_passes,
                             (Pass){pass->kind, arena_printf(&catalogue->arena, "%s<%s>", pass->name, NO_FIXPOINT)});
                continue;
            }
            const char *text = *list ? arena_printf(&catalogue->arena, "%s<%s>", pass->name, list) : pass->name;
            vec_push(ret_passes, (Pass){pass->kind, text});
        }
    }
}

bool catalogue_is_nesting_message(const char *message) {
    return strstr(message, "requires MemorySSA") || strstr(message, "does not preserve MemorySSA");
}

bool catalogue_is_check_message(const char *message) { return strstr(message, "did not reach a fixpoint"); }

void catalogue_table(const Catalogue *catalogue, size_t width, bool color, Str *ret_text) {
    CLEANUP(table_freep)
    Table *table = table_new(
        (const char *const[]){"pass", "kind", "production", ">variants", "alone", "left out because it", NULL});
    for (size_t i = 0; i < catalogue->passes.len; i++) {
        const CataloguePass *pass = &catalogue->passes.items[i];
        table_row(table);
        table_cell(table, "%s", pass->name);
        table_cell(table, "%s", pass_kind_name(pass->kind));
        table_cell(table, "%s", pass->production ? "yes" : "no");
        table_cell(table, "%zu", pass->variants.len);
        table_cell(table, "%s", pass->alone ? pass->alone : "");
        table_cell(table, "%s", pass->left_out ? pass->left_out : "");
    }
    table_format(table, width, color, ret_text);
}

/* --- JSON --- */

Json *catalogue_to_json(const Catalogue *catalogue) {
    Json *json = json_new_object(), *passes = json_new_array();
    json_put_int(json, "format", CACHE_VERSION);
    json_put_text(json, "opt", catalogue->opt);
    json_put_text(json, "version", catalogue->version);
    for (size_t i = 0; i < catalogue->passes.len; i++) {
        const CataloguePass *pass = &catalogue->passes.items[i];
        Json *item = json_new_object();
        json_put_text(item, "name", pass->name);
        json_put_text(item, "kind", pass_kind_name(pass->kind));
        json_put_bool(item, "production", pass->production);
        json_put_bool(item, "takes_mssa", pass->takes_mssa);
        if (pass->left_out)
            json_put_text(item, "left_out", pass->left_out);
        if (pass->alone)
            json_put_text(item, "alone", pass->alone);
        json_put_strings(item, "parameters", &pass->parameters);
        json_put_strings(item, "in_pipelines", &pass->in_pipelines);
        json_put_strings(item, "variants", &pass->variants);
        json_push(passes, item);
    }
    json_put(json, "passes", passes);
    return json;
}

bool catalogue_from_json(const Json *json, Catalogue **ret_catalogue, Error *err) {
    const char *opt, *version;
    if (json_get_int(json, "format", 0) != CACHE_VERSION)
        return error_set(err, "the catalogue of passes is of another version of culprit");
    if (!json_expect_text(json, "opt", &opt, err) || !json_expect_text(json, "version", &version, err))
        return error_context(err, "the catalogue of passes is damaged");
    CLEANUP(catalogue_freep) Catalogue *catalogue = mem_zalloc(1, sizeof(*catalogue));
    catalogue->opt = arena_strdup(&catalogue->arena, opt);
    catalogue->version = arena_strdup(&catalogue->arena, version);
    const Json *passes = json_get(json, "passes");
    for (size_t i = 0; i < json_len(passes); i++) {
        const Json *item = json_item(passes, i);
        CataloguePass pass = {.production = json_get_bool(item, "production", false),
                              .takes_mssa = json_get_bool(item, "takes_mssa", false),
                              .name = arena_strdup(&catalogue->arena, json_get_text(item, "name", "")),
                              .left_out = arena_strdup(&catalogue->arena, json_get_text(item, "left_out", NULL)),
                              .alone = arena_strdup(&catalogue->arena, json_get_text(item, "alone", NULL))};
        if (!pass_kind_parse(json_get_text(item, "kind", ""), &pass.kind))
            return error_set(err, "the catalogue of passes is damaged: pass '%s' has no kind", pass.name);
        json_get_strings(item, "parameters", &pass.parameters);
        json_get_strings(item, "in_pipelines", &pass.in_pipelines);
        json_get_strings(item, "variants", &pass.variants);
        vec_push(&catalogue->passes, pass);
    }
    *ret_catalogue = catalogue;
    catalogue = NULL;
    return true;
}

/* --- Making --- */

typedef struct Maker {
    Runner *runner;
    Console *console;
    Catalogue *catalogue;
    const char *dir;
    StrList programs; /* paths of the small programs */
    ProcResult result;
} Maker;

/* Runs opt with a pipeline on a file, bounded in time and memory. */
static bool run_opt(Maker *maker, const char *const *arguments, Error *err) {
    CLEANUP(strlist_release) StrList argv = {0};
    strlist_add(&argv, maker->catalogue->opt);
    for (; *arguments; arguments++)
        strlist_add(&argv, *arguments);
    const CompilerRun options = {
        .limits = {.wall_ms = 20000, .cpu_ms = 5000, .memory_bytes = 2ull << 30, .processes = 16},
        .env = (const char *const[]){"LLVM_DISABLE_CRASH_REPORT=1", NULL},
        .no_randomisation = true,
    };
    return compiler_run(maker->runner, maker->dir, &argv, &options, &maker->result, err);
}

static bool ask_opt(Maker *maker, const char *const *arguments, Error *err) {
    if (!run_opt(maker, arguments, err))
        return false;
    if (proc_ok(&maker->result))
        return true;
    return error_set(err, "%s %s failed: %.200s", maker->catalogue->opt, arguments[0], str_text(&maker->result.err));
}

/* Heading of --print-passes to kind; sections of analyses and of machine code have no passes for us. */
static bool section_kind(const char *line, PassKind *ret_kind) {
    static const struct {
        const char *start;
        PassKind kind;
    } sections[] = {{"Module passes", PASS_MODULE},
                    {"CGSCC passes", PASS_CGSCC},
                    {"Function passes", PASS_FUNCTION},
                    {"LoopNest passes", PASS_LOOP},
                    {"Loop passes", PASS_LOOP}};
    for (size_t i = 0; i < ARRAY_LEN(sections); i++)
        if (str_starts(line, sections[i].start)) {
            *ret_kind = sections[i].kind;
            return true;
        }
    return false;
}

/* "simplifycfg<a;b=N>" is a name with parameters in a section "with params", and a name as it is in the others. */
static void add_pass(Catalogue *catalogue, const char *text, PassKind kind, bool with_parameters) {
    const char *open = with_parameters ? strrchr(text, '<') : NULL;
    CataloguePass pass = {.kind = kind};
    pass.name =
        open ? arena_strndup(&catalogue->arena, text, (size_t)(open - text)) : arena_strdup(&catalogue->arena, text);
    for (size_t i = 0; i < catalogue->passes.len;
         i++) /* some stand in both sections; the later one has the parameters */
        if (catalogue->passes.items[i].kind == kind && str_equal(catalogue->passes.items[i].name, pass.name)) {
            strlist_release(&catalogue->passes.items[i].parameters);
            strlist_release(&catalogue->passes.items[i].variants);
            vec_remove(&catalogue->passes, i);
            break;
        }
    if (open) {
        CLEANUP(mem_freep) char *list = mem_strdup(open + 1);
        list[strcspn(list, ">")] = '\0';
        strlist_split(&pass.parameters, list, ';');
    }
    pass.left_out = reason_to_leave_out(pass.name);
    vec_push(&catalogue->passes, pass);
}

static bool read_names(Maker *maker, Error *err) {
    if (!ask_opt(maker, (const char *const[]){"--print-passes", NULL}, err))
        return false;
    CLEANUP(strlist_release) StrList lines = {0};
    strlist_split(&lines, str_text(&maker->result.out), '\n');
    PassKind kind = PASS_MODULE;
    bool ours = false, with_parameters = false;
    for (size_t i = 0; i < lines.len; i++) {
        const char *line = lines.items[i];
        if (*line && *line != ' ') {
            ours = section_kind(line, &kind);
            with_parameters = strstr(line, "with params") != NULL;
        } else if (ours && line[strspn(line, " ")])
            add_pass(maker->catalogue, line + strspn(line, " "), kind, with_parameters);
    }
    if (maker->catalogue->passes.len == 0)
        return error_set(err, "%s --print-passes names no pass; is it LLVM 14 or later?", maker->catalogue->opt);
    return true;
}

static bool read_production(Maker *maker, Error *err) {
    static const char *const levels[] = {"O1", "O2", "O3", "Os", "Oz"};
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        CLEANUP(str_release) Str pipeline_text = {0}, option = {0};
        CLEANUP(arena_release) Arena arena = {0};
        str_printf(&option, "-passes=default<%s>", levels[i]);
        if (!ask_opt(maker,
                     (const char *const[]){option.data, "-print-pipeline-passes", "-disable-output", "empty.ll", NULL},
                     err))
            return false;
        str_append(&pipeline_text, str_text(&maker->result.out));
        str_trim(&pipeline_text);
        Pipeline pipeline;
        if (!pipeline_parse(str_text(&pipeline_text), &arena, &pipeline, err))
            return error_context(err, "cannot read what %s prints for default<%s>", maker->catalogue->opt, levels[i]);
        for (size_t k = 0; k < pipeline.len; k++) {
            const char *text = pipeline.items[k].text;
            CataloguePass *pass = (CataloguePass *)catalogue_find(maker->catalogue, text, pipeline.items[k].kind);
            if (!pass)
                continue; /* require<…> of an analysis, or a pass that --print-passes does not name */
            pass->production = true;
            pass->takes_mssa |= pipeline.items[k].kind == PASS_LOOP_MSSA;
            CLEANUP(str_release) Str list = {0};
            str_append(&list, text[strlen(pass->name)] == '<' ? text + strlen(pass->name) + 1 : "");
            while (list.len > 0 && strchr(">;", list.data[list.len - 1]))
                str_truncate(&list, list.len - 1);
            if (!strlist_contains(&pass->in_pipelines, str_text(&list)))
                strlist_add(&pass->in_pipelines, str_text(&list));
        }
        vec_release(&pipeline);
    }
    return true;
}

/* --- Trials --- */

/* Programs with what passes look for. Pointers are written as PTR(type): LLVM 14 has typed pointers, and 17 only
 * `ptr`. */
static const char *const small_programs[] = {
    "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128\"\n"
    "target triple = \"x86_64-pc-linux-gnu\"\n"
    "@a = internal global [64 x i32] zeroinitializer, align 16\n"
    "@b = global i32 7\n"
    "define internal i32 @sum(i32 %n) {\n"
    "entry:\n  br label %head\n"
    "head:\n  %i = phi i32 [ 0, %entry ], [ %next, %body ]\n  %s = phi i32 [ 0, %entry ], [ %t, %body ]\n"
    "  %more = icmp slt i32 %i, %n\n  br i1 %more, label %body, label %out\n"
    "body:\n  %p = getelementptr [64 x i32], PTR([64 x i32]) @a, i32 0, i32 %i\n  %v = load i32, PTR(i32) %p\n"
    "  %inv = load i32, PTR(i32) @b\n  %m = mul i32 %v, %inv\n  %t = add i32 %s, %m\n  store i32 %t, PTR(i32) %p\n"
    "  %next = add nsw i32 %i, 1\n  br label %head\n"
    "out:\n  ret i32 %s\n}\n"
    "define i32 @main() {\n  %n = load i32, PTR(i32) @b\n  %r = call i32 @sum(i32 %n)\n"
    "  %z = call i32 @sum(i32 60)\n  %x = add i32 %r, %z\n  ret i32 %x\n}\n",

    "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128\"\n"
    "target triple = \"x86_64-pc-linux-gnu\"\n"
    "@g = internal global i32 1\n"
    "@k = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n"
    "define internal i32 @pick(i32 %x, i1 %deep) {\n"
    "entry:\n  %slot = alloca i32, align 4\n  store i32 %x, PTR(i32) %slot\n"
    "  switch i32 %x, label %other [ i32 0, label %zero\n i32 1, label %one\n i32 2, label %one ]\n"
    "zero:\n  store i32 5, PTR(i32) %slot\n  br label %join\n"
    "one:\n  %y = sub i32 %x, 1\n  br i1 %deep, label %again, label %join\n"
    "again:\n  %q = call i32 @pick(i32 %y, i1 false)\n  store i32 %q, PTR(i32) %slot\n  br label %join\n"
    "other:\n  %d = sdiv i32 %x, 3\n  %w = srem i32 %x, 3\n  %dw = add i32 %d, %w\n  store i32 %dw, PTR(i32) %slot\n"
    "  br label %join\n"
    "join:\n  %r = load i32, PTR(i32) %slot\n  ret i32 %r\n}\n"
    "define i32 @main() {\n"
    "entry:\n  br label %outer\n"
    "outer:\n  %i = phi i32 [ 0, %entry ], [ %in, %latch ]\n  br label %inner\n"
    "inner:\n  %j = phi i32 [ 0, %outer ], [ %jn, %inner ]\n  %e = and i32 %j, 3\n"
    "  %p = getelementptr [4 x i32], PTR([4 x i32]) @k, i32 0, i32 %e\n  %v = load i32, PTR(i32) %p\n"
    "  %o = load volatile i32, PTR(i32) @g\n  %c = icmp eq i32 %o, 3\n  %f = call i32 @pick(i32 %v, i1 %c)\n"
    "  store volatile i32 %f, PTR(i32) @g\n  %jn = add nuw nsw i32 %j, 1\n  %jc = icmp ult i32 %jn, 8\n"
    "  br i1 %jc, label %inner, label %latch\n"
    "latch:\n  %in = add nuw nsw i32 %i, 1\n  %ic = icmp ult i32 %in, 5\n  br i1 %ic, label %outer, label %end\n"
    "end:\n  %res = load volatile i32, PTR(i32) @g\n  ret i32 %res\n}\n",
};

static void spell_pointers(const char *program, bool opaque, Str *ret_text) {
    for (const char *at; (at = strstr(program, "PTR(")); program = strchr(at, ')') + 1) {
        str_append_n(ret_text, program, (size_t)(at - program));
        if (opaque)
            str_append(ret_text, "ptr");
        else
            str_printf(ret_text, "%.*s*", (int)(strchr(at, ')') - at - 4), at + 4);
    }
    str_append(ret_text, program);
}

static bool write_programs(Maker *maker, Error *err) {
    bool opaque = true;
    for (size_t i = 0; i < ARRAY_LEN(small_programs); i++) {
        CLEANUP(str_release) Str name = {0}, text = {0};
        str_printf(&name, "%s/small%zu.ll", maker->dir, i);
        spell_pointers(small_programs[i], opaque, &text);
        if (!file_write(name.data, text.data, text.len, err) ||
            !run_opt(maker, (const char *const[]){"-passes=verify", "-disable-output", name.data, NULL}, err))
            return false;
        if (!proc_ok(&maker->result) && !opaque)
            return error_set(err, "%s rejects the small program %zu: %.300s", maker->catalogue->opt, i,
                             str_text(&maker->result.err));
        if (!proc_ok(&maker->result)) {
            opaque = false; /* the first is tried in both spellings, the rest as the first */
            i--;
            continue;
        }
        strlist_add(&maker->programs, name.data);
    }
    return true;
}

typedef enum Trial { TRIAL_PASSED, TRIAL_FAILED, TRIAL_REFUSED, TRIAL_NESTING } Trial;

/* Runs one pass, alone and verified, on every small program. What it died of is in `ret_how`. */
static bool try_pass(Maker *maker, PassKind kind, const char *text, Trial *ret_trial, Str *ret_how, Error *err) {
    Pipeline alone = {.items = &(Pass){kind, text}, .len = 1};
    CLEANUP(str_release) Str option = {0};
    str_append(&option, "-passes=");
    pipeline_print(&alone, (PipelineStyle){.verify = true}, &option);
    *ret_trial = TRIAL_PASSED;
    str_clear(ret_how);
    for (size_t i = 0; i < maker->programs.len && *ret_trial == TRIAL_PASSED; i++) {
        const ProcResult *result = &maker->result;
        if (!run_opt(maker, (const char *const[]){option.data, "-disable-output", maker->programs.items[i], NULL}, err))
            return false;
        if (proc_ok(result))
            continue;
        const char *message = str_text(&result->err);
        if (catalogue_is_nesting_message(message)) {
            *ret_trial = TRIAL_NESTING;
        } else if (result->exit_code == 1 && !strstr(message, "LLVM ERROR") && strstr(message, "opt: ")) {
            *ret_trial = TRIAL_REFUSED; /* a complaint about the command line */
            str_append_n(ret_how, message, strcspn(message, "\n"));
        } else {
            *ret_trial = TRIAL_FAILED;
            if (result->limit != PROC_LIMIT_NONE)
                str_append(ret_how, proc_limit_name(result->limit));
            else if (result->signal)
                str_printf(ret_how, "SIG%s", sigabbrev_np(result->signal));
            else
                str_printf(ret_how, "exit status %d", result->exit_code);
        }
    }
    return true;
}

/* Variants to try: none, those of the default pipelines, every single parameter with N as a small number. */
static void propose_variants(const CataloguePass *pass, StrList *ret_lists) {
    strlist_add(ret_lists, "");
    for (size_t i = 0; i < pass->in_pipelines.len; i++)
        if (*pass->in_pipelines.items[i])
            strlist_add(ret_lists, pass->in_pipelines.items[i]);
    for (size_t i = 0; i < pass->parameters.len; i++) {
        const char *parameter = pass->parameters.items[i];
        CLEANUP(str_release) Str text = {0};
        str_append(&text, parameter);
        if (str_ends(parameter, "=N")) {
            str_truncate(&text, text.len - 1);
            str_append(&text, "2");
        } else if (strchr(parameter, '='))
            continue; /* names of files or globals */
        if (!strlist_contains(ret_lists, text.data))
            strlist_add(ret_lists, text.data);
    }
}

static bool screen(Maker *maker, CataloguePass *pass, Error *err) {
    CLEANUP(strlist_release) StrList lists = {0};
    CLEANUP(str_release) Str how = {0}, first_how = {0};
    propose_variants(pass, &lists);
    for (size_t i = 0; i < lists.len; i++) {
        CLEANUP(str_release) Str text = {0};
        str_printf(&text, *lists.items[i] ? "%s<%s>" : "%s", pass->name, lists.items[i]);
        Trial trial;
        if (!try_pass(maker, pass->kind, text.data, &trial, &how, err))
            return false;
        if (trial == TRIAL_NESTING && pass->kind == PASS_LOOP) {
            pass->kind = PASS_LOOP_MSSA;
            if (!try_pass(maker, pass->kind, text.data, &trial, &how, err))
                return false;
        }
        if (trial == TRIAL_PASSED || trial == TRIAL_FAILED)
            strlist_add(&pass->variants, lists.items[i]);
        if (trial == TRIAL_FAILED && !pass->alone)
            pass->alone = arena_strdup(&maker->catalogue->arena, how.data);
        if (i == 0)
            str_append(&first_how, str_text(&how));
    }
    if (pass->variants.len == 0)
        pass->left_out = arena_printf(&maker->catalogue->arena, "is refused: %s", str_text(&first_how));
    return true;
}

static bool make(Maker *maker, Error *err) {
    CLEANUP(mem_freep) char *empty = path_of(maker->dir, "empty.ll");
    if (!file_write_text(empty, "target triple = \"x86_64-pc-linux-gnu\"\ndefine void @f() {\n  ret void\n}\n", err) ||
        !read_names(maker, err) || !read_production(maker, err) || !write_programs(maker, err))
        return false;
    for (size_t i = 0; i < maker->catalogue->passes.len; i++) {
        CataloguePass *pass = &maker->catalogue->passes.items[i];
        console_status(maker->console, "trying the passes of %s, once: %zu of %zu", maker->catalogue->opt, i + 1,
                       maker->catalogue->passes.len);
        if (!pass->left_out && !screen(maker, pass, err))
            return error_context(err, "cannot try the pass %s", pass->name);
    }
    return true;
}

/* --- Opening --- */

/* The catalogue's file, named by what it was made from: path, size and time of change of opt, and of the library
 * beside it. */
static bool cache_path(const char *opt, const char *cache_dir, Str *ret_path, Error *err) {
    struct stat program, library = {0};
    CLEANUP(str_release) Str key = {0}, dir = {0}, beside = {0};
    if (stat(opt, &program) != 0)
        return error_errno(err, "cannot find %s", opt);
    str_append_n(&beside, opt, (size_t)(path_name(opt) - opt));
    str_append(&beside, "../lib/libLLVM.so");
    if (stat(beside.data, &library) != 0)
        library = (struct stat){0};
    str_printf(&key, "%d %s %lld %lld %lld %lld", CACHE_VERSION, opt, (long long)program.st_size,
               (long long)program.st_mtime, (long long)library.st_size, (long long)library.st_mtime);
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache_dir)
        str_append(&dir, cache_dir);
    else if (cache && *cache)
        str_printf(&dir, "%s/culprit", cache);
    else
        str_printf(&dir, "%s/.cache/culprit", home ? home : "/tmp");
    char name[HASH_TEXT_SIZE];
    hash_text(hash_bytes(key.data, key.len), name);
    str_printf(ret_path, "%s/passes-%s.json", dir.data, name);
    return dir_make(dir.data, err);
}

bool catalogue_open(Runner *runner, const char *opt, const char *cache_dir, Console *console, Catalogue **ret_catalogue,
                    Error *err) {
    CLEANUP(str_release) Str program = {0}, cache = {0};
    CLEANUP(json_freep) Json *stored = NULL;
    bool keeps = !cache_dir || *cache_dir;
    if (!path_find_program(opt, &program, err) || (keeps && !cache_path(program.data, cache_dir, &cache, err)))
        return false;
    /* A damaged cache is as good as none. */
    if (keeps && file_exists(cache.data) && json_read_file(cache.data, &stored, NULL) &&
        catalogue_from_json(stored, ret_catalogue, NULL))
        return true;

    CLEANUP(catalogue_freep) Catalogue *catalogue = mem_zalloc(1, sizeof(*catalogue));
    CLEANUP(scratch_release) Scratch scratch = {0};
    if (!scratch_new(&scratch, err))
        return false;
    catalogue->opt = arena_strdup(&catalogue->arena, program.data);
    Maker maker = {.runner = runner, .console = console, .catalogue = catalogue, .dir = scratch.path};
    bool ok = ask_opt(&maker, (const char *const[]){"--version", NULL}, err);
    if (ok) {
        const char *version = strstr(str_text(&maker.result.out), "LLVM version ");
        version = version ? version + strlen("LLVM version ") : "unknown";
        catalogue->version = arena_strndup(&catalogue->arena, version, strcspn(version, " \n"));
    }
    ok = ok && make(&maker, err);
    console_status_end(console);
    strlist_release(&maker.programs);
    proc_result_release(&maker.result);
    if (!ok)
        return error_context(err, "cannot list the passes of %s", program.data);
    CLEANUP(json_freep) Json *json = catalogue_to_json(catalogue);
    if (keeps && !json_write_file(cache.data, json, err))
        return false;
    *ret_catalogue = catalogue;
    catalogue = NULL;
    return true;
}
