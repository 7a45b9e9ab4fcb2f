# For TAP scripts: `. "$(dirname "$0")/lib.sh"` first, checks, `done_testing` last.
# $culprit is the binary, $tmp a scratch directory removed at the end.
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
culprit=$BUILD/culprit
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=0

pass() { count=$((count + 1)); echo "ok $count - $1"; }
fail() { count=$((count + 1)); echo "not ok $count - $1"; shift; [ $# = 0 ] || printf '%s\n' "$@" | sed 's/^/# /'; }
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }

# check NAME COMMAND...: the command succeeds.
check() { local name=$1; shift; if "$@" >"$tmp/.out" 2>&1; then pass "$name"; else fail "$name" "status $? of: $*" "$(tail -n 20 "$tmp/.out")"; fi; }

# run COMMAND...: keeps $status, $out and $err for the checks that follow.
run() { status=0; "$@" >"$tmp/.out" 2>"$tmp/.err" </dev/null || status=$?; out=$(cat "$tmp/.out"); err=$(cat "$tmp/.err"); }
status_is() { [ "$status" = "$2" ] && pass "$1" || fail "$1" "status $status, expected $2" "$out" "$err"; }
same() { [ "$2" = "$3" ] && pass "$1" || fail "$1" "got:      $2" "expected: $3"; }
has() { case $2 in *"$3"*) pass "$1" ;; *) fail "$1" "'$3' is not in:" "$2" ;; esac; }
lacks() { case $2 in *"$3"*) fail "$1" "'$3' is in:" "$2" ;; *) pass "$1" ;; esac; }

done_testing() { echo "1..$count"; }
