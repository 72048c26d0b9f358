#!/bin/sh
# Measures all libraries for docs/speed.md, in ten minutes on a quiet machine, and renews the page and its
# picture.
set -eu
cd "$(dirname "$0")/../.."
GOTOOLCHAIN=$(.ci/run -newest)
export GOTOOLCHAIN
peers="github.com/oklog/ulid/v2 github.com/google/uuid github.com/gofrs/uuid/v5"
peers="$peers github.com/rs/xid github.com/segmentio/ksuid github.com/sumup/typeid go.jetify.com/typeid/v2"
binary=$(mktemp)
trap 'rm -f "$binary"' EXIT
{
	printf 'date: %s\ngo: %s\nwith: %s\n' "$(date -u +%F)" "$(go env GOVERSION)" "$(echo $(go list -C lab -m $peers))"
	go test -C lab -run '^$' -bench . -skip 'Parallel|PerGoroutine|Latency|Request|Lead' -count 10 -benchtime 100ms ./speed
	go test -C lab -run '^$' -bench 'Parallel|PerGoroutine' -cpu 1,2 -count 10 -benchtime 100ms ./speed
	go test -C lab -run '^$' -bench Latency -count 5 -benchtime 10000000x ./speed
	go test -C lab -c -o "$binary" ./speed
	for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do # so that a busy moment does not hit one library alone
		for lib in none ulid oklog google-v7 std-v7; do
			"$binary" -test.run '^$' -test.bench "Request/wait/ids/lib=$lib\$" -test.benchtime 300x
		done
	done
	go test -C lab -run '^$' -bench Lead -cpu 1,2 -count 3 -benchtime 1x ./speed
	go test -run '^$' -bench CoarseClock -count 10 -benchtime 100ms .
} >docs/speed.txt
go generate -C lab ./speed
