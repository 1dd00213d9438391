package session_test

import (
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/session"
	"github.com/tickwheel/tickwheel/tick"
	"github.com/tickwheel/tickwheel/tick/ticktest"
)

var long = flag.Bool("long", false, "run known-failure cases at full size")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// size returns what a case runs with: small, or full under -long.
func size(small, full int) int {
	if *long {
		return full
	}
	return small
}

const interval = 50 * time.Millisecond

type (
	registry = session.Registry[*Player]
	sess     = session.Session[*Player]
	conn     = session.Conn[*Player]
)

func world(t testing.TB, lc tick.Config, c session.Config) (*tick.Loop, *registry) {
	t.Helper()
	l := ticktest.New(t, lc)
	r, err := session.New[*Player](l, c)
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// login logs in and must get outcome o.
func login(t testing.TB, c *conn, id string, o session.Outcome) *sess {
	t.Helper()
	s, got, err := c.Login(id, &Player{})
	if err != nil || got != o {
		t.Fatalf("Login(%q) = %v, %v, want %v", id, got, err, o)
	}
	return s
}
