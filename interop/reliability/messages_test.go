package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/seed-961d0905/ulid"
	"github.com/seed-961d0905/ulid/interop/db"
	"github.com/seed-961d0905/ulid/interop/page"
)

// A service is a process that answers each ID with two of its own.
type service struct {
	Clock  time.Duration // how far its clock goes wrong
	Limit  time.Duration // of AdvancePast
	UUIDv7 bool
	Forget bool // whether it makes its IDs without AdvancePast
}

// serviceMain is the process. Its argument is the service.
func serviceMain() {
	var s service
	err := json.Unmarshal([]byte(os.Args[1]), &s)
	if err == nil {
		err = s.serve(os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

// serve ends when in does.
func (s service) serve(in io.Reader, out io.Writer) error {
	ids := ulid.Generator{
		Clock:  func() time.Time { return time.Now().Add(s.Clock) },
		UUIDv7: s.UUIDv7,
	}
	for {
		var cause ulid.ULID
		if _, err := io.ReadFull(in, cause[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if !s.Forget {
			if err := ids.AdvancePast(cause, s.Limit); err != nil {
				return err
			}
		}
		var effects [2]ulid.ULID
		if err := ids.Fill(effects[:]); err != nil {
			return err
		}
		if _, err := out.Write(append(effects[0].Bytes(), effects[1].Bytes()...)); err != nil {
			return err
		}
	}
}

// A peer is a service as the test sees it.
type peer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.Reader
	last ulid.ULID
}

func start(ctx context.Context, s service) (*peer, error) {
	self, selfErr := os.Executable()
	argument, err := json.Marshal(s)
	if err := errors.Join(selfErr, err); err != nil {
		return nil, err
	}
	p := &peer{cmd: exec.CommandContext(ctx, self, string(argument))}
	p.cmd.Env = append(os.Environ(), asProgram+"="+asService)
	p.cmd.Stderr = os.Stderr
	in, inErr := p.cmd.StdinPipe()
	out, outErr := p.cmd.StdoutPipe()
	p.in, p.out = in, out
	return p, errors.Join(inErr, outErr, p.cmd.Start())
}

// answer sends a cause and returns its effects. It reports whether each is greater than the cause, and than what the
// peer answered before.
func (p *peer) answer(cause ulid.ULID) (effects [2]ulid.ULID, ordered bool, err error) {
	if _, err := p.in.Write(cause[:]); err != nil {
		return effects, false, err
	}
	for i := range effects {
		if _, err := io.ReadFull(p.out, effects[i][:]); err != nil {
			return effects, false, err
		}
	}
	ordered = effects[0].Compare(cause) > 0 && effects[0].Compare(p.last) > 0 && effects[1].Compare(effects[0]) > 0
	p.last = effects[1]
	return effects, ordered, nil
}

// clocks are those of three services. The limit lets the slowest accept what the fastest's shows, and a reserve more.
var clocks = [3]time.Duration{0, -3 * time.Second, 4 * time.Second}

const (
	fastest = 4 * time.Second
	reserve = 100 * time.Millisecond
	limit   = 7*time.Second + reserve
)

// A traffic is what comes of many messages.
type traffic struct {
	disordered int // effects that sort before their cause
	ahead      int // of the fastest clock, in milliseconds
}

// pass lets the services send n messages. The cause of each is one of the last IDs of the others or of the service
// itself, often one that it has passed already.
func pass(t *testing.T, n int, services [3]service) (all traffic) {
	t.Helper()
	ctx, cancel := beforeDeadline(t)
	defer cancel(nil)
	var peers [3]*peer
	for i, s := range services {
		s.Clock = clocks[i]
		p, err := start(ctx, s)
		db.Check(t, err)
		peers[i] = p
	}
	random := rand.New(rand.NewPCG(1, 2))
	var recent [4]ulid.ULID
	for range n {
		cause := &recent[random.IntN(len(recent))]
		effects, ordered, err := peers[random.IntN(len(peers))].answer(*cause)
		db.Check(t, err)
		*cause = effects[random.IntN(len(effects))]
		if !ordered {
			all.disordered++
		}
		ahead := effects[1].Timestamp().Sub(time.Now().Add(fastest).Truncate(time.Millisecond))
		all.ahead = max(all.ahead, int(ahead.Milliseconds()))
	}
	for _, p := range peers {
		p.in.Close()
		db.Check(t, p.cmd.Wait())
	}
	return all
}

func messages() int {
	if os.Getenv("ULID_LONG") == "1" {
		return 1_000_000
	}
	return 5000
}

// No effect sorts before its cause, in services whose clocks are seconds apart. Timestamps stay within the limit of
// the slowest clock.
func TestMessages(t *testing.T) {
	page.Fact(t, "docs/order.md", "effects-sort-after-causes")
	plain, uuidv7 := service{Limit: limit}, service{Limit: limit, UUIDv7: true}
	all, allUUIDv7 := service{Limit: math.MaxInt64}, service{Limit: math.MaxInt64, UUIDv7: true}
	for _, c := range []struct {
		name     string
		services [3]service
		most     time.Duration // ahead of the fastest clock
	}{
		{name: "plain", services: [3]service{plain, plain, plain}, most: reserve + time.Millisecond},
		{name: "UUIDv7", services: [3]service{uuidv7, uuidv7, uuidv7}, most: reserve + time.Millisecond},
		{name: "both", services: [3]service{all, allUUIDv7, all}, most: math.MaxInt64}, // which runs ahead
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			got := pass(t, messages(), c.services)
			t.Logf("%d messages in %v: %d effects before their causes; timestamps %d ms ahead of the fastest clock",
				messages(), time.Since(begin).Round(100*time.Millisecond), got.disordered, got.ahead)
			if got.disordered > 0 || int64(got.ahead) > c.most.Milliseconds() {
				t.Errorf("want none, and at most %v", c.most)
			}
		})
	}
}

// Without AdvancePast the test finds many effects before their causes.
func TestMessagesWithoutAdvancePast(t *testing.T) {
	forgets := service{Forget: true}
	n := messages()
	got := pass(t, n, [3]service{forgets, forgets, forgets})
	t.Logf("%d messages: %d effects before their causes; timestamps %d ms ahead of the fastest clock",
		n, got.disordered, got.ahead)
	if got.disordered < n/5 || got.ahead > 1 {
		t.Errorf("want at least %d, and 1 ms", n/5)
	}
}
