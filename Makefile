# What a person or the CI runs. Each target is a line or two; what is longer
# lives in .ci/. `make` alone lists the targets.

GO       ?= go
PACKAGES  = ./... ./testdata/app
FUZZTIME ?= 2s
SYSTEMS  ?= linux/amd64 linux/arm64 darwin/arm64 windows/amd64
IMAGE    ?= pillion
LDFLAGS   = -s -w $(if $(VERSION),-X github.com/pillion-browser/pillion/proto.Version=$(VERSION))

# Whose goroutines the race detector watches. Not here are packages without
# any, and those whose tests are about pages, which it does not see.
NO_RACE   = /(proto|policy|house|imagetest|attack|kits|page|selector)$$
RACE      = $$($(GO) list $(PACKAGES) | grep -vE '$(NO_RACE)')

.PHONY: help deps test-deps demo build test sandbox unit race lint cross fuzz attack soak bench golden vendor-js kube image image-test clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

deps: ## install what is missing: Chromium, its headless shell, its sandbox, fonts
	@.ci/install.sh

test-deps:
	@.ci/install.sh --tests

demo: deps build ## an agent places an order in a sample shop; DEMO=-once stops then
	bin/pillion-host -demo -out bin/demo $(DEMO)

build: ## build bin/sidecar and bin/pillion-host
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./sidecar ./supervisor/cmd/pillion-host

test: ## everything that must pass, and how long each part took
	@.ci/phases.sh test-deps sandbox lint cross unit race fuzz

sandbox: ## can Chromium run here with its sandbox?
	@.ci/sandbox.sh

unit: ## all tests once, real Chromium included
	$(GO) test -vet=off $(PACKAGES)

race: ## goroutines under the race detector, with the long tests shortened
	$(GO) test -vet=off -race -short $(RACE)

lint: ## formatting, vet, staticcheck
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt has not seen: $$files"; exit 1; }
	$(GO) vet $(PACKAGES)
	$(GO) tool staticcheck $(PACKAGES)

cross: ## build for every system that is supported
	@for t in $(SYSTEMS); do echo "build for $$t"; \
	  CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build -o /dev/null ./sidecar && \
	  CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} $(GO) build ./supervisor/... || exit 1; done

fuzz: ## run each fuzz target for FUZZTIME
	@.ci/fuzz.sh $(FUZZTIME)

attack: ## every attack case in both browsers, leaks included; as root, for a network of its own
	PILLION_ATTACK=1 $(GO) test -C sidecar/internal/attack -count=1 -timeout 60m

soak: ## kill, starve and repeat for 20 minutes; ends with what was lost on the way
	@.ci/soak.sh

bench: ## Go benchmarks
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

golden: ## write the golden files anew, to be read before they are committed
	$(GO) test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' . | xargs -n 1 dirname | sort -u) -update

vendor-js: ## fetch the JavaScript of others that is embedded, checked by its digests
	@.ci/vendor-js.sh

kube: ## test the backend for Kubernetes, a module of its own
	$(GO) -C supervisor/kube vet ./...
	$(GO) -C supervisor/kube test ./...

image: ## build the container image
	@.ci/image.sh build $(IMAGE)

image-test: ## build the image, run it in many ways, and call tools from outside
	@.ci/image-test.sh $(IMAGE)

clean: ## remove what was built
	rm -rf bin
