#!/usr/bin/env bash
# Database servers for the tests of this module, on a bare Debian machine.
#
#   eval "$(interop/db/servers.sh start)"   # installs what is missing, sets ULID_POSTGRES …
#   interop/db/servers.sh stop              # stops these servers and removes their data
#
# They listen on loopback only, on ports that were free, keep their data below a temporary
# folder (ULID_SERVERS_DIR names another one) and run as an unprivileged user. A server of
# the system is neither started nor stopped. start prints environment lines and nothing else
# on stdout; a server that it started before it leaves running. ULID_POSTGRES_OPTIONS and
# ULID_MARIADB_OPTIONS hold more options for a server that it starts, as "-c name=value" and
# "--name=value"; no option may contain a space. Where MySQL cannot be had, it says so and
# starts the others.
set -euo pipefail

state=${ULID_SERVERS_DIR:-${TMPDIR:-/tmp}/ulid-servers-$(id -u)}
servers="postgres mariadb mysql redis"
PATH=$PATH:/usr/sbin:/sbin # mariadbd, and a plain user may lack them

say() { printf 'servers.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

is_root() { [ "$(id -u)" = 0 ]; }
as_root() { if is_root; then "$@"; else sudo -n "$@"; fi; }

# as runs a command as the user that Debian made for a server. Who is not root needs no
# other user to be unprivileged.
as() {
  local user=$1
  shift
  if is_root; then
    setpriv --reuid="$user" --regid="$user" --init-groups "$@"
  else
    "$@"
  fi
}

pg_bin() { printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1; }

free_port() {
  perl -MIO::Socket::INET -e \
    'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'
}

# --- packages

install_missing() {
  local packages=()
  [ -x "$(pg_bin)/initdb" ] || packages+=(postgresql)
  command -v mariadbd >/dev/null || packages+=(mariadb-server)
  command -v redis-server >/dev/null || packages+=(redis-server)
  command -v sqlite3 >/dev/null || packages+=(sqlite3) # a client, as psql and mariadb come with their servers
  [ ${#packages[@]} -gt 0 ] || return 0

  say "installing ${packages[*]}"
  # A policy-rc.d that answers 101 keeps the packages from starting their services.
  local policy=/usr/sbin/policy-rc.d
  if [ -e $policy ]; then
    local answer=0
    "$policy" postgresql start >&2 || answer=$?
    [ $answer = 101 ] || die "$policy lets packages start services; install ${packages[*]} yourself"
  else
    as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy"
    trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  {
    as_root apt-get update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      --no-remove -o DPkg::Lock::Timeout=300 "${packages[@]}"
  } >&2 || die "cannot install ${packages[*]}"
}

# fetch_mysql unpacks MySQL into a folder, where the next start finds it. Debian has it in its
# unstable release only, so it is run with the libraries of that release, the C library among
# them, and nothing is installed. Remove the folder to get a newer one.
fetch_mysql() {
  if is_root; then mysql=/var/cache/ulid-mysql; else mysql=${XDG_CACHE_HOME:-$HOME/.cache}/ulid-mysql; fi
  [ ! -d "$mysql" ] || return 0
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
  say "fetching MySQL into $mysql"
  local dir uri apt fetched=1
  mkdir -p "$(dirname "$mysql")" && dir=$(mktemp -d "$mysql.XXXXXX") || return 1
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
    grep -v security | head -n 1) || true
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${uri:-http://deb.debian.org/debian} sid main" \
    >"$dir/list"
  touch "$dir/status" # empty, so that apt fetches all that MySQL needs
  apt=(apt-get -y --no-install-recommends -o Dir::Etc::SourceList="$dir/list" -o Dir::Etc::SourceParts=-
    -o Dir::State="$dir" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir" -o APT::Sandbox::User=root)
  "${apt[@]}" update && "${apt[@]}" install --download-only mysql-server-core &&
    printf '%s\0' "$dir"/archives/*.deb | xargs -0 -I{} dpkg -x {} "$dir/root" && chmod 755 "$dir/root" &&
    { mv -T "$dir/root" "$mysql" || [ -d "$mysql" ]; } && fetched=0 # another start may have been quicker
  rm -rf "$dir"
  return $fetched
}

# --- the servers: each starts in an empty folder that its user owns, on a port, writes its
# process id into the folder and returns once it answers. The steps are chained, because
# errexit is off in a function that is called as a condition.

start_postgres() {
  local dir=$1 port=$2 bin
  bin=$(pg_bin) &&
    as postgres "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C &&
    as postgres "$bin/pg_ctl" -w -D "$dir/data" -l "$dir/log" \
      -o "-c listen_addresses=127.0.0.1 -p $port -k $dir -c fsync=off ${ULID_POSTGRES_OPTIONS-}" start &&
    head -n 1 "$dir/data/postmaster.pid" >"$dir/pid" &&
    as postgres "$bin/createdb" -h 127.0.0.1 -p "$port" -U postgres ulid &&
    dsn="postgres://postgres@127.0.0.1:$port/ulid?sslmode=disable"
}

start_mariadb() {
  local dir=$1 port=$2 client options
  read -ra options <<<"${ULID_MARIADB_OPTIONS-}"
  client=(mariadb --no-defaults --protocol=tcp -h 127.0.0.1 -P "$port" -u root)
  as mysql mariadb-install-db --no-defaults --datadir="$dir/data" --tmpdir="$dir" \
    --skip-test-db --auth-root-authentication-method=normal &&
    as mysql setsid --fork mariadbd --no-defaults --datadir="$dir/data" --tmpdir="$dir" \
      --bind-address=127.0.0.1 --port="$port" --socket="$dir/socket" --pid-file="$dir/pid" \
      --innodb-flush-log-at-trx-commit=0 "${options[@]}" >"$dir/log" 2>&1 </dev/null &&
    wait_for "${client[@]}" -e 'CREATE DATABASE ulid' &&
    dsn="root@tcp(127.0.0.1:$port)/ulid"
}

start_mysql() {
  local dir=$1 port=$2 loader mysqld
  loader=$(echo "$mysql"/usr/lib/*/ld-linux-*.so.*)
  mysqld=("$loader" --library-path "$(dirname "$loader")" "$mysql/usr/sbin/mysqld" --no-defaults
    --basedir="$mysql/usr" --datadir="$dir/data" --tmpdir="$dir" --secure-file-priv=NULL)
  as mysql "${mysqld[@]}" --initialize-insecure &&
    as mysql setsid --fork "${mysqld[@]}" --bind-address=127.0.0.1 --port="$port" --mysqlx=OFF \
      --socket="$dir/socket" --pid-file="$dir/pid" --sync-binlog=0 --innodb-flush-log-at-trx-commit=0 \
      >"$dir/log" 2>&1 </dev/null &&
    wait_for mariadb --no-defaults --protocol=tcp -h 127.0.0.1 -P "$port" -u root -e 'CREATE DATABASE ulid' &&
    dsn="root@tcp(127.0.0.1:$port)/ulid"
}

start_redis() {
  local dir=$1 port=$2
  as redis redis-server --bind 127.0.0.1 --port "$port" --dir "$dir" --save '' \
    --pidfile "$dir/pid" --logfile "$dir/log" --daemonize yes &&
    wait_for redis-cli -h 127.0.0.1 -p "$port" ping &&
    dsn="redis://127.0.0.1:$port/0"
}

# wait_for repeats a command until it succeeds, for half a minute.
wait_for() {
  local end=$((SECONDS + 30))
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

user_of() { if [ "$1" = mariadb ]; then echo mysql; else echo "$1"; fi; }

# --- start and stop

# pid prints the process id of a server that this script started and that still runs. The
# kernel gives numbers out again; so the process must also have been told of our folder,
# or, as for redis, which rewrites its command line, stand in it.
pid() {
  local pid
  pid=$(cat "$state/$1/pid" 2>/dev/null) && [ -d "/proc/$pid" ] || return 1
  case "$(tr '\0' ' ' <"/proc/$pid/cmdline") $(readlink "/proc/$pid/cwd")" in
    *"$state/$1"*) echo "$pid" ;;
    *) return 1 ;;
  esac
}

is_stopped() { ! pid "$1"; }

no_mysql() {
  say "there is no MySQL: set ULID_MYSQL to the data source name of a server, or its tests are left out"
  echo "export ULID_MYSQL=none"
}

start() {
  local server dir port dsn
  install_missing
  mkdir -p "$state"
  [ -O "$state" ] || die "$state belongs to somebody else"
  chmod 755 "$state"
  for server in $servers; do
    dir=$state/$server
    if ! pid "$server" >/dev/null; then
      if [ "$server" = mysql ] && ! fetch_mysql >&2; then
        no_mysql
        continue
      fi
      say "starting $server below $dir"
      rm -rf "$dir"
      mkdir -m 700 "$dir"
      if is_root; then chown "$(user_of "$server")" "$dir"; fi
      port=$(free_port)
      if ! "start_$server" "$dir" "$port" >&2; then
        # Or else the next start would take one that only half started for a running one.
        cat "$dir/log" >&2 || true
        stop_server "$server"
        [ "$server" = mysql ] || die "$server did not start"
        no_mysql
        continue
      fi
      echo "export ULID_${server^^}='$dsn'" >"$dir/env"
    fi
    cat "$dir/env"
  done
}

stop_server() {
  local server=$1 pid
  if pid=$(pid "$server"); then
    say "stopping $server, process $pid"
    # For PostgreSQL, SIGTERM would mean to wait until the last client has gone.
    if [ "$server" = postgres ]; then kill -INT "$pid"; else kill "$pid"; fi
    wait_for is_stopped "$server" || die "$server, process $pid, does not stop"
  fi
  rm -rf "${state:?}/$server"
}

stop() {
  local server
  for server in $servers; do stop_server "$server"; done
  rmdir "$state" 2>/dev/null || true
}

cd / # a folder that the servers' users may enter

case "${1-}" in
  start | stop) "$1" ;;
  *) die "usage: servers.sh start|stop" ;;
esac
