#!/usr/bin/env bash
# Database servers for tests, on a bare Debian machine.
#
#   eval "$(interop/db/servers.sh start)"            # installs and starts the servers, and sets ULID_POSTGRES …
#   eval "$(interop/db/servers.sh start postgres)"   # one server; or several of postgres, mariadb and mysql
#   interop/db/servers.sh stop                       # stops these servers and removes their data
#   interop/db/servers.sh stop mariadb mysql         # stops some of them
#
# They listen on free ports of the loopback, keep their data below a temporary folder (ULID_SERVERS_DIR names
# another one), and run as unprivileged users. On stdout start prints only lines that set the environment. It
# does not start again what is running. ULID_POSTGRES_OPTIONS and ULID_MARIADB_OPTIONS are further options:
# "-c name=value" and "--name=value".
set -euo pipefail

state=${ULID_SERVERS_DIR:-${TMPDIR:-/tmp}/ulid-servers-$(id -u)}
PATH=$PATH:/usr/sbin:/sbin # mariadbd, and a plain user may lack them

say() { printf 'servers.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
is_root() { [ "$(id -u)" = 0 ]; }
# as runs a command as the user that Debian made for a server. Somebody who is not root is unprivileged already.
as() { if is_root; then setpriv --reuid="$1" --regid="$1" --init-groups "${@:2}"; else "${@:2}"; fi; }
pg_bin() { printf '%s\n' ${ULID_POSTGRES_BIN:-/usr/lib/postgresql/*/bin} | sort -V | tail -n 1; }

# wait_for repeats a command until it succeeds, for half a minute.
wait_for() {
  local end=$((SECONDS + 30))
  until "$@" &>/dev/null; do sleep 0.2 && [ $SECONDS -lt $end ] || return 1; done
}

# install_missing installs what the named servers need. MySQL is fetched, but is reached through the client of MariaDB.
install_missing() {
  local server packages=() policy=/usr/sbin/policy-rc.d
  for server in "$@"; do
    case $server in
    postgres)
      [ -x "$(pg_bin)/initdb" ] || {
        [ -z "${ULID_POSTGRES_BIN-}" ] || die "there is no $ULID_POSTGRES_BIN/initdb"
        packages+=(postgresql)
      }
      ;;
    *) command -v mariadbd >/dev/null || packages+=(mariadb-server) ;;
    esac
  done
  command -v sqlite3 >/dev/null || packages+=(sqlite3) # a client, as psql and mariadb come with their servers
  [ ${#packages[@]} -gt 0 ] || return 0
  is_root || die "as root, run  apt-get install ${packages[*]}"
  # A policy-rc.d that answers 101 keeps the packages from starting their services.
  if [ ! -e $policy ]; then
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy
  fi
  ! $policy postgresql start >&2 || die "$policy lets packages start services; install ${packages[*]} yourself"
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --no-remove \
      -o DPkg::Lock::Timeout=300 "${packages[@]}"; } >&2 || die "cannot install ${packages[*]}"
}

# fetch_mysql unpacks MySQL into a folder, where the next start finds it. Debian has it in its unstable release only, so
# it runs with the libraries of that release, and nothing is installed. Remove the folder to get a newer one.
fetch_mysql() {
  if is_root; then mysql=/var/cache/ulid-mysql; else mysql=${XDG_CACHE_HOME:-$HOME/.cache}/ulid-mysql; fi
  [ ! -d "$mysql" ] || return 0
  local dir uri apt fetched=1
  mkdir -p "$(dirname "$mysql")" && dir=$(mktemp -d "$mysql.XXXXXX") || return 1
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -vm 1 security)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri sid main" >"$dir/list"
  touch "$dir/status" # empty, so that apt fetches all that MySQL needs
  apt=(apt-get -y --no-install-recommends -o Dir::Etc::SourceList="$dir/list" -o Dir::Etc::SourceParts=-
    -o Dir::State="$dir" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir" -o APT::Sandbox::User=root)
  "${apt[@]}" update && "${apt[@]}" install --download-only mysql-server-core &&
    printf '%s\0' "$dir"/archives/*.deb | xargs -0 -I{} dpkg -x {} "$dir/root" && chmod 755 "$dir/root" &&
    { mv -T "$dir/root" "$mysql" || [ -d "$mysql" ]; } && fetched=0 # another start may have been quicker
  rm -rf "$dir"
  return $fetched
}

# Each of these starts a server in $dir on $port, and returns once it answers. The steps are chained, because errexit is
# off in a function that is called as a condition.

start_postgres() {
  local bin
  bin=$(pg_bin) && dsn="postgres://postgres@127.0.0.1:$port/ulid?sslmode=disable" &&
    as postgres "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C &&
    as postgres "$bin/pg_ctl" -w -D "$dir/data" -l "$dir/log" \
      -o "-c listen_addresses=127.0.0.1 -p $port -k $dir -c fsync=off ${ULID_POSTGRES_OPTIONS-}" start &&
    head -n 1 "$dir/data/postmaster.pid" >"$dir/pid" &&
    as postgres "$bin/createdb" -h 127.0.0.1 -p "$port" -U postgres ulid
}

start_mariadb() {
  local options
  read -ra options <<<"${ULID_MARIADB_OPTIONS-}"
  as mysql mariadb-install-db --no-defaults --datadir="$dir/data" --tmpdir="$dir" \
    --skip-test-db --auth-root-authentication-method=normal && run_mysqld mariadbd --no-defaults "${options[@]}"
}

start_mysql() {
  local loader mysqld
  loader=$(echo "$mysql"/usr/lib/*/ld-linux-*.so.*)
  mysqld=("$loader" --library-path "$(dirname "$loader")" "$mysql/usr/sbin/mysqld" --no-defaults
    --basedir="$mysql/usr" --secure-file-priv=NULL)
  as mysql "${mysqld[@]}" --datadir="$dir/data" --tmpdir="$dir" --initialize-insecure &&
    run_mysqld "${mysqld[@]}" --mysqlx=OFF --sync-binlog=0
}

run_mysqld() {
  dsn="root@tcp(127.0.0.1:$port)/ulid"
  as mysql setsid --fork "$@" --datadir="$dir/data" --tmpdir="$dir" --bind-address=127.0.0.1 --port="$port" \
    --socket="$dir/socket" --pid-file="$dir/pid" --innodb-flush-log-at-trx-commit=0 >"$dir/log" 2>&1 </dev/null &&
    wait_for mariadb --no-defaults --protocol=tcp -h 127.0.0.1 -P "$port" -u root -e 'CREATE DATABASE ulid'
}

# pid prints the process id of a server that this script started and that still runs. The kernel gives numbers out
# again, so the process must also have been told of our folder.
pid() {
  local pid
  pid=$(cat "$state/$1/pid" 2>/dev/null) && grep -qaF "$state/$1" "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"
}

start() {
  local server dir port dsn
  install_missing "$@"
  mkdir -p "$state"
  chmod 755 "$state" # fails where it belongs to somebody else
  for server in "$@"; do
    dir=$state/$server
    if ! pid $server >/dev/null; then
      say "starting $server below $dir"
      rm -rf "$dir"
      mkdir -m 700 "$dir"
      if is_root; then chown "${server/mariadb/mysql}" "$dir"; fi
      port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
      if { [ $server != mysql ] || fetch_mysql; } >&2 && "start_$server" >&2; then
        echo "export ULID_${server^^}='$dsn'" >"$dir/env"
      else
        cat "$dir/log" >&2 || true
        stop_server $server # or else the next start would take one that only half started for a running one
        [ $server = mysql ] || die "$server did not start"
        say "there is no MySQL: set ULID_MYSQL to the data source name of a server, or its tests are left out"
        echo "export ULID_MYSQL=none"
        continue
      fi
    fi
    cat "$dir/env"
  done
}

stop_server() {
  local pid
  if pid=$(pid "$1"); then
    # For PostgreSQL, SIGTERM would mean to wait until the last client has gone.
    if [ "$1" = postgres ]; then kill -INT "$pid"; else kill "$pid"; fi
    wait_for eval "! pid $1" || die "$1, process $pid, does not stop"
  fi
  rm -rf "${state:?}/$1"
}

stop() {
  local server
  for server in "$@"; do stop_server "$server"; done
  rmdir "$state" 2>/dev/null || true # unless others run
}

cd / # a folder that the servers' users may enter

command=${1-}
names=("${@:2}")
[ $# -gt 1 ] || names=(postgres mariadb mysql)
for name in "${names[@]}"; do
  case $name in
  postgres | mariadb | mysql) ;;
  *) die "there is no server $name, but postgres, mariadb and mysql" ;;
  esac
done
case $command in
start | stop) "$command" "${names[@]}" ;;
*) die "usage: servers.sh start|stop [postgres] [mariadb] [mysql]" ;;
esac
