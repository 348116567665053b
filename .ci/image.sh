#!/bin/bash
# Builds and runs the container image with whatever engine works here: Docker
# where its engine answers, else Podman.
#
#   image.sh build TAG        build the Dockerfile as TAG
#   image.sh run TAG [ARG…]   run it: stdin attached, host network, removed at the end
#   image.sh engine           say which engine is used
#
# IMAGE_OPTIONS are further options of "run", such as --read-only. IMAGE_BUILD
# and IMAGE_RUN replace the engine's commands: the first is called with the
# directory and the tag, the second with options of "docker run", the tag and
# arguments.
set -euo pipefail
cd "$(dirname "$0")/.."

engine() {
  if [ -n "${IMAGE_BUILD:-}" ] && [ -n "${IMAGE_RUN:-}" ]; then echo custom
  elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then echo docker
  elif command -v podman >/dev/null; then echo podman
  else
    echo "Building the image needs Docker or Podman, and neither works here." >&2
    echo "Install one, or set IMAGE_BUILD and IMAGE_RUN to commands that build and run." >&2
    return 1
  fi
}

# Without an init system there is nobody who makes cgroups for crun, Podman's
# usual runtime; runc does without. Nor can Podman make namespaces for its
# build steps there; a chroot does for an apt-get.
no_init() { ! [ -d /run/systemd/system ]; }

build() {
  case $(engine) in
    custom) $IMAGE_BUILD . "$1" ;;
    docker) docker build -t "$1" . ;;
    podman) podman build $(no_init && echo --isolation chroot) --layers -t "$1" . ;;
    *) return 1 ;;
  esac
}

run() {
  local tag=$1 options=(-i --rm --network host --security-opt "seccomp=$PWD/sidecar/docs/seccomp.json")
  shift
  # Words, as in a shell: an option and its value are two.
  options+=(${IMAGE_OPTIONS:-})
  case $(engine) in
    custom)
      # A signal to the process group must reach the engine, which passes it on
      # to the container, and not end a script that stands in front of it.
      # Scripts keep an ignored signal ignored; engines set their own handler.
      trap '' TERM INT
      exec $IMAGE_RUN "${options[@]}" "$tag" "$@"
      ;;
    docker) exec docker run "${options[@]}" "$tag" "$@" ;;
    podman)
      if no_init && command -v runc >/dev/null; then exec podman --runtime runc run "${options[@]}" "$tag" "$@"; fi
      exec podman run "${options[@]}" "$tag" "$@"
      ;;
    *) return 1 ;;
  esac
}

case ${1:-} in
  engine) engine ;;
  build) build "$2" ;;
  run) shift; run "$@" ;;
  *) sed -n '2,13p' "$0"; exit 2 ;;
esac
