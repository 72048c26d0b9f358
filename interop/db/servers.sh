#!/usr/bin/env bash
# Database servers for tests, on a bare Debian machine.
#
#   eval "$(interop/db/servers.sh start)"            # installs and starts the servers, and sets ULID_POSTGRES …
#   eval "$(interop/db/servers.sh start postgres)"   # one server; or several of postgres, mariadb and mysql
#   interop/db/servers.sh stop                       # stops these servers and removes their data
#   interop/db/servers.sh stop mariadb mysql         # stops some of them
#
# They listen on free ports of the loopback and run as unprivileged users. On stdout start prints only lines that
# set the environment. It does not start again what is running. ULID_POSTGRES_OPTIONS and ULID_MARIADB_OPTIONS are
# further options: "-c name=value" and "--name=value".
#
# Their folder is ulid-servers below /var/cache for root, below ~/.cache for others, or ULID_SERVERS_DIR. It must belong
# to the caller, and nobody else may write to it, because the caller evaluates and kills what the script noted there.
# So each server's own folder in it holds nothing that the script reads.
set -euo pipefail

is_root() { [ "$(id -u)" = 0 ]; }
if is_root; then cache=/var/cache; else cache=${XDG_CACHE_HOME:-$HOME/.cache}; fi
state=$(realpath -ms "${ULID_SERVERS_DIR:-$cache/ulid-servers}") # -s, because a link must be seen as a link
PATH=$PATH:/usr/sbin:/sbin # mariadbd, and a plain user may lack them

say() { printf 'servers.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
pg_bin() { printf '%s\n' ${ULID_POSTGRES_BIN:-/usr/lib/postgresql/*/bin} | sort -V | tail -n 1; }

# is_safe reports whether the folder of the servers belongs to the caller, is no link, and is the caller's alone to
# write to.
is_safe() { [ -n "$(find "$state" -maxdepth 0 -type d -uid "$(id -u)" ! -perm /022)" ]; }

# install_missing installs what the named servers need. MySQL is fetched, but is reached through the client of MariaDB.
install_missing() (
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
    trap "rm -f $policy" EXIT
    printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy
  fi
  ! $policy postgresql start >&2 || die "$policy lets packages start services; install ${packages[*]} yourself"
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --no-remove \
      -o DPkg::Lock::Timeout=300 "${packages[@]}"; } >&2 || die "cannot install ${packages[*]}"
)

# fetch_mysql unpacks MySQL into a folder, where the next start finds it. Debian has it in its unstable release only, so
# it runs with the libraries of that release, and nothing is installed. Remove the folder to get a newer one.
fetch_mysql() {
  mysql=$cache/ulid-mysql
  [ ! -d "$mysql" ] || return 0
  local dir uri apt fetched=1
  dir=$(mktemp -d "$mysql.XXXXXX") || return 1
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -vm 1 security)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri sid main" >"$dir/list"
  touch "$dir/status" # empty, so that apt fetches all that MySQL needs
  apt=(apt-get -y --no-install-recommends -o Dir::Etc::SourceList="$dir/list" -o Dir::Etc::SourceParts=-
    -o Dir::State="$dir" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir" -o APT::Sandbox::User=root)
  "${apt[@]}" update && "${apt[@]}" install --download-only mysql-server-core &&
    printf '%s\0' "$dir"/archives/*.deb | xargs -0 -I{} dpkg -x {} "$dir/root" && chmod 755 "$dir/root" &&
    mv -T "$dir/root" "$mysql" && fetched=0
  rm -rf "$dir"
  return $fetched
}

# Each of these starts a server in $dir on $port, and returns once it answers. The steps are chained, because errexit is
# off in a function that is called as a condition. ${as[@]} before a command runs it as the server's user.

start_postgres() {
  local bin options
  read -ra options <<<"${ULID_POSTGRES_OPTIONS-}"
  bin=$(pg_bin) && dsn="postgres://postgres@127.0.0.1:$port/ulid?sslmode=disable" &&
    "${as[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C &&
    run "$bin/postgres" -D "$dir/data" -c listen_addresses=127.0.0.1 -p "$port" -k "$dir" -c fsync=off \
      "${options[@]}" &&
    ask "$bin/createdb" -h 127.0.0.1 -p "$port" -U postgres ulid
}

start_mariadb() {
  local options
  read -ra options <<<"${ULID_MARIADB_OPTIONS-}"
  "${as[@]}" mariadb-install-db --no-defaults --datadir="$dir/data" --tmpdir="$dir" \
    --skip-test-db --auth-root-authentication-method=normal && run_mysqld mariadbd --no-defaults "${options[@]}"
}

start_mysql() {
  local loader mysqld
  loader=$(echo "$mysql"/usr/lib/*/ld-linux-*.so.*)
  mysqld=("$loader" --library-path "$(dirname "$loader")" "$mysql/usr/sbin/mysqld" --no-defaults
    --basedir="$mysql/usr" --secure-file-priv=NULL)
  "${as[@]}" "${mysqld[@]}" --datadir="$dir/data" --tmpdir="$dir" --initialize-insecure &&
    run_mysqld "${mysqld[@]}" --mysqlx=OFF --sync-binlog=0
}

run_mysqld() {
  dsn="root@tcp(127.0.0.1:$port)/ulid"
  run "$@" --datadir="$dir/data" --tmpdir="$dir" --bind-address=127.0.0.1 --port="$port" --socket="$dir/socket" \
    --innodb-flush-log-at-trx-commit=0 &&
    ask mariadb --no-defaults --protocol=tcp -h 127.0.0.1 -P "$port" -u root -e 'CREATE DATABASE ulid'
}

# run starts a server that outlives this script, without its lock, and remembers the process.
run() {
  "${as[@]}" setsid "$@" >"$dir.log" 2>&1 </dev/null {lock}>&- &
  echo $! >"$dir.pid"
}

# ask repeats a command until the server that run started answers it, for half a minute.
ask() {
  local end=$((SECONDS + 30))
  until "${as[@]}" "$@" &>/dev/null; do
    sleep 0.2 && kill -0 $! 2>/dev/null && [ $SECONDS -lt $end ] || return 1
  done
}

# pid prints the process id of a server that this script started and that still runs. The kernel gives numbers out
# again, so the process must also have been told of our folder.
pid() {
  local pid
  pid=$(cat "$state/$1.pid" 2>/dev/null) && grep -qaF "$state/$1/" "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"
}

start() {
  local server user dir port dsn as=()
  mkdir -p "$(dirname "$state")"
  mkdir -m 711 "$state" 2>/dev/null || is_safe ||
    die "$state must be a folder of $(id -un), and nobody else may write to it"
  chmod 711 "$state" # the users of the servers must pass
  install_missing "$@"
  for server in "$@"; do
    dir=$state/$server
    if ! { pid $server >/dev/null && [ -e "$dir.env" ]; }; then
      stop_server $server # what an interrupted start left
      say "starting $server below $dir"
      mkdir -m 700 "$dir"
      if is_root; then # anybody else is unprivileged already
        user=${server/mariadb/mysql}
        as=(setpriv --reuid="$user" --regid="$user" --init-groups)
        chown "$user" "$dir"
      fi
      port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
      if { [ $server != mysql ] || fetch_mysql; } >&2 && "start_$server" >&2; then
        echo "export ULID_${server^^}='$dsn'" >"$dir.env"
      else
        cat "$dir.log" >&2 || true
        stop_server $server # or else the next start would take one that only half started for a running one
        [ $server = mysql ] || die "$server did not start"
        say "there is no MySQL: set ULID_MYSQL to the data source name of a server, or its tests are left out"
        echo "export ULID_MYSQL=none"
        continue
      fi
    fi
    cat "$dir.env"
  done
}

stop_server() {
  local pid end=$((SECONDS + 30))
  if pid=$(pid "$1"); then
    # For PostgreSQL, SIGTERM would mean to wait until the last client has gone.
    if [ "$1" = postgres ]; then kill -INT "$pid"; else kill "$pid"; fi
    while pid "$1" >/dev/null; do
      sleep 0.2
      [ $SECONDS -lt $end ] || die "$1, process $pid, does not stop"
    done
  fi
  rm -rf "${state:?}/$1" "$state/$1".{pid,env,log}
}

stop() {
  local server
  [ -e "$state" ] || [ -L "$state" ] || return 0
  is_safe || die "$state is not a folder of $(id -un) to which nobody else may write, so nothing in it is stopped"
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
start | stop)
  # One at a time: the first to end would remove the policy-rc.d of the second, which saw it and relies on it.
  mkdir -p "$cache"
  exec {lock}>>"$cache/ulid-servers.lock"
  flock -w 600 "$lock" || die "another servers.sh has been running for ten minutes"
  "$command" "${names[@]}"
  ;;
*) die "usage: servers.sh start|stop [postgres] [mariadb] [mysql]" ;;
esac
