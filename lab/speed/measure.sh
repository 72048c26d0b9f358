#!/bin/sh
# Measures all libraries in seven minutes on a quiet machine, and prints tables, from which figures are copied by hand
# into docs/speed.md.
#
#   lab/speed/measure.sh               # leaves what was measured in speed.out
#   lab/speed/measure.sh try.out 1     # each benchmark once, in two minutes
set -eu
cd "$(dirname "$0")/../.."
out=${1:-speed.out}
count=${2:-10}
load=$(uptime | sed 's/.*load average[s]*: //') # of a quiet machine: 0.3 at most
GOTOOLCHAIN=$(.ci/run -newest)
GOWORK=off # where lab is not
export GOTOOLCHAIN GOWORK
binary=$(mktemp)
trap 'rm -f "$binary"' EXIT
{
	printf 'date: %s\nload: %s\ngo: %s\n' "$(date -u +%F)" "$load" "$(go env GOVERSION)"
	go list -C lab -m github.com/oklog/ulid/v2 github.com/google/uuid github.com/gofrs/uuid/v5
	go test -C lab -c -o "$binary" ./speed
	bench() { "$binary" -test.run '^$' -test.bench "$@"; }
	for round in $(seq "$count"); do # in rounds, so that a busy moment does not hit one library alone
		bench . -test.skip 'Parallel|PerGoroutine|Latency|Request' -test.benchtime 100ms
		bench 'Parallel|PerGoroutine' -test.cpu 1,2 -test.benchtime 100ms
	done
	bench Latency -test.count $(((count + 1) / 2)) -test.benchtime "${count}000000x"
	for round in $(seq $((count * 3 / 2))); do
		for lib in none ulid oklog google-v7 gofrs-v7 std-v7; do
			bench "Request/wait/ids/lib=$lib\$" -test.benchtime 300x
		done
	done
} >"$out"

benchstat="go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"
$benchstat -filter '.unit:request-ns' -row /wait,/ids -col /lib "$out"
$benchstat -filter '.unit:ns/op' -row .name,/gomaxprocs -col /lib "$out"
$benchstat -filter '.unit:(p50-ns OR p99-ns OR p99.9-ns)' -row /goroutines -col /lib "$out"
