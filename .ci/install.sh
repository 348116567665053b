#!/bin/bash
# Installs what Pillion needs beside Go: Chromium, its headless shell, its
# sandbox helper and fonts. On Debian it installs what is missing and says so;
# elsewhere it says what to install.
#
#   install.sh           install what is missing
#   install.sh --tests   and what only the tests need
#   install.sh --check   only say what is missing; exit 1 if anything is
set -euo pipefail

check='' tests=''
for option in "$@"; do
  case $option in
    --check) check=1 ;;
    --tests) tests=1 ;;
    *) sed -n '2,8p' "$0"; exit 2 ;;
  esac
done

if ! command -v "${GO:-go}" >/dev/null; then
  echo "Pillion is built with Go 1.26 or later, and there is no Go here: https://go.dev/dl/" >&2
  exit 1
fi

# package | what it is for | packages that serve as well
wanted() {
  cat <<'LIST'
chromium|full Chromium, for headed mode and what the shell lacks|
chromium-headless-shell|the headless shell, which starts faster and needs half the memory|
chromium-sandbox|the sandbox helper for kernels without user namespaces|
fonts-liberation|a Latin font with the usual metrics|
fonts-wqy-microhei|a small Chinese, Japanese and Korean font|fonts-noto-cjk fonts-wqy-zenhei
fonts-noto-color-emoji|emoji|
LIST
  if [ -n "$tests" ]; then
    cat <<'LIST'
gcc|the race detector|
libc6-dev|the race detector|
curl|the session by hand that the README shows|
iproute2|a network with strangers in it|
LIST
    # Only where there is none, of whatever origin.
    command -v python3 >/dev/null || echo "python3|the documentation's program for Python|"
    command -v ruby >/dev/null || echo "ruby|the documentation's program for Ruby|"
  fi
}

has() { dpkg-query -W -f '${Status}\n' "$1" 2>/dev/null | grep -q 'ok installed'; }

elsewhere() { # no Debian: is there a browser at all?
  local b
  for b in chrome-headless-shell chromium-headless-shell chromium chromium-browser google-chrome chrome; do
    if command -v "$b" >/dev/null; then
      echo "This is not Debian; Pillion uses the browser that is here: $(command -v "$b")"
      return 0
    fi
  done
  if [ -d '/Applications/Google Chrome.app' ] || [ -d /Applications/Chromium.app ]; then
    echo "Pillion uses the browser in /Applications."
    return 0
  fi
  cat >&2 <<'TEXT'
Pillion needs a Chromium, and this is not Debian, where it would install one. Please install
  - Chromium or Google Chrome, version 150 or later (for Ubuntu: not the snap, whose confinement
    hides the browser's pipe; the .deb of Google Chrome serves),
  - if you can, chrome-headless-shell of the same version: it needs half the memory,
  - fonts: Liberation, one for Chinese, Japanese and Korean, one for emoji,
and run the command again. "go run ./sidecar doctor" says what is found and what is missing.
TEXT
  return 1
}

debian() { [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-}" = debian ]); }

if ! debian; then
  elsewhere
  exit
fi

missing=()
while IFS='|' read -r package purpose others; do
  found=
  for p in $package $others; do
    if has "$p"; then found=1; fi
  done
  if [ -z "$found" ]; then
    missing+=("$package")
    echo "missing: $package ($purpose)"
  fi
done < <(wanted)

if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
if [ -n "$check" ]; then exit 1; fi

root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Installing needs root, and there is no sudo. As root, run:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  root=(sudo)
fi
echo "Installing with apt-get: ${missing[*]}"
"${root[@]}" apt-get update -qq
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "Installed: ${missing[*]}"
