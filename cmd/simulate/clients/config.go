package clients

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// MaxClients is the most clients of one process: one address has no more ports
// to connect from.
const MaxClients = 60_000

// Config says who plays and how. Start from [Defaults].
type Config struct {
	Addr     string        // host:port of the server
	Clients  int           // 1 to MaxClients
	Duration time.Duration // until everybody logs out, more than 0, at most a day

	// Rate is how many requests a second a client sends while it is in the game, 0
	// (it only stays) to 1,000.
	Rate float64
	// Arrivals is how a client's requests are spread: "poisson", independent of each
	// other, or "even", the same time apart from a start that is drawn.
	Arrivals string
	// ArrivalRate is how many clients a second arrive for the first time, evenly, up
	// to a million; 0 means all at once.
	ArrivalRate float64
	// Mix is what they ask for; see [ParseMix].
	Mix Mix

	// Session is how long a client stays at a time on average, drawn
	// exponentially; 0 means to the end.
	Session time.Duration
	// Drop is the share of stays, 0 to 1, that end with the connection and without
	// a logout.
	Drop float64
	// Away is how long a client that left stays away.
	Away time.Duration
	// Slow is the share of clients, 0 to 1, that once they are in read at most 4 KiB
	// every SlowPause. Their latencies have a row of their own.
	Slow      float64
	SlowPause time.Duration

	// Timeout bounds the wait for a connection, for room to send, for the answer to
	// a login and for the bye after a logout.
	Timeout time.Duration
	// Prefix begins the players' names; a number follows. Two fleets on one server
	// need two prefixes, or each takes over the other's players.
	Prefix string
	// Tokens are sent with the logins as the member "token", the first by the first
	// client and so on, again from the start if there are fewer. None means none.
	Tokens []string
	// Seed of every draw.
	Seed uint64

	// Dial connects. nil means TCP to Addr.
	Dial func(ctx context.Context) (net.Conn, error)
	// Log gets a histogram of each row every second, in the HdrHistogram log
	// format. nil means none.
	Log io.Writer
	// Progress is called every second. nil means nobody.
	Progress func(Live)
}

// Defaults returns 100 clients that stay for 30 s and ask for something once a
// second.
func Defaults() Config {
	mix, _ := ParseMix("ping=40,attack=40,cast=10,timer=10")
	return Config{
		Addr: "127.0.0.1:7777", Clients: 100, Duration: 30 * time.Second,
		Rate: 1, Arrivals: "poisson", ArrivalRate: 500, Mix: mix,
		Drop: 0.5, Away: 2 * time.Second, SlowPause: 5 * time.Second,
		Timeout: 10 * time.Second, Prefix: "client-", Seed: 1,
	}
}

// Validate returns all that is wrong with c, joined, or nil.
func (c Config) Validate() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("clients: "+format, args...))
		}
	}
	within := func(v, lo, hi float64) bool { return v >= lo && v <= hi } // false for NaN
	bad(hostPort(c.Addr), "addr %q: want host:port, such as 127.0.0.1:7777", c.Addr)
	bad(c.Clients >= 1 && c.Clients <= MaxClients, "clients %d: want 1 to %d", c.Clients, MaxClients)
	bad(c.Duration > 0 && c.Duration <= 24*time.Hour, "duration %v: want more than 0, at most 24h", c.Duration)
	bad(within(c.Rate, 0, 1000), "rate %v: want 0 (only stay) to 1000 requests a second", c.Rate)
	bad(c.Arrivals == "poisson" || c.Arrivals == "even", "arrivals %q: want poisson or even", c.Arrivals)
	bad(within(c.ArrivalRate, 0, 1e6), "arrival-rate %v: want 0 (all at once) to 1000000 clients a second", c.ArrivalRate)
	bad(c.Mix.total > 0 || c.Rate == 0, "mix: empty: want some of %s", mixNames())
	bad(c.Session >= 0, "session %v: want 0 (to the end) or more", c.Session)
	bad(within(c.Drop, 0, 1), "drop %v: want 0 to 1, the share of stays that end without a logout", c.Drop)
	bad(c.Away >= 0, "away %v: want 0 or more", c.Away)
	bad(within(c.Slow, 0, 1), "slow %v: want 0 to 1, the share of slow readers", c.Slow)
	bad(c.Slow == 0 || c.SlowPause > 0, "slow-pause %v: want more than 0", c.SlowPause)
	bad(c.Timeout > 0, "timeout %v: want more than 0", c.Timeout)
	if err := protocol.CheckName(c.name(MaxClients)); err != nil {
		errs = append(errs, fmt.Errorf("clients: prefix %q: with a number it is no name: %s", c.Prefix, err.Message))
	}
	return errors.Join(errs...)
}

func hostPort(addr string) bool {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// name is the player's name of client i, counted from 0.
func (c Config) name(i int) string { return c.Prefix + strconv.Itoa(i+1) }

// arrival is when client i arrives for the first time, after the start.
func (c Config) arrival(i int) time.Duration {
	if c.ArrivalRate == 0 {
		return 0
	}
	d := float64(i) / c.ArrivalRate * float64(time.Second)
	return time.Duration(min(d, math.MaxInt64/2))
}
