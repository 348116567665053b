#!/bin/bash
# Builds and runs the container image with whatever engine works here: Docker
# where its engine answers, else Podman.
#
#   image.sh build TAG        build the Dockerfile as TAG
#   image.sh run TAG [ARG…]   run it: stdin attached, host network, removed at the end
#   image.sh engine           say which engine is used
#
# IMAGE_BUILD and IMAGE_RUN replace the engine's commands: the first is called
# with the directory and the tag, the second with options of "docker run", the
# tag and arguments.
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

build() {
  case $(engine) in
    custom) $IMAGE_BUILD . "$1" ;;
    docker) docker build -t "$1" . ;;
    # Without an init system Podman cannot make cgroups and namespaces for its
    # build steps; a chroot does for an apt-get.
    podman) podman build $(inside && echo --isolation chroot) -t "$1" . ;;
    *) return 1 ;;
  esac
}

inside() { ! [ -d /run/systemd/system ]; }

run() {
  local tag=$1 options=(-i --rm --network host --security-opt "seccomp=$PWD/sidecar/docs/seccomp.json")
  shift
  case $(engine) in
    custom) exec $IMAGE_RUN "${options[@]}" "$tag" "$@" ;;
    docker) exec docker run "${options[@]}" "$tag" "$@" ;;
    podman)
      # crun insists on cgroups that only an init system makes; runc does not.
      if inside && command -v runc >/dev/null; then exec podman --runtime runc run "${options[@]}" "$tag" "$@"; fi
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
