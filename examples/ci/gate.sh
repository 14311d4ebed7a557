#!/usr/bin/env bash
# Compares two builds of a worker side by side and says whether the second is slower than allowed.
# Usage: gate.sh BEFORE AFTER [option of `transformeter compare --live`]...
#   BEFORE, AFTER   worker programs
# From the environment:
#   TRANSFORMETER   the command [transformeter]
#   FAIL_IF         the condition [latency > +3%]
#   UNDECIDED       pass or fail: what an undecided comparison is [pass]
#   GITHUB_STEP_SUMMARY   a file that gets the tables too; GitHub sets it
# Exit codes: 0 passed, 1 failed, or a worker did, 3 bad input, 130 interrupted. gate.xml is JUnit, gate.db holds what was measured.
set -euo pipefail

[ $# -ge 2 ] || { echo "gate: name two workers: gate.sh BEFORE AFTER [option]..." >&2; exit 3; }
before=$1 after=$2
shift 2
condition=${FAIL_IF:-latency > +3%}
case ${UNDECIDED:=pass} in pass | fail) ;; *) echo "gate: UNDECIDED is pass or fail, not '$UNDECIDED'" >&2; exit 3 ;; esac

rm -f gate.md gate.xml  # of an earlier call
code=0
"${TRANSFORMETER:-transformeter}" compare --live "worker=$before" "worker=$after" --fail-if "$condition" --store gate.db \
  --format markdown -o gate.xml "$@" >gate.md || code=$?
[ ! -s gate.md ] || { cat gate.md; [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat gate.md >>"$GITHUB_STEP_SUMMARY"; }
case $code in
  0) echo "gate: passed" ;;
  2)
    echo "gate: undecided; a longer --time-budget decides more"
    [ "$UNDECIDED" = pass ] || exit 1
    ;;
  *) exit "$code" ;;
esac
