// Keycost measures what a kind of key costs a database. It inserts the same rows under a
// bigint from the database, a random UUID, ULIDs in each form and UUIDv7s, into PostgreSQL,
// MariaDB and SQLite, whose caches are smaller than the indexes.
//
//	go run -C interop ./keycost                  # a million rows of each kind
//	go run -C interop ./keycost -rows 100000     # in a few minutes
//
// It starts servers for itself by servers.sh, with options that it prints, and writes tables in Markdown to standard
// output, progress to standard error, and what it has measured to the file -o. If that is docs/keycost.json, then
//
//	go generate -C interop ./keycost
//
// writes the tables of docs/keycost.md and the picture docs/keycost.svg anew.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/seed-961d0905/ulid/interop/page"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Stderr, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "keycost:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out, progress io.Writer, args []string) error {
	flags := flag.NewFlagSet("keycost", flag.ContinueOnError)
	rows := flags.Int("rows", 1_000_000, "rows of each kind; a multiple of 25 batches")
	batch := flags.Int("batch", 500, "rows in a transaction")
	cache := flags.Int("cache", 16, "cache of each database in MB")
	only := flags.String("db", "postgres,mariadb,sqlite", "databases to measure")
	dir := flags.String("dir", os.TempDir(), "folder on the disk that is to hold the databases")
	file := flags.String("o", "", "file for what is measured, relative to interop")
	if err := flags.Parse(args); err != nil {
		return err
	}

	r, err := measure(ctx, progress, load{*rows, *batch, 10_000}, *cache, *dir, strings.Split(*only, ","))
	if err != nil {
		return err
	}
	r.Command = strings.Join(append([]string{"go run -C interop ./keycost"}, args...), " ")
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if *file != "" {
		if err := os.WriteFile(*file, data, 0o666); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, r.markdown())
	return err
}

// measure starts the databases one after the other and measures every kind of key in each.
func measure(ctx context.Context, progress io.Writer, l load, cache int, dir string, only []string) (r report, err error) {
	if err := l.check(); err != nil {
		return r, err
	}
	dir, err = os.MkdirTemp(dir, "keycost")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// The servers run as other users.
	if err := os.Chmod(dir, 0o755); err != nil {
		return r, err
	}

	r = report{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine(), Rows: l.rows}
	for _, name := range only {
		results, settings, err := measureDatabase(ctx, progress, l, cache, dir, name)
		if err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
		r.Results = append(r.Results, results...)
		r.Settings = append(r.Settings, settings)
	}
	return r, nil
}

func measureDatabase(ctx context.Context, progress io.Writer, l load, cache int, dir, name string) (results []result, settings string, err error) {
	db, options, stop, err := openDatabase(ctx, cache, dir, name)
	defer func() { err = errors.Join(err, stop()) }()
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	var version string
	if err := db.read(ctx, db.version, &version); err != nil {
		return nil, "", err
	}
	settings = version + ": `" + strings.Join(options, " ") + "`"
	fmt.Fprintln(progress, settings)

	// The first load of a new server is slower than the next: its log files do not exist yet.
	fmt.Fprintln(progress, "a tenth of the rows first, not measured")
	if _, err := measureKind(ctx, io.Discard, db, db.kinds[0], load{windows * l.batch * max(1, l.windows()/10), l.batch, 0}); err != nil {
		return nil, "", err
	}
	for _, k := range db.kinds {
		result, err := measureKind(ctx, progress, db, k, l)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", k.Name, err)
		}
		results = append(results, result)
	}
	return results, settings, nil
}

// openDatabase starts a database and opens it. The caller must call stop, even after an error.
func openDatabase(ctx context.Context, cache int, dir, name string) (db *database, options []string, stop func() error, err error) {
	stop = func() error { return nil }
	switch name {
	case "postgres", "mariadb":
		var dsn string
		options = serverOptions(name, cache)
		if dsn, stop, err = startServer(filepath.Join(dir, name), name, options); err != nil {
			return nil, nil, stop, err
		}
		if name == "postgres" {
			db, err = openPostgres(ctx, dsn)
		} else {
			db, err = openMariaDB(ctx, dsn)
		}
	case "sqlite":
		options = sqliteOptions(cache)
		db, err = openSQLite(ctx, filepath.Join(dir, "keycost.db"), options)
	default:
		err = errors.New("no such database")
	}
	return db, options, stop, err
}

// serverOptions returns the options of a server whose cache holds so many MB. Its log is in
// the proportion to its cache that it has by default.
func serverOptions(server string, cache int) []string {
	if server == "postgres" { // by default 128 MB and 1 GB
		return []string{
			"-c", fmt.Sprintf("shared_buffers=%dMB", cache),
			"-c", fmt.Sprintf("max_wal_size=%dMB", max(32, 8*cache)),
			"-c", "min_wal_size=32MB",
			"-c", "fsync=on",
			// Or else it would come at some moment, in some of the loads.
			"-c", "autovacuum=off",
		}
	}
	return []string{ // by default 128 MB and 96 MB
		fmt.Sprintf("--innodb-buffer-pool-size=%dM", cache),
		fmt.Sprintf("--innodb-log-file-size=%dM", max(4, cache*3/4)),
		"--innodb-flush-log-at-trx-commit=1",
	}
}

var exported = regexp.MustCompile(`(?m)^export (ULID_\w+)='(.*)'$`)

// startServer starts the servers of servers.sh in a folder, one of them with options. The
// caller must call stop, even after an error.
func startServer(dir, server string, options []string) (dsn string, stop func() error, err error) {
	name := "ULID_" + strings.ToUpper(server)
	script := func(command string) ([]byte, error) {
		cmd := exec.Command(filepath.Join(page.Root(), "interop/db/servers.sh"), command)
		cmd.Env = append(os.Environ(), "ULID_SERVERS_DIR="+dir, name+"_OPTIONS="+strings.Join(options, " "))
		var log strings.Builder
		cmd.Stderr = &log
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("servers.sh %s: %w\n%s", command, err, log.String())
		}
		return out, err
	}
	stop = func() error { _, err := script("stop"); return err }

	out, err := script("start")
	for _, match := range exported.FindAllStringSubmatch(string(out), -1) {
		if match[1] == name {
			return match[2], stop, err
		}
	}
	return "", stop, errors.Join(err, fmt.Errorf("servers.sh start names no %s", name))
}
