#!/bin/bash
# Runs every fuzz target of the repository for a while, one after the other.
#
#   fuzz.sh [TIME]   e.g. 2s (the default), 5m
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-2s}
go=${GO:-go}

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Making an input that is merely new smaller may take a minute each, in which
# nothing else is tried.
minimize=20x

one() { # DIR TARGET
  echo "fuzz $2 in $1 for $time"
  if "$go" test -vet=off -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime "$minimize" "$1" >"$log" 2>&1 </dev/null; then
    tail -n 1 "$log"
    return
  fi
  cat "$log"
  # On a busy machine the fuzzer now and then reports its own deadline as a
  # failure. A real one names the input that it has written down.
  if grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input written' "$log"; then
    echo "only the fuzzer's own deadline; going on"
    return
  fi
  return 1
}

grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n 1 dirname | sort -u >"$log.dirs"
trap 'rm -f "$log" "$log.dirs"' EXIT
while read -r dir; do
  for target in $(grep -rhoE '^func Fuzz\w+' "$dir"/*_test.go | sed 's/^func //' | sort -u); do
    one "$dir" "$target"
  done
done <"$log.dirs"
