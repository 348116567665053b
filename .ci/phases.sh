#!/bin/bash
# Runs make targets one after the other and says how long each took. A failed
# one does not keep the next from running, unless that needs it; the last lines
# name what failed and why, since a log of thousands of lines is often cut.
#
#   phases.sh TARGET…      e.g. phases.sh test-deps lint unit
set -uo pipefail
cd "$(dirname "$0")/.."

# Without these nothing else can pass.
first=" test-deps sandbox "

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# why picks from a log of tests what says how they failed.
why() {
  grep -E '^ *--- FAIL|_test\.go:[0-9]+:|^FAIL|^panic:|DATA RACE|^make.*\*\*\*' "$log" | cut -c -300 | head -n 60
}

took=() failed=() reasons=()
for target in "$@"; do
  begin=$SECONDS
  echo "== $target"
  "${MAKE:-make}" --no-print-directory "$target" 2>&1 | tee "$log"
  code=${PIPESTATUS[0]}
  took+=("$target $((SECONDS - begin)) s")
  if [ $code -ne 0 ]; then
    failed+=("$target")
    reasons+=("$(why)")
    if [ $code -ge 128 ] || [[ $first == *" $target "* ]]; then break; fi
  fi
done

printf -v line '%s, ' "${took[@]}"
echo "== $SECONDS s: ${line%, }"
if [ ${#failed[@]} -gt 0 ]; then
  for i in "${!failed[@]}"; do
    printf '== %s failed:\n%s\n' "${failed[i]}" "${reasons[i]}"
  done >&2
  echo "FAILED: ${failed[*]}" >&2
  exit 1
fi
echo "PASSED: $*"
