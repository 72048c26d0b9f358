package db

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Root evaluates what servers.sh prints, and servers.sh kills for root. These tests attack it as other users of the
// machine. They have folders of their own, so servers that run already stay as they are.

const nobody = 65534

// needRoot skips a test that is about root and other users.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("to test servers.sh, run this as root on Debian, such as in a container of golang:1.26-bookworm")
	}
}

// shell runs code in bash, with a folder as $1, after the words of prefix, such as those of as.
func shell(t *testing.T, code, folder string, prefix ...string) {
	t.Helper()
	args := append(prefix, "bash", "-euc", code, "bash", folder)
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, code, out)
	}
}

func as(user string) []string { return []string{"runuser", "-u", user, "--"} }

// servers runs servers.sh with a folder.
func servers(t *testing.T, folder string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command("./servers.sh", args...)
	cmd.Env = append(os.Environ(), "ULID_SERVERS_DIR="+folder)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// openFolder returns a folder where everybody can make others, as in /tmp.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ulid-servers-test-")
	Check(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	Check(t, os.Chmod(dir, 0o777|os.ModeSticky))
	return dir
}

// A victim is a process that servers.sh did not start, but whose arguments have a path below its folder.
type victim struct {
	cmd  *exec.Cmd
	done chan error
}

func newVictim(t *testing.T, folder string, uid uint32) *victim {
	t.Helper()
	cmd := &exec.Cmd{Path: "/bin/sleep", Args: []string{folder + "/postgres/data", "600"}}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	Check(t, cmd.Start())
	v := &victim{cmd, make(chan error, 1)}
	go func() { v.done <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })
	return v
}

func (v *victim) pid() string { return strconv.Itoa(v.cmd.Process.Pid) }

// lives fails the test if something has killed the process.
func (v *victim) lives(t *testing.T) {
	t.Helper()
	select {
	case err := <-v.done:
		t.Errorf("servers.sh has killed a process that it did not start: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
}

// forge replaces the files that servers.sh might read below $1, where it can: an env must not be evaluated, and the
// process $PID not be killed.
const forge = `
	mkdir -p "$1/postgres"
	for at in "$1/postgres." "$1/postgres/"; do
		rm -f "${at}env" "${at}pid"
		echo "export ULID_POSTGRES=forged" >"${at}env"
		echo "$PID" >"${at}pid"
	done`

// TestServersFolder has folders that somebody else made or can change.
func TestServersFolder(t *testing.T) {
	needRoot(t)
	for name, test := range map[string]struct {
		root, nobody string // what each of them does, with the path as $1
	}{
		"another user made it":      {nobody: `mkdir "$1"`},
		"another user made a link":  {root: `mkdir -m 711 "$1.ours"`, nobody: `ln -s "$1.ours" "$1"`},
		"a link with a slash":       {root: `mkdir -m 711 "$1.ours"; ln -s "$1.ours/" "$1"`},
		"its group may write":       {root: `mkdir -m 731 "$1"`},
		"everybody may write":       {root: `mkdir -m 1777 "$1"`},
		"another user's, forbidden": {nobody: `mkdir -m 711 "$1"`},
		"it is a file":              {root: `echo >"$1"`},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(openFolder(t), "servers")
			v := newVictim(t, folder, nobody)
			t.Setenv("PID", v.pid())
			shell(t, ":;"+test.root, folder)
			shell(t, ":;"+test.nobody, folder, as("nobody")...)
			if info, err := os.Stat(folder); err == nil && info.IsDir() {
				shell(t, forge, folder)
			}
			for _, command := range []string{"start", "stop"} {
				for _, path := range []string{folder, folder + "//"} {
					stdout, stderr, err := servers(t, path, command, "postgres")
					if err == nil || stdout != "" || !strings.Contains(stderr, folder+" ") {
						t.Errorf("%s %s: %v, stdout %q, stderr %q", command, path, err, stdout, stderr)
					}
				}
			}
			v.lives(t)
		})
	}
}

// TestServersDefault shows that the default folder is not one that another user can make.
func TestServersDefault(t *testing.T) {
	needRoot(t)
	temp := openFolder(t)
	folder := temp + "/ulid-servers-0"
	v := newVictim(t, folder, nobody)
	t.Setenv("PID", v.pid())
	t.Setenv("TMPDIR", temp)
	t.Setenv("ULID_SERVERS_DIR", "")
	shell(t, forge, folder, as("nobody")...)
	shell(t, `mount -t tmpfs -o mode=755 none /var/cache; ./servers.sh stop`, folder, ownMounts(t)...)
	v.lives(t)
}

// ownMounts returns the words before a command whose mounts nobody else sees.
func ownMounts(t *testing.T) []string {
	t.Helper()
	words := []string{"unshare", "--mount"}
	out, err := exec.Command(words[0], append(words[1:], "true")...).CombinedOutput()
	if err != nil {
		t.Skipf("to test servers.sh, run this as root where unshare --mount is allowed, "+
			"which docker run --privileged allows: %v: %s", err, out)
	}
	return words
}

// TestServersUser lets the user of a server write where it can.
func TestServersUser(t *testing.T) {
	needRoot(t)
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) == 0 {
		t.Skip("to test servers.sh, install postgresql, or run interop/db/servers.sh start, which does")
	}
	folder, err := os.MkdirTemp("", "ulid-servers-test-")
	Check(t, err)
	before, stderr, err := servers(t, folder, "start", "postgres")
	t.Cleanup(func() { servers(t, folder, "stop") })
	if err != nil || !strings.HasPrefix(before, "export ULID_POSTGRES='postgres://") || strings.Count(before, "\n") != 1 {
		t.Fatalf("start: %v, stdout %q, stderr\n%s", err, before, stderr)
	}

	paths, err := filepath.Glob(folder + "/*")
	Check(t, err)
	for _, path := range append(paths, folder) {
		info, err := os.Lstat(path)
		Check(t, err)
		rootOnly := info.Sys().(*syscall.Stat_t).Uid == 0 && info.Mode()&0o022 == 0
		if rootOnly == (path == folder+"/postgres") {
			t.Errorf("%s: only root may write there: %t", path, rootOnly)
		}
	}
	v := newVictim(t, folder, 0)
	t.Setenv("PID", v.pid())
	shell(t, "set +e"+forge+"\ntrue", folder, as("postgres")...)

	after, stderr, err := servers(t, folder, "start", "postgres")
	if err != nil || after != before {
		t.Errorf("start again: %v, stdout %q, want %q, stderr\n%s", err, after, before, stderr)
	}
	connect := func() error {
		dsn := strings.TrimSuffix(strings.TrimPrefix(before, "export ULID_POSTGRES='"), "'\n")
		return Connect(t, "pgx", dsn).Ping()
	}
	if err := connect(); err != nil {
		t.Error(err)
	}
	_, stderr, err = servers(t, folder, "stop")
	if err != nil {
		t.Errorf("stop: %v, stderr\n%s", err, stderr)
	}
	if connect() == nil {
		t.Error("stop leaves the server running")
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("stop leaves the folder: %v", err)
	}
	v.lives(t)
}

// TestServersTwice starts twice at once where MariaDB is not installed. Apt-get is one that installs nothing and takes
// its time. While it runs, a policy-rc.d must keep packages from starting services, and afterwards it must be gone.
func TestServersTwice(t *testing.T) {
	needRoot(t)
	mounts := ownMounts(t)
	dir := t.TempDir()
	const aptGet = `#!/bin/bash
[ "$1" = install ] || exit 0
touch "$DIR/installing"
for ((i = 0; i < DURATION; i++)); do
	/usr/sbin/policy-rc.d
	[ $? = 101 ] || echo "no policy-rc.d at $i of $DURATION" >>"$DIR/wrong"
	sleep 0.1
done
echo "installed for $DURATION" >>"$DIR/done"
exit 1
`
	Check(t, os.WriteFile(dir+"/apt-get", []byte(aptGet), 0o755))
	t.Setenv("ULID_SERVERS_DIR", dir+"/servers")
	shell(t, `
		mount -t tmpfs none /usr/sbin
		mount -t tmpfs none /var/cache
		export PATH="$1:$PATH" DIR="$1"
		DURATION=5 ./servers.sh start mariadb &
		for _ in {1..1000}; do [ -e "$1/installing" ] || sleep 0.01; done
		DURATION=10 ./servers.sh start mariadb || true
		wait
		ls -A /usr/sbin >"$1/left"`, dir, mounts...)
	for file, want := range map[string]string{"done": "installed for 5\ninstalled for 10\n", "wrong": "", "left": ""} {
		got, err := os.ReadFile(filepath.Join(dir, file))
		if string(got) != want || err != nil && !os.IsNotExist(err) {
			t.Errorf("%s: %q, %v, want %q", file, got, err, want)
		}
	}
}
