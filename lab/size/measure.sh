#!/bin/sh
# Prints how many kilobytes each library adds to a stripped program that imports fmt and crypto/rand. The program parses
# an ID, generates one, and prints what it got:
#
#   lab/size/measure.sh
set -eu
cd "$(dirname "$0")/.."
GOTOOLCHAIN=$(../.ci/run -newest)
GOWORK=off # where lab is not
export GOTOOLCHAIN GOWORK
mkdir size/program
trap 'rm -r size/program' EXIT
size() {
	printf 'package main\n\nimport (\n"fmt"\n"os"\n"%s"\n)\n\nfunc main() { fmt.Println(%s) }\n' \
		"$1" "$2" >size/program/main.go
	go build -trimpath -ldflags '-s -w' -o size/program/program ./size/program
	wc -c <size/program/program
}
go version
none=$(size crypto/rand 'rand.Read([]byte(os.Args[0]))')
while read -r path code; do
	echo "$path $((($(size "$path" "$code") - none) / 1000))"
done <<'EOT'
github.com/seed-961d0905/ulid fmt.Sprint(ulid.Parse(os.Args[0])), ulid.Make()
github.com/oklog/ulid/v2 fmt.Sprint(ulid.ParseStrict(os.Args[0])), ulid.Make()
github.com/google/uuid fmt.Sprint(uuid.Parse(os.Args[0])), uuid.Must(uuid.NewV7())
github.com/gofrs/uuid/v5 fmt.Sprint(uuid.FromString(os.Args[0])), uuid.Must(uuid.NewV7())
uuid fmt.Sprint(uuid.Parse(os.Args[0])), uuid.NewV7()
EOT
