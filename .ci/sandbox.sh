#!/bin/bash
# Says whether Chromium can run here with its sandbox. Every test with a real
# browser would fail in its own words; this one names the cure.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$(mktemp)
trap 'rm -f "$program"' EXIT
"${GO:-go}" build -o "$program" ./sidecar
report=$("$program" doctor) || true # it also looks at what tests can do without
echo "$report"
if ! grep -q '^\[ok\] *sandbox:' <<<"$report"; then
  echo "Chromium's sandbox does not work here, and the tests do not run without it." >&2
  echo "In a container, see the end of sidecar/docs/container.md." >&2
  exit 1
fi
