#!/bin/bash
# Kills, starves and repeats for some 20 minutes, and sums up. Everything here is
# a test that `make test` runs in a shorter form; sidecar/docs/reliability.md has
# the list.
set -uo pipefail
cd "$(dirname "$0")/.."
tests='^Test(KillAnything|CyclesLeaveTheHostFlat|ALongSessionStaysFlat|BrowsersSideBySide|ChildrenKilled|PagesThatMisbehave|StartsThatLack|SmallSharedMemory|DiskFull|StartFailures|Stop\w*|SecondSignal|ChromiumKilled|Signals|EndOfStdin|Readers\w*)$'

log=$(mktemp)
trap 'rm -f "$log"' EXIT
PILLION_SOAK=1 "${GO:-go}" test -vet=off -v -count=1 -timeout 40m -run "$tests" ./sidecar 2>&1 |
  tee "$log" | grep --line-buffered -E '^ *(--- |soak:|FAIL|ok|panic|fatal)'
code=$?
passed=$(grep -cE '^ *--- PASS' "$log")
failed=$(grep -cE '^ *--- FAIL' "$log")
if grep -qE '^FAIL|^panic|^fatal' "$log"; then
  code=1
  [ "$failed" -gt 0 ] || failed=1
  grep -vE '^(=== |\s*--- PASS)' "$log" | tail -n 200
fi
echo
grep '^soak:' "$log"
echo "$passed passed, $failed failed"
exit "$code"
