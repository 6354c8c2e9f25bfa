# What can be done here. `just` alone lists it.
default:
    @just --list --unsorted

# Formatting, vet, static analysis and lint: what every change must pass, with the tests
check: lint test

# gofumpt, go vet, staticcheck and golangci-lint
lint:
    @test -z "$(gofumpt -l .)" || { gofumpt -d . | head -50; exit 1; }
    go vet ./...
    staticcheck ./...
    golangci-lint run --allow-parallel-runners ./...

# The tests
test:
    go test ./...

# The tests with the race detector, without the long ones that have one goroutine
race:
    go test -race -short ./...

# The laws of pacing and waiting, over many more random runs than `test` draws: of the pacer alone, and of all five stages
laws checks="50000" runs="10000":
    go test ./clock/... ./messages/... ./stages/pacer/... -run 'Law|Never|Property|Rapid|Same' -rapid.checks={{checks}} -rapid.nofailfile
    go test ./sim ./sim/limiter -run 'Law|Never|Property|Rapid|Same' -timeout 60m -rapid.checks={{runs}} -rapid.nofailfile

# Deliberate bugs in the stages, one at a time, and the laws that catch each; or only those whose name has the words
mutants only="1":
    RESTEST_MUTANTS='{{only}}' go test -count=1 -timeout 60m ./sim -run TestMutantsAreCaught -v

# The naming of limiters, over 20,000 limiters drawn at random
limiters draws="20000":
    #!/usr/bin/env bash
    set -euo pipefail
    go test ./stages/experimenter/inference -inference.draws {{draws}} -rapid.checks=50000 -rapid.nofailfile -timeout 30m -v |
        grep -E 'right|total|most|^(ok|FAIL|---)'

# The demo, five times for half a minute: what is planted in it is found and confirmed, and nothing else
truth budget="30s" seed="1":
    #!/usr/bin/env bash
    set -euo pipefail
    RESTEST_TRUTH=1 RESTEST_TRUTH_BUDGET={{budget}} RESTEST_TRUTH_SEED={{seed}} \
        go test -count=1 -v ./cmd/restest -run TestTheGroundTruthHolds | grep -v '^=== '

# The benchmarks: cost of the pipeline, of its parts, and against wrk where it is installed
bench:
    go test -run '^$' -bench . -benchtime 2s ./stages/... ./settings/document/... ./cmd/restest/...
    go test -run '^$' -bench 'Inline|Lockstep' -benchtime 2s ./sim
    go test -run '^$' -bench EvidenceNothingNamed -benchtime 20x ./sim

# Test the embedded demo API for ten seconds
demo *args:
    go run ./cmd/restest demo {{args}}

# The 145 real documents and the cases of real trouble, where ../shared is there
corpus:
    #!/usr/bin/env bash
    set -euo pipefail
    go test -count=1 ./settings/document/... ./stages/... ./cmd/restest/... -run 'Corpus|Collection|Case' -v | grep -E '^(---|===|ok|FAIL|PASS|\s+\S+_test.go)' | grep -v '=== ' | tail -80

# The golden transcripts, written again
golden:
    go test ./stages/reporter/... ./stages/limiterreport/... ./cmd/restest/... ./sim -update

# What CI does
ci:
    bash .ci/run
