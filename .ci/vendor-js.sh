#!/bin/bash
# Fetches the JavaScript of others that is embedded, as the VENDOR files say:
#
#   file | npm package@version | path in it | sha256
#
# A file whose content is another than the VENDOR file's is not taken. Needs npm,
# which the build and the tests do not.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v npm >/dev/null || { echo "vendor-js needs npm, of Node.js" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find . -name VENDOR -not -path './bin/*' | while read -r list; do
  dir=$(dirname "$list")
  grep -v '^#' "$list" | while IFS='|' read -r file package path sum; do
    file=$(echo $file) package=$(echo $package) path=$(echo $path) sum=$(echo $sum)
    # npm checks what it fetches against the registry's own digest.
    archive=$work/$(npm pack --silent --pack-destination "$work" "$package" </dev/null)
    tar -xzOf "$archive" "package/$path" > "$work/file"
    if ! echo "$sum  $work/file" | sha256sum --check --status; then
      echo "$package: $path is not what $list says" >&2
      exit 1
    fi
    mv "$work/file" "$dir/$file"
    echo "$dir/$file: $package, $path"
  done
done
