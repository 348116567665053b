#!/bin/bash
# Runs every fuzz target of the repository for a while, one after the other.
#
#   fuzz.sh [TIME]   e.g. 10s (the default), 5m
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
go=${GO:-go}

grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n 1 dirname | sort -u | while read -r dir; do
  grep -rhoE '^func Fuzz\w+' "$dir"/*_test.go | sed 's/^func //' | sort -u | while read -r target; do
    echo "fuzz $target in $dir for $time"
    "$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$dir" </dev/null
  done
done
