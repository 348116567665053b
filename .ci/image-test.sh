#!/bin/bash
# Builds the image and runs its tests: sidecars in containers with more and
# fewer rights, and an agent and a site outside of them.
#
#   image-test.sh [TAG]
set -euo pipefail
cd "$(dirname "$0")/.."
tag=${1:-pillion}

echo "engine: $(.ci/image.sh engine)"
.ci/image.sh build "$tag"

# The tests start "a sidecar"; here it is this script, which runs the image.
wrapper=$(mktemp)
trap 'rm -f "$wrapper"' EXIT
printf '#!/bin/bash\nexec %q run %q "$@"\n' "$PWD/.ci/image.sh" "$tag" >"$wrapper"
chmod 755 "$wrapper"
PILLION_TEST_SIDECAR=$wrapper PILLION_TEST_IMAGE=$tag "${GO:-go}" test -count=1 -v ./sidecar/internal/imagetest ./supervisor/container "${@:2}"
# The backend for Kubernetes is a module of its own; Podman plays its manifest.
PILLION_TEST_IMAGE=$tag "${GO:-go}" test -C supervisor/kube -count=1 -v -run TestManifestRuns .
