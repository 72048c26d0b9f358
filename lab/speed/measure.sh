#!/bin/sh
# Measures all libraries in ten minutes on a quiet machine, writes docs/speed.txt, and prints the tables of
# docs/speed.md, into which the figures are copied by hand.
#
#   lab/speed/measure.sh              # writes docs/speed.txt
#   lab/speed/measure.sh try.txt 1    # writes try.txt, with each benchmark once, in two minutes
set -eu
cd "$(dirname "$0")/../.."
out=${1:-docs/speed.txt}
count=${2:-10}
GOTOOLCHAIN=$(.ci/run -newest)
export GOTOOLCHAIN
peers="github.com/oklog/ulid/v2 github.com/google/uuid github.com/gofrs/uuid/v5"
peers="$peers github.com/rs/xid github.com/segmentio/ksuid github.com/sumup/typeid go.jetify.com/typeid/v2"
binary=$(mktemp)
trap 'rm -f "$binary"' EXIT
{
	printf 'date: %s\ngo: %s\nwith: %s\n' "$(date -u +%F)" "$(go env GOVERSION)" "$(echo $(go list -C lab -m $peers))"
	go test -C lab -c -o "$binary" ./speed
	bench() { "$binary" -test.run '^$' -test.bench "$@"; }
	for round in $(seq "$count"); do # in rounds, so that a busy moment does not hit one library alone
		bench . -test.skip 'Parallel|PerGoroutine|Latency|Request|Lead' -test.benchtime 100ms
		bench 'Parallel|PerGoroutine' -test.cpu 1,2 -test.benchtime 100ms
	done
	bench Latency -test.count $(((count + 1) / 2)) -test.benchtime "${count}000000x"
	for round in $(seq $((count * 3 / 2))); do
		for lib in none ulid oklog google-v7 std-v7; do
			bench "Request/wait/ids/lib=$lib\$" -test.benchtime 300x
		done
	done
	bench Lead -test.cpu 1,2 -test.count $(((count + 2) / 3)) -test.benchtime 1x
	go test -run '^$' -bench CoarseClock -count "$count" -benchtime 100ms .
} >"$out"

benchstat="go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"
$benchstat -filter '.unit:request-ns' -row /wait,/ids -col /lib "$out"
$benchstat -filter '.unit:ns/op' -row .name,/gomaxprocs -col /lib "$out"
$benchstat -filter '.unit:(p50-ns OR p99-ns OR p99.9-ns)' -row /goroutines -col /lib "$out"
$benchstat -filter '.unit:lead-ms' -row /gomaxprocs -col /lib "$out"
