package clients

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASteadyRun(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := mustPlay(t, steady(newScripted()))
		assert.InDelta(t, 600, r.Counts.Sent, 1)
		assert.Equal(t, r.Counts.Sent, r.Rows["request"].Count)
		assert.Zero(t, r.Rows["request"].Max, "a server that takes no time")
		assert.Equal(t, r.Rows["request"], r.Rows["ping"])
		assert.Equal(t, int64(1), r.Rows["logout"].Count)
		assert.Equal(t, 50.0, r.TickMS)
		assert.Equal(t, Counts{Sent: r.Counts.Sent, Answered: r.Counts.Sent, Logins: 1}, r.Counts)
	})
}

// The kind of failure: a client that waits for the answer before it sends on has
// one bad sample for a stall, whatever its length. Right: 15 s of stall in 30 s at
// 20 requests a second have 300 of 600 requests wait for 0 to 15 s. The mean is
// 3.75 s, the median nothing, and 1 % waited for longer than 14.7 s. It makes no
// difference whether the server does not answer or does not even read.
func TestV08_AStallIsInThePercentiles(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		t.Run(fmt.Sprintf("deaf %v", deaf), func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := newScripted()
				s.stall, s.stallEnd, s.deaf = 10*time.Second, 25*time.Second, deaf
				cfg := steady(s)
				cfg.Timeout = time.Minute
				row := mustPlay(t, cfg).Rows["request"]
				assert.InDelta(t, 600, row.Count, 1)
				assert.InDelta(t, 3750, row.Mean, 40)
				assert.InDelta(t, 0, row.P50, 60)
				assert.InDelta(t, 14_700, row.P99, 60)
				assert.InDelta(t, 15_000, row.Max, 60)
			})
		})
	}
}

// Nobody answers any more, and the end comes: what waits counts as long as it has.
func TestUnansweredRequestsCount(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.stall, s.stallEnd = 20*time.Second, time.Hour
		r := mustPlay(t, steady(s))
		assert.InDelta(t, 200, r.Counts.Unanswered, 1)
		assert.Equal(t, int64(1), r.Counts.LogoutsFailed)
		assert.Equal(t, map[string]int64{"logout: no bye within the timeout": 1}, r.Failures)
		assert.InDelta(t, 20_000, r.Rows["request"].Max, 60, "10 s to the end, 10 s for the bye")
	})
}

// A server that is away for a while: the schedule goes on, and clients come back.
func TestAnOutageIsMeasured(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.away, s.awayEnd = 10*time.Second, 15*time.Second
		cfg := steady(s)
		cfg.Clients = 20
		r := mustPlay(t, cfg)
		assert.Equal(t, int64(20), r.Counts.Lost)
		assert.Equal(t, int64(40), r.Counts.Logins)
		assert.InDelta(t, 20*600, r.Rows["request"].Count, 20, "none is left out")
		assert.Greater(t, r.Rows["request"].Max, 5000.0)
		assert.Less(t, r.Rows["request"].Max, 6300.0, "and a second more at most, until it has tried again")
		assert.Zero(t, r.Rows["request"].P50)
		assert.Greater(t, r.Rows["login"].Max, 5000.0, "coming back counts from the loss")
		assert.Positive(t, r.Failures["dial: connection refused"])
	})
}

func TestAServerThatIsGone(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.away, s.awayEnd = 10*time.Second, time.Hour
		cfg := steady(s)
		cfg.Clients = 3
		r, err := play(t, cfg)
		require.ErrorContains(t, err, "no client was in the game at the end: is the server at 127.0.0.1:7777 still there?")
		require.NotNil(t, r, "what there is")
		assert.InDelta(t, 3*400, r.Counts.Unsent, 3)
		assert.InDelta(t, 20_000, r.Rows["request"].Max, 60)
		assert.Equal(t, int64(3), r.Counts.NotLoggedIn)
	})
}

// failure is a line with an error event.
func failure(id int64, code string, retryMS int) string {
	retry := ""
	if retryMS > 0 {
		retry = fmt.Sprintf(`,"retry_ms":%d`, retryMS)
	}
	return fmt.Sprintf(`{"ev":"error","tick":1,"id":%d,"code":%q,"message":"m"%s}`+"\n", id, code, retry)
}

func TestARefusedLoginIsRetriedAfterItsHint(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.answer = func(s *scripted, r asked) (string, bool) {
			if r.Op != "login" || s.since() >= 7*time.Second {
				return "", false
			}
			return failure(r.ID, "busy", 3000), true
		}
		r := mustPlay(t, steady(s))
		var at []time.Duration
		for _, l := range s.logins() {
			at = append(at, l.at)
		}
		assert.Equal(t, []time.Duration{0, 3 * time.Second, 6 * time.Second, 9 * time.Second}, at)
		assert.Equal(t, int64(3), r.Counts.Refused)
		assert.Equal(t, int64(1), r.Counts.Logins)
		assert.Zero(t, r.Rows["login"].Count, "counted apart")
		assert.InDelta(t, 9000, r.Rows["login_retried"].Max, 10)
		assert.Equal(t, map[string]int64{"login refused: busy": 3}, r.Failures)
	})
}

func TestRefusedAtTheDoor(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.full = 5 * time.Second
		r := mustPlay(t, steady(s))
		assert.Equal(t, int64(3), r.Counts.Refused)
		assert.Equal(t, int64(1), r.Counts.Logins)
		assert.Zero(t, r.Counts.Lost)
	})
}

func TestARefusalForGood(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.answer = func(_ *scripted, r asked) (string, bool) {
			return failure(r.ID, "unknown_field", 0), r.Token != "secret"
		}
		cfg := steady(s)
		cfg.Clients, cfg.Tokens = 4, []string{"secret", "guess"}
		r := mustPlay(t, cfg)
		assert.Equal(t, int64(2), r.Counts.GaveUp)
		assert.Equal(t, int64(2), r.Counts.Logins)

		began := time.Now()
		cfg.Tokens = nil
		r, err := play(t, cfg)
		assert.ErrorContains(t, err, "nobody was let in: refused: unknown_field: m")
		assert.Equal(t, int64(4), r.Counts.GaveUp)
		assert.Less(t, time.Since(began), time.Second, "nothing to wait for")
	})
}

func TestNotAGameServer(t *testing.T) {
	for name, c := range map[string]struct{ hello, says string }{
		"another protocol": {"SSH-2.0-OpenSSH_9.2\r\n", `no game server at 127.0.0.1:7777: not a game server: a line that is no event: "SSH-2.0-OpenSSH_9.2"`},
		"binary":           {"\x00\x01", "a zero byte"},
		"an endless line":  {strings.Repeat("x", 5000), "a line of"},
		"JSON of others":   {`{"jsonrpc":"2.0"}` + "\n", "no event"},
		"silence":          {"", "no hello: read pipe: i/o timeout"},
		"a later version":  {`{"ev":"hello","tick":1,"version":2}` + "\n", "it speaks version 2 of the protocol, these clients version 1"},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := newScripted()
				s.hello = c.hello
				r, err := play(t, steady(s))
				assert.Nil(t, r)
				assert.ErrorContains(t, err, c.says)
				assert.ErrorContains(t, err, "is --addr its address?")
			})
		})
	}
}

func TestGarbageInTheMiddle(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.answer = func(s *scripted, r asked) (string, bool) {
			return "HTTP/1.1 400 Bad Request\n", r.Op == "ping" && len(s.logins()) == 1
		}
		r := mustPlay(t, steady(s))
		assert.Equal(t, int64(1), r.Counts.Garbage)
		assert.Equal(t, int64(2), r.Counts.Logins, "it connects again")
	})
}

func TestInterrupted(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		cfg := steady(s)
		cfg.Clients = 5
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, interrupt)
		r, err := Run(ctx, cfg)
		require.NoError(t, err)
		accounted(t, r)
		assert.True(t, r.Interrupted)
		assert.InDelta(t, 5*200, r.Counts.Sent, 5)
		assert.Equal(t, int64(5), r.Rows["logout"].Count)
		assert.Zero(t, r.Counts.Unsent, "only what was due until then")
	})
}

// Whoever interrupts has waited long enough: a server that does not say bye is
// given two seconds.
func TestInterruptedWithoutAnAnswer(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.stall, s.stallEnd = 5*time.Second, 200*time.Second
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, interrupt)
		r, err := Run(ctx, steady(s))
		require.NoError(t, err)
		assert.InDelta(t, 12_000, r.ElapsedMS, 10)
		assert.Equal(t, int64(1), r.Counts.LogoutsFailed)
	})
}

func TestComingAndGoing(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		cfg := steady(s)
		cfg.Clients, cfg.Session, cfg.Away, cfg.Duration, cfg.Rate = 50, 5*time.Second, time.Second, time.Minute, 2
		r := mustPlay(t, cfg)
		visits := r.Counts.Logins
		assert.InDelta(t, 500, visits, 100, "a visit takes 5 s and a second away")
		assert.InDelta(t, visits/2, r.Counts.Drops, 60)
		assert.Equal(t, visits, r.Counts.Drops+r.Rows["logout"].Count)
		assert.Zero(t, r.Counts.Lost)
		assert.Zero(t, r.Counts.Unanswered+r.Counts.Unsent, "who is away on purpose owes nothing")
		assert.Empty(t, r.Failures)
	})
}

func TestArrivals(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		cfg := steady(s)
		cfg.Clients, cfg.ArrivalRate, cfg.Rate = 100, 10, 0
		r := mustPlay(t, cfg)
		logins := s.logins()
		require.Len(t, logins, 100)
		assert.InDelta(t, 9.9, logins[99].at.Seconds(), 0.01)
		assert.Zero(t, r.Counts.Sent, "rate 0: they only stay")
		assert.Equal(t, "client-1", logins[0].Name)
	})
}

func TestSlowReadersHaveARowOfTheirOwn(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		cfg := steady(s)
		cfg.Clients, cfg.Slow, cfg.SlowPause = 40, 0.5, 4*time.Second
		r := mustPlay(t, cfg)
		assert.Zero(t, r.Rows["request"].Max)
		assert.InDelta(t, 20*600, r.Rows["slow"].Count, 6*600, "half of them, by draw")
		assert.Greater(t, r.Rows["slow"].P50, 1500.0)
		assert.Zero(t, r.Rows["login"].Max, "slow once they are in")
		assert.Zero(t, r.Counts.LogoutsFailed, "they read their bye at once")
	})
}

// A timer's figure is its lateness. After a resumed connection it still comes;
// after another welcome it does not.
func TestTimers(t *testing.T) {
	for _, outcome := range []string{"resumed", "known"} {
		t.Run(outcome, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				s := newScripted()
				s.answer = func(s *scripted, r asked) (string, bool) {
					switch r.Op {
					case "timer":
						return "\n", true // kept for later
					case "login":
						line := fmt.Sprintf(`{"ev":"welcome","tick":1,"id":%d,"outcome":%q}`+"\n", r.ID, outcome)
						for _, old := range s.log[:len(s.log)-1] {
							if old.Op == "timer" {
								line += fmt.Sprintf(`{"ev":"timer","tick":2,"id":%d}`+"\n", old.ID)
							}
						}
						return line, true
					}
					return "", false
				}
				cfg := steady(s)
				cfg.Mix, _ = ParseMix("timer=1")
				cfg.Rate, cfg.Duration = 1, 15*time.Second
				s.away, s.awayEnd = 10*time.Second+time.Millisecond, 11*time.Second
				r := mustPlay(t, cfg)
				if outcome == "known" {
					assert.Zero(t, r.Rows["timer"].Count)
					assert.Equal(t, r.Counts.Sent, r.Counts.Cancelled)
					return
				}
				assert.InDelta(t, 10, r.Rows["timer"].Count, 1)
				assert.InDelta(t, 10_500, r.Rows["timer"].Max, 1500)
				assert.Zero(t, r.Rows["request"].Count)
			})
		})
	}
}

func TestTheLogHoldsEverySample(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := newScripted()
		s.stall, s.stallEnd = 4500*time.Millisecond, 6500*time.Millisecond
		cfg := steady(s)
		var log bytes.Buffer
		var lives []Live
		cfg.Log, cfg.Progress = &log, func(l Live) { lives = append(lives, l) }
		r := mustPlay(t, cfg)

		total := map[string]int64{}
		worst := map[string]int64{}
		for in := hdr.NewHistogramLogReader(&log); ; {
			h, err := in.NextIntervalHistogram()
			require.NoError(t, err)
			if h == nil {
				break
			}
			total[h.Tag()] += h.TotalCount()
			worst[h.Tag()] = max(worst[h.Tag()], h.Max())
		}
		for name, row := range r.Rows {
			assert.Equal(t, row.Count, total[name], name)
			assert.InDelta(t, row.Max, float64(worst[name])/1e6, 0.001, name)
		}
		require.InDelta(t, 30, len(lives), 1)
		assert.Equal(t, 1, lives[3].LoggedIn)
		assert.Equal(t, int64(20), lives[3].Requests)
		assert.Zero(t, lives[5].Requests, "the stall")
		assert.InDelta(t, 2000, lives[6].Max.Milliseconds(), 60)
	})
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestALogThatCannotBeWritten(t *testing.T) {
	virtual(t, func(t *testing.T) {
		cfg := steady(newScripted())
		cfg.Log = full{}
		r, err := play(t, cfg)
		assert.ErrorContains(t, err, "write the log")
		assert.NotNil(t, r)
	})
}

func TestSameSeedSameSchedule(t *testing.T) {
	schedule := func(seed uint64) (log []asked) {
		virtual(t, func(t *testing.T) {
			s := newScripted()
			cfg := steady(s)
			cfg.Arrivals, cfg.Rate, cfg.Seed, cfg.Mix = "poisson", 2, seed, Defaults().Mix
			mustPlay(t, cfg)
			log = s.log
		})
		return log
	}
	a := schedule(7)
	assert.Equal(t, a, schedule(7))
	assert.NotEqual(t, a, schedule(8))
	assert.InDelta(t, 60, len(a), 25)
}
