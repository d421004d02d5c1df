# One line each; .ci/run is what has to pass.

.PHONY: build test long race lint fmt golden ci clean

build:
	go build -o issues-index ./cmd/issues-index

test:
	go test ./...

long:
	.ci/long all

race:
	.ci/race

lint:
	.ci/lint

fmt:
	gofmt -w cmd index migrations store tools

golden:
	UPDATE_GOLDEN=1 go test ./...

ci:
	.ci/run

clean:
	rm -f issues-index
