#!/bin/sh
# Measures all libraries for docs/speed.md, in three to six minutes on a quiet machine, and renews the page and its
# picture.
set -eu
cd "$(dirname "$0")/../.."
GOTOOLCHAIN=$(.ci/run -newest)
export GOTOOLCHAIN
peers="github.com/oklog/ulid/v2 github.com/google/uuid github.com/gofrs/uuid/v5"
peers="$peers github.com/rs/xid github.com/segmentio/ksuid"
{
	printf 'date: %s\ngo: %s\nwith: %s\n' "$(date -u +%F)" "$(go env GOVERSION)" "$(echo $(go list -C lab -m $peers))"
	go test -C lab -run '^$' -bench . -skip 'Parallel|PerGoroutine|Latency' -count 10 -benchtime 100ms ./speed
	go test -C lab -run '^$' -bench 'Parallel|PerGoroutine' -cpu 1,2 -count 10 -benchtime 100ms ./speed
	go test -C lab -run '^$' -bench Latency -count 5 -benchtime 10000000x ./speed
	go test -run '^$' -bench CoarseClock -count 10 -benchtime 100ms .
} >docs/speed.txt
go generate -C lab ./speed
