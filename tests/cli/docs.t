#!/usr/bin/env bash
# What a newcomer reads first leads somewhere: links to files and headings, commands, no path outside the project.
. "$(dirname "$0")/lib.sh"
cd "$(dirname "$0")/../.." || exit 1

# Headings of a document as its anchors are written: lower case, no punctuation, dashes for spaces.
anchors() { sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }
# Every relative link FILE#ANCHOR of a document, one a line.
links() { grep -oE '\]\([^)]+\)' "$1" | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:'; }

documents=(README.md CONTRIBUTING.md CHANGELOG.md docs/*.md)
for document in "${documents[@]}"; do
    broken=
    while read -r link; do
        file=${link%%#*} anchor=
        case $link in *'#'*) anchor=${link#*#} ;; esac
        path=$(dirname "$document")/$file
        [ -n "$file" ] || path=$document
        [ -e "$path" ] || { broken+="$link "; continue; }
        [ -z "$anchor" ] || anchors "$path" | grep -qxF -e "$anchor" || broken+="$link "
    done < <(links "$document")
    same "the links of $document lead somewhere" "$broken" ""
done
check "links are found at all" test "$(links README.md | wc -l)" -gt 10
for document in docs/*.md; do has "the README links $document" "$(links README.md)" "$document"; done
same "the README names no path outside the project" "$(grep -nF '../' README.md)" ""

commands=" $("$culprit" help | awk '/^  [a-z]+ / { print $1 }' | tr '\n' ' ')"
named=$({ grep -oE '[`$] ?culprit [a-z]+' README.md | sed 's/.*culprit //'
    sed -n 's/^| \(`culprit [^|]*\)|.*/\1/p' README.md | grep -oE '`[a-z]+`' | tr -d '`'; } | sort -u)
check "the README names commands" test "$(wc -l <<<"$named")" -ge 10
for command in $named; do has "culprit $command exists" "$commands" " $command "; done
done_testing
