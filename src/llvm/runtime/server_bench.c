/* The workbench: a module that is edited at requests, one line each. */
#include "llvm/runtime/server_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void reply(FILE *replies, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(replies, format, arguments);
    va_end(arguments);
    fputc('\n', replies);
    if (fflush(replies) != 0)
        exit(0); /* nobody listens any more */
}

/* "try SLOT LEVEL RULE FROM TO PASSES"; RULE "-": no edit. */
static void try_request(const char *line, FILE *replies) {
    char rule[64];
    size_t slot;
    int used = 0;
    Node node = {.parent = -1};
    if (sscanf(line, "try %zu %d %63s %zu %zu %n", &slot, &node.level, rule, &node.from, &node.to, &used) != 5 ||
        slot >= server.node_count || node.level < -1 || node.level >= LEVELS)
        server_give_up("the workbench got a wrong request: %s%s", line, "");
    node.rule = edit_rule(rule);
    node.passes = line + used;
    server.nodes[slot] = node;
    server.results[slot] = (ServerResult){.same_as = -1};
    server_run_child(JOB_NODE, slot, slot, &server.results[slot]);
    reply(replies, "ok");
}

void server_serve(const char *requests_path, const char *replies_path) {
    FILE *requests = fopen(requests_path, "re"), *replies = fopen(replies_path, "we");
    char *line = NULL, name[64];
    size_t size = 0, from, to;
    const LlvmApi *llvm = &server.llvm;
    if (!requests || !replies)
        server_give_up("cannot open the pipes of the workbench: %s%s", strerror(errno), "");
    server.edit = (Edit){.llvm = llvm,
                         .module = server.module,
                         .builder = llvm->LLVMCreateBuilderInContext(llvm->LLVMGetModuleContext(server.module)),
                         .machine = server.pass_machine,
                         .options = server.options};
    reply(replies, "ok");
    while (getline(&line, &size, requests) > 0) {
        line[strcspn(line, "\n")] = '\0';
        const EditRule *rule = NULL;
        if (strncmp(line, "try ", 4) == 0) {
            try_request(line, replies);
        } else if (sscanf(line, "count %63s", name) == 1 && (rule = edit_rule(name))) {
            reply(replies, "ok %zu", edit_count(&server.edit, rule));
        } else if (sscanf(line, "keep %63s %zu %zu", name, &from, &to) == 3 && (rule = edit_rule(name))) {
            edit_apply(&server.edit, rule, from, to);
            reply(replies, "ok %zu", edit_size(&server.edit));
        } else if (strncmp(line, "write ", 6) == 0) {
            char *message = NULL;
            bool failed = llvm->LLVMPrintModuleToFile(server.module, line + 6, &message);
            reply(replies, failed ? "error %s" : "ok", message);
        } else {
            reply(replies, "error the workbench does not know '%s'", line);
        }
    }
    _exit(0);
}
