#!/usr/bin/env bash
# Runs the tests of projects that use oklog/ulid, as they are and with the module oklog in its place, as
# oklog/README.md shows, and compares the outcome of every test and subtest:
#
#   lab/consumers/run.sh                    # all projects, in half an hour
#   lab/consumers/run.sh strfmt watermill   # these
#
# It prints a row for the table in README.md, and fails if anything differs three times, because a test may fail
# by chance. What differs is printed each time. Don't change the library meanwhile: its files here are compiled.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# The toolchain that a project asks for, and a go.mod that may be changed.
export GOTOOLCHAIN=auto GOWORK=off GOFLAGS=-mod=mod

# name, module on GitHub, module of oklog/ulid, packages
projects='
strfmt       go-openapi/strfmt@v0.27.4       github.com/oklog/ulid/v2 ./...
watermill    ThreeDotsLabs/watermill@v1.5.1  github.com/oklog/ulid    .
opamp-go     open-telemetry/opamp-go@v0.14.0 github.com/oklog/ulid/v2 ./client/...
openfga      openfga/openfga@v1.22.1         github.com/oklog/ulid/v2 ./pkg/storage/... ./pkg/server/commands/...
loki         grafana/loki/v3@v3.7.8          github.com/oklog/ulid/v2 ./pkg/engine/internal/...
prometheus   prometheus/prometheus@v0.315.0  github.com/oklog/ulid/v2 ./tsdb
thanos       thanos-io/thanos@v0.42.5        github.com/oklog/ulid/v2 ./pkg/block/...
alertmanager prometheus/alertmanager@v0.35.0 github.com/oklog/ulid/v2 ./cluster/... ./nflog/... ./silence/...
'

# compare compares a project, and leaves what differs in $temp/diff.
compare() {
	local name=$1 module=$2 oklog=$3 source
	shift 3
	source=$(go mod download -json "github.com/$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
	cp -r "$source" "$temp/theirs"
	chmod -R u+w "$temp/theirs"
	# One of Loki's modules in a folder of its own, which the proxy has only as the version in go.mod.
	[ "$name" != loki ] || (cd "$temp/theirs" && go mod edit -dropreplace github.com/grafana/loki/pkg/push)
	cp -r "$temp/theirs" "$temp/ours"
	cd "$temp/ours"
	go mod edit -replace "$oklog=$root/oklog" -replace "github.com/seed-961d0905/ulid=$root"
	[ "$(used "$oklog" "$@")" = "$root/oklog" ] || fail "the tests of $name do not use the module oklog"
	cd "$temp/theirs"
	[ -n "$(used "$oklog" "$@")" ] || fail "the tests of $name do not use oklog/ulid"
	for _ in 1 2 3; do
		outcomes theirs "$@"
		outcomes ours "$@"
		if diff "$temp/theirs.txt" "$temp/ours.txt" | tee "$temp/diff"; then break; fi
	done
	grep -q ' pass$' "$temp/theirs.txt" || fail "no test of $name passes with oklog/ulid"
	echo "| $name | \`$module\`: \`$*\` | $(go env GOVERSION) |" \
		"$(count pass) | $(count '(skip|fail)') | $(date +%F) |"
	cd "$root"
	rm -r "$temp/theirs" "$temp/ours"
}

# used prints the folder from which the tests of packages take a module.
used() { go list -deps -test -f "{{if eq .ImportPath \"$1\"}}{{.Dir}}{{end}}" "${@:2}"; }

# outcomes writes a line for every test that ended. A ULID or a time in a name may be another one in every run.
outcomes() {
	cd "$temp/$1"
	go test -json -vet=off -count=1 -timeout=30m "${@:2}" >"$temp/json" || true # a test may fail with both
	sed -nE 's/.*"Action":"(pass|fail|skip)","Package":"([^"]*)","Test":"(([^"\\]|\\.)*)".*/\2 \3 \1/p' "$temp/json" |
		sed -E 's/[0-7][0-9A-HJKMNP-TV-Z]{25}/ULID/g; s/[0-9]{4}-[0-9-]{5}T[0-9:.]+Z/TIME/g' | sort >"$temp/$1.txt"
}

count() { grep -cE " $1\$" "$temp/theirs.txt" || true; }
fail() { echo "$*" >&2; exit 1; }

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
different=
names=${*:-$(awk '{ print $1 }' <<<"$projects")}
for name in $names; do
	line=$(grep "^$name " <<<"$projects") || fail "there is no project $name"
	read -ra words <<<"$line"
	compare "${words[@]}"
	[ ! -s "$temp/diff" ] || different="$different $name"
done
[ -z "$different" ] || fail "different:$different"
