#include "campaign/status.h"

#include "base/units.h"

void status_append_kinds(Str *str, const Map *kinds) {
    const char *separator = "";
    for (size_t i = 0; i < kinds->len; i++)
        if (kinds->entries[i].value) {
            str_printf(str, "%s%llu %s", separator, (unsigned long long)kinds->entries[i].value, kinds->entries[i].key);
            separator = ", ";
        }
}

/* Shares of the CPU time of everything that was started. */
static void append_shares(Str *str, const CampaignSummary *summary) {
    double all = (double)(summary->generate_us + summary->compile_us + summary->run_us);
    if (all > 0)
        str_printf(str, " · generate %.1f%% compile %.0f%% run %.0f%%", 100.0 * (double)summary->generate_us / all,
                   100.0 * (double)summary->compile_us / all, 100.0 * (double)summary->run_us / all);
}

static void append_left(Str *str, const CampaignStatus *status) {
    if (status->stopping) {
        str_append(str, " · finishing; interrupt again to stop at once");
        return;
    }
    if (status->left_count != UINT64_MAX) {
        str_append(str, " · ");
        units_format_count(str, status->left_count);
        str_append(str, " tests left");
    }
    if (status->left_ms == 0)
        str_append(str, " · finishing");
    if (status->left_ms > 0) {
        str_append(str, " · ");
        units_format_duration(str, status->left_ms / 1000 * 1000);
        str_append(str, " left");
    }
}

void status_show(Console *console, const CampaignStatus *status, const CampaignSummary *summary, int64_t now_ms) {
    if (!console_status_due(console))
        return;
    CLEANUP(str_release) Str text = {0};
    CLEANUP(str_release) Str kinds = {0};
    double seconds = (double)MAX_OF(now_ms - status->start_ms, 1) / 1000;
    units_format_count(&text, summary->all_tests);
    status_append_kinds(&kinds, status->kinds);
    str_append(&text, " tests");
    if (summary->sequences) {
        str_append(&text, " · ");
        units_format_count(&text, summary->sequences);
        str_append(&text, " sequences");
    }
    str_printf(&text, " · %.2f/s · bugs: %s",
               (double)(summary->sequences ? summary->sequences : summary->tests) / seconds,
               kinds.len ? str_text(&kinds) : "none yet");
    append_shares(&text, summary);
    if (status->steps_waiting)
        str_printf(&text, " · %zu steps waiting", status->steps_waiting);
    if (status->doing)
        str_printf(&text, " · %s", status->doing);
    append_left(&text, status);
    console_status(console, "%s", str_text(&text));
}
