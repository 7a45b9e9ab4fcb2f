# What fixes changed, from GCC's ChangeLogs: lines "PR file function", one for each function, "-" for the file itself.
#
#   awk -v folder=gcc/c -f changes.awk gcc/c/ChangeLog
#   awk -v folder=gcc/testsuite -v only='New test' -f changes.awk gcc/testsuite/ChangeLog
#
# An entry begins with a date at the margin. Its items are "* file, file (function, function): text" and go on with
# "(function): text" on lines of their own. With `only`, items count whose text matches, and "Likewise" after such a one.

function finish(   p, f, i, n, names) {
    for (p in prs) for (f in files) {
        print p, f, "-"
        n = split(functions[f], names, " ")
        for (i = 1; i <= n; i++) print p, f, names[i]
    }
    delete prs; delete files; delete functions; item = ""
}
function take(   head, list, n, i, words, group, name) { # one item, in `item`
    if (item == "") return
    if (item !~ /Likewise|Ditto/) wanted = item ~ only
    if (!wanted) { item = ""; return }
    head = item; sub(/^\* */, "", head)
    list = head; sub(/[ ]*[(:<].*/, "", list); gsub(/,/, " ", list)
    n = split(list, words, /[ \t]+/)
    delete named
    for (i = 1; i <= n; i++) if (words[i] ~ /\.[a-zA-Z]+$/) { named[folder "/" words[i]]; files[folder "/" words[i]] }
    while (match(head, /\([A-Za-z_][A-Za-z0-9_:~, ]*\)[:, (]/)) {
        group = substr(head, RSTART + 1, RLENGTH - 3); head = substr(head, RSTART + RLENGTH)
        gsub(/,/, " ", group)
        for (name in named) functions[name] = functions[name] " " group
    }
    item = ""
}
/^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]/ { take(); finish(); next }
{
    line = $0
    while (match(line, /PR [a-z0-9+-]+\/[0-9]+/)) {
        pr = substr(line, RSTART, RLENGTH); sub(/.*\//, "", pr); prs["pr" pr]; line = substr(line, RSTART + RLENGTH)
    }
}
/^\t\* / { take(); item = substr($0, 2); next }
/^[ \t]*$/ { take(); next }
item != "" { sub(/^[ \t]+/, ""); item = item " " $0 }
END { take(); finish() }
