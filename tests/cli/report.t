#!/usr/bin/env bash
# culprit report: pages of a campaign, a bug, an isolation and a benchmark, looked at in a browser; and the server.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

# --- A campaign whose programs and compilers say hostile things ---
hostile='</script><script>document.title="owned"</script><img src=x onerror=alert(1)>'
cat >wrong <<'EOS'
#!/bin/sh
exec tcc -DWRONG "$@"
EOS
cat >icc <<'EOS'
#!/bin/sh
for word; do case $word in *.c) grep -q TRIGGER "$word" && { echo "internal compiler error: in <b onclick='f()'>, at g.c:1" >&2; exit 4; } ;; esac; done
exec tcc "$@"
EOS
chmod +x wrong icc
cat >generate <<'EOS'
#!/bin/sh
cat >a.c <<'EOC'
/* TRIGGER <script>alert(1)</script> */
#include <stdio.h>
#ifdef WRONG
#define TEXT "</script><script>document.title=\"owned\"</script><img src=x onerror=alert(1)>"
#else
#define TEXT "fine"
#endif
int main(void) { puts(TEXT); return 0; }
EOC
echo fine >expected
EOS
chmod +x generate
hunt() { "$culprit" hunt out --cc "$tmp/icc -O2" --cc "$tmp/wrong -O1" --cc tcc -j1 -q "$@" >/dev/null; }
hunt --generator "$tmp/generate" --seed 7 --count 3; same "a campaign with bugs" $? 1

run "$culprit" report out; status_is "a campaign becomes a page" 0; same "in its directory" "$out" out/report.html
run "$culprit" report out -o page.html --json; same "or where the user says" "$(jq -r .page <<<"$out")" page.html
bug=$(ls -d out/bugs/wrong-*-7 | head -n 1)
run "$culprit" report "$bug" -o bug.html; status_is "a bug becomes one" 0
run "$culprit" report nowhere; status_is "nothing there" 3
mkdir empty; run "$culprit" report empty; status_is "neither campaign nor bug" 3; has "it says what to give" "$err" "culprit hunt"
echo '{}' >other.json; run "$culprit" report other.json; status_is "a file of another kind" 3
run "$culprit" report out --serve 99999; status_is "no such port" 2
run "$culprit" report out --serve 0 -o x.html; status_is "served or written, not both" 2

printf '#!/bin/sh\nsleep 0.2\necho "$1" >%s/shown\n' "$tmp" >browser; chmod +x browser
run env BROWSER="$tmp/browser" "$culprit" report out -o page.html --open; status_is "--open starts the browser" 0
for _ in $(seq 50); do [ -s shown ] && break; sleep 0.1; done; same "with the page, and does not wait for it" "$(cat shown)" page.html
run env BROWSER="$tmp/nowhere" "$culprit" report out -o page.html --open; status_is "no such browser" 3; has "the page is named all the same" "$err" page.html
page=$(cat page.html)
lacks "no markup of programs is in the page" "$page" "<img"
same "it has one script, ours" "$(grep -o '<script' page.html | wc -l)" 1
same "it loads nothing" "$(grep -oE ' (src|srcset|background)="|<link|@import|url\(' page.html)" ""

# A bug that names or links files outside its directory does not get them into a page, nor into report.md.
echo "the secret" >secret.c; cp -R "$bug" leak; rm -rf leak/test/*.c; ln -s "$tmp/secret.c" leak/test/a.c; ln -sf "$tmp/secret.c" leak/outputs/actual.txt
jq '.id = "leak" | .fail_cmd += ["../secret.c"]' "$bug/bug.json" >leak/bug.json
run "$culprit" report leak -o leak.html; status_is "a bug with links out of its directory" 0
lacks "does not show what they lead to" "$(cat leak.html)" "the secret"

# An isolation, from its file.
jq -n --arg bad "<script>x</script>" '{bug: $bad, subject: "s", method: "fusion", statistics: {tested: 9, witnesses: 4, covered_files: 3},
    files: [{rank: 1, score: 2.0, file: $bad, evidence: {mutants: 1.0, failing: 0.5}}, {rank: 2, score: 1.0, file: "b.c", evidence: {}}],
    functions: [{rank: 1, score: 2.0, file: $bad, function: "f", line: 3}],
    excerpts: [{file: $bad, function: "f", highest: 2.0, lines: [{line: 3, score: 2.0, text: "int f(void) { return \"<b>\"; }"}]}],
    witnesses: [{change: "line 1", kind: "mutants", similarity: 0.5, diff: "-<a>\n+<b>\n"}],
    history: {witnesses: [1, 2, 4], files: [{file: $bad, ranks: [3, 2, 1]}, {file: "b.c", ranks: [0, 1, 2]}]}}' >suspects.json
run "$culprit" report suspects.json -o isolation.html; status_is "an isolation becomes a page" 0
has "with ranks on the way" "$(cat isolation.html)" "How ranks moved"
has "and annotated lines" "$(cat isolation.html)" 'class="h4"'
lacks "escaped" "$(cat isolation.html)" "<script>x"

# --- The server ---
"$culprit" report out --serve 0 >serve.out 2>serve.err & server=$!
# The browser still writes its profile for a moment when the driver has ended.
trap '[ -z "${session:-}" ] || web DELETE "" >/dev/null; kill $server $driver 2>/dev/null; wait; for _ in 1 2 3 4 5 6 7 8; do rm -rf "$tmp" 2>/dev/null && break; sleep 0.5; done' EXIT
for _ in $(seq 50); do [ -s serve.out ] && break; sleep 0.1; done
address=$(cat serve.out)
code() { curl -s -o answer -w '%{http_code}' --path-as-is "$@"; }
same "the page is served" "$(code "$address")" 200
same "there are no files" "$(code "${address}campaign.db") $(code "${address}../secret.c") $(code "${address}%2e%2e/secret.c")" "404 404 404"
same "other hosts' names are refused" "$(code -H 'Host: rebound.example' "$address") $(code -H 'Host: 127.0.0.1.example:80' "$address")" "403 403"
same "localhost is a name of this machine" "$(code -H "Host: localhost:$(grep -oE '[0-9]+/' <<<"$address" | tr -d /)" "$address")" 200
same "nothing can be sent" "$(code -d x=1 "$address")" 405
has "nobody may frame it" "$(curl -sI -X GET "$address")" "frame-ancestors 'none'"

# --- In a browser ---
if ! command -v chromedriver >/dev/null || ! command -v chromium >/dev/null; then
    skip "pages in a browser" "no chromium and chromium-driver here"; done_testing; exit
fi
chromedriver --port=0 >driver.log 2>&1 & driver=$!
for _ in $(seq 100); do port=$(sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p' driver.log); [ -n "$port" ] && break; sleep 0.1; done
call() { curl -s -X "$1" "http://127.0.0.1:$port$2" -H 'Content-Type: application/json' ${3+-d "$3"}; }
session=$(call POST /session "$(jq -n --arg dir "$tmp/profile" '{capabilities: {alwaysMatch: {browserName: "chrome",
    "goog:loggingPrefs": {browser: "ALL"}, "goog:chromeOptions": {binary: "/usr/bin/chromium", args: ["--headless", "--no-sandbox",
    "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--user-data-dir=" + $dir]}}}}')" | tee session.json | jq -r '.value.sessionId // empty')
if [ -z "$session" ]; then skip "pages in a browser" "no session: $(jq -r .value.message session.json | head -n 1)"; done_testing; exit; fi
web() { call "$1" "/session/$session${2:+/$2}" ${3+"$3"}; }
visit() { web POST url "$(jq -n --arg url "$1" '{url: $url}')" >/dev/null; }
js() { web POST execute/sync "$(jq -n --arg s "$1" '{script: $s, args: []}')" | jq -c .value; }
cdp() { web POST goog/cdp/execute "$(jq -n --arg c "$1" --argjson p "$2" '{cmd: $c, params: $p}')" >/dev/null; }
width() { cdp Emulation.setDeviceMetricsOverride "{\"width\": $1, \"height\": 900, \"deviceScaleFactor\": 1, \"mobile\": false}"; }
messages() { web POST se/log '{"type": "browser"}' | jq -c '[.value[] | .message]'; }

visit "file://$tmp/page.html"
same "the title is ours" "$(js 'return document.title')" '"out · culprit campaign"'
same "a program's markup is text" "$(js "return [...document.querySelectorAll('details.bug pre')].some(p => p.textContent.includes('</script><script>document.title='))")" true
same "no element came of it" "$(js 'return [document.images.length, document.scripts.length, document.querySelectorAll("[onclick],[onerror]").length]')" '[0,1,0]'
same "summary, plots, bugs, matrix and configurations are there" \
    "$(js 'return [document.querySelectorAll(".tile").length >= 4, document.querySelectorAll("svg[role=img][aria-label]").length >= 4,
        document.querySelectorAll("details.bug").length, document.querySelectorAll("table.matrix tbody tr, table.matrix > tr").length,
        document.querySelectorAll("#configurations tr").length]')" '[true,true,2,2,4]'
for page in page bug isolation; do
    visit "file://$tmp/$page.html"
    js 'for (const d of document.querySelectorAll("details")) d.open = true' >/dev/null
    for pixels in 400 1600; do
        width $pixels
        same "$page: nothing overflows at $pixels pixels" \
            "$(js 'return [innerWidth, document.documentElement.scrollWidth <= innerWidth, [...document.querySelectorAll("main *")].filter(e =>
                e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("pre, .scroll, svg")).map(e => e.outerHTML.slice(0, 80))]')" "[$pixels,true,[]]"
    done
done
same "no page has anything to say in the console" "$(messages)" "[]"

visit "file://$tmp/page.html"; width 1200
js 'for (const d of document.querySelectorAll("details.bug")) d.open = true; window.reached = new Set(); addEventListener("focusin", e => reached.add(e.target))' >/dev/null
tabs=$(jq -nc '[range(60) | {type: "keyDown", value: "\ue004"}, {type: "keyUp", value: "\ue004"}]')
web POST actions "{\"actions\": [{\"type\": \"key\", \"id\": \"k\", \"actions\": $tabs}]}" >/dev/null
same "the keyboard reaches everything" "$(js 'const all = [...document.querySelectorAll("a[href], summary, input, select, button, pre, .scroll")].filter(e => e.checkVisibility());
    return [all.length > 20, all.filter(e => !reached.has(e)).map(e => e.outerHTML.slice(0, 90))]')" '[true,[]]'
js 'document.activeElement.blur()' >/dev/null
web POST actions '{"actions": [{"type": "key", "id": "k", "actions": [{"type": "keyDown", "value": "/"}, {"type": "keyUp", "value": "/"},
    {"type": "keyDown", "value": "i"}, {"type": "keyUp", "value": "i"}, {"type": "keyDown", "value": "n"}, {"type": "keyUp", "value": "n"},
    {"type": "keyDown", "value": "t"}, {"type": "keyUp", "value": "t"}, {"type": "keyDown", "value": "e"}, {"type": "keyUp", "value": "e"},
    {"type": "keyDown", "value": "r"}, {"type": "keyUp", "value": "r"}, {"type": "keyDown", "value": "n"}, {"type": "keyUp", "value": "n"},
    {"type": "keyDown", "value": "a"}, {"type": "keyUp", "value": "a"}]}]}' >/dev/null
same "the list filters by text" "$(js 'return [document.querySelectorAll("details.bug:not([hidden])").length, document.querySelector(".filters output").textContent]')" '[1,"1 of 2 bugs"]'
same "and by kind" "$(js 'const f = document.querySelectorAll("[data-filter]"); f[0].value = ""; const k = document.querySelector("[data-filter=kind]"); k.value = "wrong-code";
    k.dispatchEvent(new Event("input")); return [...document.querySelectorAll("details.bug:not([hidden])")].map(d => d.dataset.kind)')" '["wrong-code"]'
same "a link shows the bug, filtered away as it may be" "$(js 'const b = [...document.querySelectorAll("details.bug")].find(d => d.hidden); b.open = false; location.hash = b.id;
    return new Promise(r => setTimeout(() => r([b.hidden, b.open]), 200))')" '[false,true]'
same "a copy button answers" "$(js 'const b = document.querySelector("button.copy"); b.click(); return new Promise(r => setTimeout(() => r(["Copied", "Selected"].includes(b.textContent)), 300))')" true
paper=$(js 'return getComputedStyle(document.body).backgroundColor')
cdp Emulation.setEmulatedMedia '{"features": [{"name": "prefers-color-scheme", "value": "dark"}]}'
dark=$(js 'return getComputedStyle(document.body).backgroundColor')
check "dark is another paper ($paper, $dark)" test "$paper" != "$dark"
cdp Emulation.setEmulatedMedia '{"media": "print", "features": []}'
same "paper has no buttons" "$(js 'return [...document.querySelectorAll(".copy, .filters")].filter(e => e.checkVisibility()).length')" 0
cdp Emulation.setEmulatedMedia '{"media": "", "features": []}'
messages >/dev/null
same "the policy lets no other script in" "$(js 'const s = document.createElement("script"); s.textContent = "window.owned = 1"; document.body.append(s);
    document.body.insertAdjacentHTML("beforeend", "<p id=p style=\"color:red\" onclick=\"window.owned = 2\">x</p>"); document.getElementById("p").click();
    return [window.owned === undefined, getComputedStyle(document.getElementById("p")).color !== "rgb(255, 0, 0)"]')" '[true,true]'
has "and says so" "$(messages)" "Content Security Policy"

# A thousand bugs.
json=$(cat "$bug/bug.json") id=$(basename "$bug")
mkdir -p many/{1..1000}/test
for i in {1..1000}; do echo "int main(void) { return $i; }" >many/$i/test/a.c; echo "${json//$id/bug$i}" >many/$i/bug.json; done
run "$culprit" report many -o many.html; status_is "a thousand bugs become a page" 0
visit "file://$tmp/many.html"
same "they are all there, and one is found" "$(js 'const f = document.querySelector("[data-filter=text]"); f.value = "bug777"; f.dispatchEvent(new Event("input"));
    return [document.querySelectorAll("details.bug").length, document.querySelectorAll("details.bug:not([hidden])").length]')" '[1000,1]'

# A page that is served follows the campaign.
messages >/dev/null
visit "$address"
before=$(js 'return document.querySelectorAll(".tile dd")[2].textContent')
js 'document.querySelector("details.bug").open = true' >/dev/null
hunt --count 2
for _ in $(seq 40); do [ "$(js 'return Number(document.body.dataset.refreshed || 0) > 0')" = true ] && break; sleep 0.25; done
sleep 1.5
same "it follows the campaign, and what was unfolded stays so" \
    "$before $(js 'return document.querySelectorAll(".tile dd")[2].textContent') $(js 'return document.querySelector("details.bug").open')" '"3" "5" true'
same "without a word in the console" "$(messages)" "[]"
web DELETE "" >/dev/null; profile=$tmp/profile session=
for _ in $(seq 40); do pgrep -f "user-data-dir=$profile" >/dev/null || break; sleep 0.1; done
check "no process of the browser is left" test -z "$(pgrep -f "user-data-dir=$profile")"
kill -INT $server; wait $server; same "an interrupt ends the server" $? 0
done_testing
