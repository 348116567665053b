# The sidecar with its browser. It reads its configuration from stdin, like the
# bare program, and holds no secret and no state:
#
#   docker build -t pillion .
#   docker run -i --rm --network host --security-opt seccomp=sidecar/docs/seccomp.json pillion < launch.json
#
# Chromium's own sandbox stays on, which needs user namespaces in the
# container: sidecar/docs/container.md says why, and what else is good to know.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY proto proto
COPY sidecar sidecar
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -o /out/sidecar \
    -ldflags "-s -w ${VERSION:+-X github.com/pillion-browser/pillion/proto.Version=$VERSION}" ./sidecar

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Pillion sidecar" \
      org.opencontainers.image.description="A browser for an agent, with a seat for a person" \
      org.opencontainers.image.licenses="Apache-2.0"
# With the headless shell alone the image is smaller by 400 MB, and sessions
# that ask for full Chromium are refused:
#   docker build --build-arg CHROMIUM=chromium-headless-shell .
ARG CHROMIUM="chromium chromium-headless-shell"
# tini reaps what Chromium's helpers leave to process 1.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    ca-certificates $CHROMIUM \
    fonts-liberation fonts-noto-color-emoji fonts-wqy-microhei tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
 && useradd --uid 10001 --create-home --home-dir /home/pillion --shell /usr/sbin/nologin pillion
COPY --from=build /out/sidecar /usr/local/bin/sidecar
USER 10001:10001
WORKDIR /home/pillion
ENTRYPOINT ["tini", "--", "sidecar"]
