/* Asking compilers who they are.
 *
 * One probe answers for every compiler, known or not, native or cross: a source file whose initialised data spells the
 * facts (sizes, signedness, the predefined macros that tell the family) behind a marker. It is compiled to an object
 * file, and the marker is looked up in its bytes; nothing has to run. Version and target texts come from the usual
 * options where the compiler knows them.
 */
#include "compiler/compiler.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/execute.h"
#include "compiler/identify.h"
#include "proc/scratch.h"

#define PROBE_MARKER "CULPRIT-FACTS:"
#define PROBE_WALL_MS 20000

/* The order of the digits behind the marker is that of enum Fact. `extern` first: C++ would drop a const otherwise. */
static const char probe_source[] =
    "#if defined __INTEL_COMPILER\n"
    "#define F 0\n#define A 0\n#define B 0\n#define C 0\n"
    "#elif defined __clang__\n"
    "#define F 2\n#define A __clang_major__\n#define B __clang_minor__\n#define C __clang_patchlevel__\n"
    "#elif defined __TINYC__\n"
    "#define F 3\n#define A (__TINYC__ / 10000)\n#define B (__TINYC__ / 100 % 100)\n#define C (__TINYC__ % 100)\n"
    "#elif defined __PCC__\n"
    "#define F 4\n#define A __PCC__\n#define B __PCC_MINOR__\n#define C __PCC_MINORMINOR__\n"
    "#elif defined __GNUC__\n"
    "#define F 1\n#define A __GNUC__\n#define B __GNUC_MINOR__\n#define C __GNUC_PATCHLEVEL__\n"
    "#else\n"
    "#define F 0\n#define A 0\n#define B 0\n#define C 0\n"
    "#endif\n"
    "#define D(n) (char)('0' + (n) / 10 % 10), (char)('0' + (n) % 10)\n"
    "extern const char culprit_facts[];\n"
    "const char culprit_facts[] = {'C','U','L','P','R','I','T','-','F','A','C','T','S',':',\n"
    "  D(sizeof(short)), D(sizeof(int)), D(sizeof(long)), D(sizeof(long long)), D(sizeof(void *)),\n"
    "  D((char)-1 < 0), D(F), D(A), D(B), D(C), 0};\n";

enum Fact { FACT_SHORT, FACT_INT, FACT_LONG, FACT_LONG_LONG, FACT_POINTER, FACT_SIGNED, FACT_FAMILY, FACT_VERSION };
#define FACT_COUNT (FACT_VERSION + 3)

static const char *const family_names[] = {"other", "gcc", "clang", "tcc", "pcc", "opt", "llc"};
static const char *const language_names[] = {"c", "c++", "llvm-ir"};

const char *compiler_family_name(CompilerFamily family) { return family_names[family]; }
const char *language_name(Language language) { return language_names[language]; }

bool language_parse(const char *name, Language *ret_language, Error *err) {
    for (size_t i = 0; i < ARRAY_LEN(language_names); i++) {
        if (str_equal(name, language_names[i])) {
            *ret_language = (Language)i;
            return true;
        }
    }
    return error_set(err, "unknown language \"%s\": use c, c++ or llvm-ir", name);
}

Language language_of_file(const char *name) {
    static const char *const cxx[] = {".cc", ".cpp", ".cxx", ".C", ".c++", ".hpp", ".hh"};
    for (size_t i = 0; i < ARRAY_LEN(cxx); i++) {
        if (str_ends(name, cxx[i]))
            return LANGUAGE_CXX;
    }
    return str_ends(name, ".ll") || str_ends(name, ".bc") ? LANGUAGE_LLVM_IR : LANGUAGE_C;
}

/* --- Probing --- */

/* Runs the compiler with further arguments; false where it cannot be started. */
static bool ask(Runner *runner, const StrList *command, const char *const *more, const char *dir,
                ProcResult *ret_result, Error *err) {
    CLEANUP(strlist_release) StrList argv = {0};
    strlist_add_all(&argv, command);
    for (; *more; more++)
        strlist_add(&argv, *more);
    const CompilerRun options = {.limits = {.wall_ms = PROBE_WALL_MS}, .merge_output = true};
    return compiler_run(runner, dir, &argv, &options, ret_result, err);
}

/* The first line of an answer, where the question was understood. */
static char *ask_line(Runner *runner, const StrList *command, const char *option, const char *dir) {
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (!ask(runner, command, (const char *const[]){option, NULL}, dir, &result, NULL) || !proc_ok(&result))
        return mem_strdup("");
    str_truncate(&result.out, strcspn(str_text(&result.out), "\n"));
    str_trim(&result.out);
    return mem_strdup(str_text(&result.out));
}

static bool read_facts(const Str *object, Compiler *compiler) {
    const char *at = memmem(object->data, object->len, PROBE_MARKER, strlen(PROBE_MARKER));
    if (!at || object->data + object->len - at < (ptrdiff_t)(strlen(PROBE_MARKER) + 2 * FACT_COUNT))
        return false;
    at += strlen(PROBE_MARKER);
    int fact[FACT_COUNT];
    for (size_t i = 0; i < FACT_COUNT; i++)
        fact[i] = (at[2 * i] - '0') * 10 + at[2 * i + 1] - '0';
    compiler->model = (DataModel){
        .short_size = (uint8_t)fact[FACT_SHORT],
        .int_size = (uint8_t)fact[FACT_INT],
        .long_size = (uint8_t)fact[FACT_LONG],
        .long_long_size = (uint8_t)fact[FACT_LONG_LONG],
        .pointer_size = (uint8_t)fact[FACT_POINTER],
        .char_signed = fact[FACT_SIGNED] != 0,
        .little_endian = true,
    };
    compiler->family = (CompilerFamily)fact[FACT_FAMILY];
    memcpy(compiler->version, &fact[FACT_VERSION], sizeof compiler->version);
    return true;
}

/* Machine and byte order of an ELF file; false for other formats. */
static bool read_elf(const Str *file, unsigned *ret_machine, bool *ret_little) {
    if (file->len < sizeof(Elf32_Ehdr) || memcmp(file->data, ELFMAG, SELFMAG) != 0)
        return false;
    const unsigned char *bytes = (const unsigned char *)file->data;
    *ret_little = bytes[EI_DATA] == ELFDATA2LSB;
    *ret_machine = *ret_little ? bytes[18] | bytes[19] << 8 : bytes[19] | bytes[18] << 8;
    return true;
}

/* Whether programs for the object's machine run here: same machine as ours, or the 32-bit one of the same family. */
static void read_machine(const Str *object, Compiler *compiler) {
    CLEANUP(str_release) Str own = {0};
    unsigned machine, own_machine;
    bool own_little;
    if (!read_elf(object, &machine, &compiler->model.little_endian) || !file_read("/proc/self/exe", &own, NULL) ||
        !read_elf(&own, &own_machine, &own_little))
        return;
    compiler->cross = machine != own_machine && !(machine == EM_386 && own_machine == EM_X86_64);
}

/* Compiles the probe and reads what it says. */
static bool probe_object(Runner *runner, Compiler *compiler, const char *dir, Error *err) {
    const char *source = compiler->language == LANGUAGE_CXX ? "probe.cc" : "probe.c";
    CLEANUP(mem_freep) char *source_path = path_of(dir, source);
    CLEANUP(mem_freep) char *object_path = path_of(dir, "probe.o");
    CLEANUP(proc_result_release) ProcResult result = {0};
    CLEANUP(str_release) Str object = {0};
    if (!file_write_text(source_path, probe_source, err) ||
        !ask(runner, &compiler->command, (const char *const[]){"-c", source, "-o", "probe.o", NULL}, dir, &result, err))
        return false;
    if (!proc_ok(&result)) {
        str_trim(&result.out);
        return error_set(err, "it does not compile a small program: %.400s", str_text(&result.out));
    }
    if (!file_read(object_path, &object, err))
        return false;
    if (!read_facts(&object, compiler))
        return error_set(err, "its object files do not hold the data of the source; is it a compiler?");
    read_machine(&object, compiler);
    return true;
}

bool compiler_read_command(const char *text, StrList *ret_words, Error *err) {
    CLEANUP(str_release) Str path = {0};
    if (!strlist_split_shell(ret_words, text, err))
        return false;
    if (ret_words->len == 0 || *ret_words->items[0] == '-' || !strchr(ret_words->items[0], '/'))
        return true;
    if (!path_absolute(ret_words->items[0], &path, err))
        return false;
    free(ret_words->items[0]);
    ret_words->items[0] = str_detach(&path);
    return true;
}

bool compiler_probe(Runner *runner, const StrList *command, Language language, Compiler **ret_compiler, Error *err) {
    if (command->len == 0)
        return error_set(err, "a compiler's command is empty; name one, as in --cc gcc");
    CLEANUP(compiler_freep) Compiler *compiler = mem_zalloc(1, sizeof *compiler);
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(str_release) Str path = {0};
    strlist_add_all(&compiler->command, command);
    compiler->language = language;
    if (!path_find_program(command->items[0], &path, err) || !scratch_new(&scratch, err) ||
        !probe_object(runner, compiler, scratch.path, err))
        return error_context(err, "cannot use the compiler %s", command->items[0]);
    compiler->path = str_detach(&path);
    compiler->version_text = ask_line(runner, command, "--version", scratch.path);
    if (!*compiler->version_text) {
        free(compiler->version_text);
        compiler->version_text = ask_line(runner, command, "-v", scratch.path);
    }
    compiler->target = ask_line(runner, command, "-dumpmachine", scratch.path);
    if (compiler->version[0] == 0 && compiler->version[1] == 0) /* one that knows no macros */
        compiler_read_version(compiler->version_text, compiler->version);
    *ret_compiler = TAKE(compiler);
    return true;
}

void compiler_free(Compiler *compiler) {
    if (!compiler)
        return;
    strlist_release(&compiler->command);
    free(compiler->path);
    free(compiler->version_text);
    free(compiler->target);
    free(compiler);
}
