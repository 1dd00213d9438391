package clients

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

func TestValidate(t *testing.T) {
	require.NoError(t, Defaults().Validate())
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Addr = "7777" }, `addr "7777": want host:port`},
		{func(c *Config) { c.Addr = "host:0" }, "want host:port"},
		{func(c *Config) { c.Addr = ":7777" }, "want host:port"},
		{func(c *Config) { c.Clients = 0 }, "clients 0: want 1 to 60000"},
		{func(c *Config) { c.Clients = 60_001 }, "clients 60001: want 1 to 60000"},
		{func(c *Config) { c.Duration = 0 }, "duration 0s: want more than 0"},
		{func(c *Config) { c.Rate = -1 }, "rate -1: want 0"},
		{func(c *Config) { c.Rate = math.NaN() }, "rate NaN"},
		{func(c *Config) { c.Arrivals = "often" }, `arrivals "often": want poisson or even`},
		{func(c *Config) { c.ArrivalRate = math.Inf(1) }, "arrival-rate +Inf"},
		{func(c *Config) { c.Mix = Mix{} }, "mix: empty: want some of ping"},
		{func(c *Config) { c.Session = -1 }, "session -1ns"},
		{func(c *Config) { c.Drop = 1.5 }, "drop 1.5: want 0 to 1"},
		{func(c *Config) { c.Away = -1 }, "away -1ns"},
		{func(c *Config) { c.Slow = -0.1 }, "slow -0.1"},
		{func(c *Config) { c.Slow, c.SlowPause = 1, 0 }, "slow-pause 0s"},
		{func(c *Config) { c.Timeout = 0 }, "timeout 0s"},
		{func(c *Config) { c.Prefix = "Client" }, `prefix "Client"`},
		{func(c *Config) { c.Prefix = strings.Repeat("a", 20) }, "with a number it is no name"},
	} {
		cfg := Defaults()
		c.change(&cfg)
		assert.ErrorContains(t, cfg.Validate(), c.want)
		r, err := Run(t.Context(), cfg)
		assert.Nil(t, r)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestMix(t *testing.T) {
	m, err := ParseMix("ping=3, stats=1,cast=0")
	require.NoError(t, err)
	assert.Equal(t, "ping=3,stats=1", m.String())
	r := rand.New(rand.NewPCG(1, 2))
	n := map[protocol.Op]int{}
	for range 4000 {
		n[m.draw(r)]++
	}
	assert.Len(t, n, 2)
	assert.InDelta(t, 3000, n[protocol.OpPing], 200)
	for s, want := range map[string]string{
		"":                "want name=weight",
		"ping":            "want name=weight",
		"fly=1":           "one of ping, attack, cast, timer, stats",
		"ping=1,ping=2":   "ping stands twice",
		"ping=-1":         `weight "-1" of ping: want 0 to 1000000`,
		"ping=1.5":        `weight "1.5"`,
		"ping=0,attack=0": "all weights are 0",
		"ping=1,":         "want name=weight",
	} {
		_, err := ParseMix(s)
		assert.ErrorContains(t, err, want, s)
	}
}

// What clients send is what the protocol takes.
func TestRequestsAreValid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, op := range mixed {
		for range 200 {
			line, after := appendRequest(nil, op, 7, r)
			got, bad := protocol.Parse(bytes.TrimSuffix(line, []byte("\n")))
			require.Nil(t, bad, "%s", line)
			assert.Equal(t, op, got.Op)
			assert.Equal(t, protocol.ID{N: 7, Set: true}, got.ID)
			assert.Equal(t, after, time.Duration(got.AfterMS)*time.Millisecond)
		}
	}
	got, bad := protocol.Parse(bytes.TrimSuffix(appendLogin(nil, 1, "ann", ""), []byte("\n")))
	require.Nil(t, bad)
	assert.Equal(t, "ann", got.Name)
	assert.Equal(t, `{"op":"login","id":1,"name":"ann","token":"a\"b"}`+"\n", string(appendLogin(nil, 1, "ann", `a"b`)))
}

func TestRoomForClients(t *testing.T) {
	limit := func(n uint64) func(uint64) (uint64, bool) { return func(uint64) (uint64, bool) { return n, true } }
	assert.NoError(t, roomFor(936, limit(1000)))
	assert.EqualError(t, roomFor(937, limit(1000)),
		"clients: 937 clients need 1001 open files, and this process may have 1000: raise the limit (ulimit -n 1001), or take fewer clients")
	assert.NoError(t, roomFor(60_000, func(uint64) (uint64, bool) { return 0, false }), "unknown is not too few")
	got, known := openFiles(1)
	assert.True(t, !known || got >= 1)
}

// Failures that name something else each time don't fill the memory.
func TestReasonsAreBounded(t *testing.T) {
	m := newMeter(nil, time.Now())
	for i := range 1000 {
		m.failed(strings.Repeat("x", i))
		m.code(strings.Repeat("x", i))
	}
	assert.Len(t, m.failures, maxReasons+1)
	assert.Equal(t, int64(1000-maxReasons), m.failures["others"])
	assert.Len(t, m.codes, maxReasons+1)
}

func TestTable(t *testing.T) {
	r := &Result{
		Rows: map[string]Row{
			"request":   {Count: 1234, Mean: 30.12, P50: 30, P90: 55, P99: 58, P999: 80.26, Max: 100},
			"send_late": {Count: 1234, P99: 12},
		},
		Counts:   Counts{Sent: 1234, Answered: 1230, Errors: 4, Lost: 2},
		Codes:    map[string]int64{"busy": 1, "cooldown": 3},
		Failures: map[string]int64{"bye: idle": 2},
	}
	var b bytes.Buffer
	require.NoError(t, r.Table(&b))
	for _, want := range []string{
		"latency, ms  count  mean   p50   p90   p99  p99.9    max",
		"    request   1234  30.1  30.0  55.0  58.0   80.3  100.0",
		"requests: 1234 sent, 1230 answered (4 by an error: 3 cooldown, 1 busy)",
		"  2 × bye: idle\n",
		"The clients themselves sent late (p99 12.0 ms)",
	} {
		assert.Contains(t, b.String(), want)
	}
	assert.NotContains(t, b.String(), "login_retried", "rows without samples are left out")
}
