#!/bin/bash
# Runs make targets one after the other and says how long each took. A failed
# one does not keep the next from running, unless that needs it; the last line
# names what failed.
#
#   phases.sh TARGET…      e.g. phases.sh test-deps lint unit
set -uo pipefail
cd "$(dirname "$0")/.."

# Without these nothing else can pass.
first=" test-deps sandbox "

took=() failed=()
for target in "$@"; do
  begin=$SECONDS
  echo "== $target"
  "${MAKE:-make}" --no-print-directory "$target"
  code=$?
  took+=("$target $((SECONDS - begin)) s")
  if [ $code -ne 0 ]; then
    failed+=("$target")
    if [ $code -ge 128 ] || [[ $first == *" $target "* ]]; then break; fi
  fi
done

printf -v line '%s, ' "${took[@]}"
echo "== $SECONDS s: ${line%, }"
if [ ${#failed[@]} -gt 0 ]; then
  echo "FAILED: ${failed[*]}" >&2
  exit 1
fi
echo "PASSED: $*"
