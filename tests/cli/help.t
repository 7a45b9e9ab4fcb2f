#!/usr/bin/env bash
# The dispatcher: help, suggestions, exit statuses, the manual page and completions.
. "$(dirname "$0")/lib.sh"

run "$culprit"; status_is "no arguments: help" 0; has "it lists commands" "$out" "explain a command"
run "$culprit" --help; status_is "--help" 0
run "$culprit" --version; has "--version" "$out" "culprit "
run "$culprit" help help; has "help COMMAND has examples" "$out" "Examples"
run "$culprit" hlep; status_is "an unknown command is a usage error" 2; has "it gets a suggestion" "$err" "did you mean 'help'"
run "$culprit" help --complet; has "an unknown option gets a suggestion" "$err" "--completion"
run "$culprit" help --completion tcsh; status_is "a bad choice is a usage error" 2; has "it names the choices" "$err" "bash|zsh|fish"
run "$culprit" help -j x; has "a bad number is explained" "$err" "not a whole number"
run "$culprit" help --seed; has "a missing value is explained" "$err" "--seed needs a value"
run "$culprit" help a b; status_is "too many operands" 2
run "$culprit" --nonsense; status_is "an unknown option before the command" 2
run env NO_COLOR= "$culprit" --color=always nonsense; has "--color=always colours" "$err" $'\033['
run "$culprit" nonsense; lacks "no colour off terminals" "$err" $'\033['

for command in $("$culprit" | awk '/^  [a-z]+ / { print $1 }'); do
    run "$culprit" help "$command"; has "help of $command shows its usage" "$out" "usage: culprit $command"
    same "its lines fit a terminal" "$(grep -v ^usage: <<<"$out" | awk 'length($0) > 80')" ""
    run "$culprit" "$command" --help; status_is "culprit $command --help" 0
done

"$culprit" help --man >"$tmp/culprit.1"
run man --warnings -E UTF-8 -l "$tmp/culprit.1"; same "the manual page has no warnings" "$err" ""
has "it has every section" "$out" "EXIT STATUS"
MANWIDTH=80 man -E UTF-8 -l "$tmp/culprit.1" >"$tmp/page"
same "no request of troff shows" "$(grep -E '^ *\.|\.(fi|nf|PP|TP|SS)$' "$tmp/page")" ""
same "its lines fit a terminal" "$(awk 'length($0) > 80' "$tmp/page")" ""
has "quotes of examples are those that a shell knows" "$(cat "$tmp/page")" "jq -r '.bugs[].directory'"
same "options have their values" "$(grep -cxE ' +--cc "CMD FLAGS"' "$tmp/page")" 1
examples=$(for command in $("$culprit" | awk '/^  [a-z]+ / { print $1 }'); do "$culprit" help "$command" | sed '1,/^Examples$/d'; done)
same "examples are verbatim" "$(grep -vxFf <(sed 's/^       //' "$tmp/page") <<<"$examples")" ""
if command -v mandoc >/dev/null; then same "mandoc has no complaint but of style" "$(mandoc -T lint -W warning "$tmp/culprit.1")" ""
else skip "mandoc has no complaint but of style" "no mandoc here"; fi
"$culprit" help --completion bash >"$tmp/culprit.bash"
check "the completion for bash parses" bash -n "$tmp/culprit.bash"
completed=$(bash -c '. "$1"; COMP_WORDS=(culprit he); COMP_CWORD=1; _culprit; echo "${COMPREPLY[*]}"' _ "$tmp/culprit.bash")
same "bash completes a command" "$completed" help
completed=$(bash -c '. "$1"; COMP_WORDS=(culprit help --completion z); COMP_CWORD=3; _culprit; echo "${COMPREPLY[*]}"' _ "$tmp/culprit.bash")
same "bash completes a choice" "$completed" zsh
for shell in zsh fish; do
    "$culprit" help --completion $shell >"$tmp/completion"
    if command -v $shell >/dev/null; then check "the completion for $shell parses" $shell -n "$tmp/completion"
    else skip "the completion for $shell parses" "no $shell here"; fi
done

# What is missing in the world is a failure, what is missing on the command line a usage error, whichever command it is.
mkdir "$tmp/empty" "$tmp/broken"; echo '{' >"$tmp/broken/bug.json"; echo 'int main(void) { return 0; }' >"$tmp/a.c"
for command in replay triage reduce isolate report bugs "bench --subject stock:gcc --method diwi"; do
    for path in absent empty broken; do
        run "$culprit" $command "$tmp/$path" --color=never; status_is "${command%% *} of a path without a bug, $path" 3
        case $path in empty) has "it says what to give" "$err" ": give a " ;; esac
    done
done
for command in reduce isolate; do
    run "$culprit" $command "$tmp/a.c"; status_is "$command of a file lacks how it fails" 2; has "it says so" "$err" " --fail "
done

"$culprit" help >/dev/full 2>"$tmp/full"; same "a full disk is a failure" $? 3
done_testing
