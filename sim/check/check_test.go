package check_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/sim/check"
	"github.com/tickwheel/tickwheel/sim/oracle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The seeds that every change has to pass. The mutants of mutants_test.go are
// killed by this test.
func TestSeedsHold(t *testing.T) {
	res, err := check.Batch{From: 100, Seeds: 300}.Run(t.Context())
	require.NoError(t, err)
	if res.Failure != nil {
		t.Fatal(check.Shrink(t.Context(), res.Failure).Report())
	}
	assert.Equal(t, 300, res.Done)
}

func TestCanariesAreFound(t *testing.T) {
	for _, c := range check.Canaries() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			res, err := check.Batch{From: 100, Seeds: 200, Canary: c.Number}.Run(t.Context())
			require.NoError(t, err)
			require.NotNil(t, res.Failure, "not found: %s", c.What)
		})
	}
}

func TestSameSeedSameRun(t *testing.T) {
	for seed := range uint64(50) {
		seed += 100
		a, f := check.Run(seed, check.Draw(seed), 0)
		require.Nil(t, f)
		b, _ := check.Run(seed, check.Draw(seed), 0)
		require.Equal(t, a, b, "seed %d", seed)
		c, _ := check.Run(seed+1, check.Draw(seed+1), 0)
		require.NotEqual(t, a, c, "seed %d", seed)
	}
}

func TestBatchFindsTheLowestSeed(t *testing.T) {
	lowest := uint64(100)
	for ; ; lowest++ {
		if _, f := check.Run(lowest, check.Draw(lowest), 13); f != nil {
			break
		}
	}
	for range 3 {
		res, err := check.Batch{From: 100, Seeds: 64, Canary: 13}.Run(t.Context())
		require.NoError(t, err)
		require.NotNil(t, res.Failure)
		assert.Equal(t, lowest, res.Failure.Seed)
	}
}

func TestBatchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res, err := check.Batch{From: 1, Seeds: 1000}.Run(ctx)
	require.NoError(t, err)
	assert.Zero(t, res.Done)
	assert.Nil(t, res.Failure)
}

// What a failure prints is enough to repeat it.
func TestShrunkFailureRepeatsFromItsCommand(t *testing.T) {
	for _, c := range check.Canaries()[:6] {
		res, err := check.Batch{From: 100, Seeds: 200, Canary: c.Number}.Run(t.Context())
		require.NoError(t, err)
		require.NotNil(t, res.Failure)
		small := check.Shrink(t.Context(), res.Failure)
		assert.Equal(t, res.Failure.Rule, small.Rule)
		assert.LessOrEqual(t, small.Options.Ticks, res.Failure.Options.Ticks)
		assert.NotEmpty(t, small.Options.Ops, c.Name)
		assert.LessOrEqual(t, len(small.Options.Ops), 40, c.Name)

		_, text, ok := strings.Cut(small.Command(), "--options ")
		require.True(t, ok, small.Command())
		text, _, _ = strings.Cut(text, " ")
		o, err := check.Parse(small.Seed, text)
		require.NoError(t, err)
		assert.Equal(t, small.Options.String(), o.String())
		_, again := check.Run(small.Seed, o, c.Number)
		require.NotNil(t, again)
		assert.Equal(t, small.What, again.What)
		assert.Contains(t, check.Tell(small), "BROKEN: "+small.What)
		assert.Contains(t, small.Report(), small.Command())
	}
}

func TestOptionsAreReadAsTheyAreWritten(t *testing.T) {
	for seed := range uint64(200) {
		o := check.Draw(seed)
		assert.Empty(t, o.Changed(seed))
		got, err := check.Parse(seed+1, o.String()+",off="+strings.Join(o.Off, "+"))
		require.NoError(t, err)
		for _, part := range strings.Split(o.String(), ",") {
			assert.Contains(t, got.String(), part)
		}
	}
}

func TestBadOptionsAreRefused(t *testing.T) {
	for _, text := range []string{
		"ticks", "ticks=", "ticks=0", "ticks=x", "budget=-1", "near=100", "chunk=3", "interval=50", "interval=0s",
		"parts=half", "off=nothing", "ops=x", "ops=0", "ops=3-2", "ops=1-99999999999", "graceruns=maybe", "speed=3",
	} {
		_, err := check.Parse(1, text)
		assert.Error(t, err, text)
		_, err = check.Batch{From: 1, Seeds: 1, Options: text}.Run(t.Context())
		assert.Error(t, err, text)
	}
	for _, text := range []string{"", "all,", "0", "99", "-1", "earl"} {
		_, err := check.ParseCanary(text)
		assert.Error(t, err, text)
	}
	all, err := check.ParseCanary("all")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(all), 10)
}

// A plan without calls is a run that does nothing, and breaks nothing.
func TestNothingHappensWithoutCalls(t *testing.T) {
	for _, text := range []string{"ops=none", "rate=0", "ticks=1,rate=0", "off=" + strings.Join(check.Features(), "+")} {
		o, err := check.Parse(3, text)
		require.NoError(t, err)
		_, f := check.Run(3, o, 0)
		assert.Nil(t, f, text)
	}
}

// The rules that canaries break are told by name.
func TestCanariesBreakTheirRule(t *testing.T) {
	for name, want := range map[string]oracle.Rule{
		"shed-uncounted": oracle.ShedCounted, "inbox": oracle.InboxRule, "cap": oracle.Cap,
		"key-order": oracle.JobOrder, "done-after-death": oracle.JobOwner, "told-twice": oracle.Hooks,
	} {
		c, err := check.ParseCanary(name)
		require.NoError(t, err)
		res, err := check.Batch{From: 100, Seeds: 200, Canary: c[0].Number}.Run(t.Context())
		require.NoError(t, err)
		require.NotNil(t, res.Failure)
		assert.Equal(t, want, res.Failure.Rule, name)
	}
}

// What was found once is looked at for ever.
func TestKeptSeedsHold(t *testing.T) {
	text, err := os.ReadFile("testdata/kept.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		number, options, _ := strings.Cut(strings.TrimSpace(line), " ")
		seed, err := strconv.ParseUint(number, 10, 64)
		require.NoError(t, err)
		o, err := check.Parse(seed, options)
		require.NoError(t, err)
		_, f := check.Run(seed, o, 0)
		assert.Nil(t, f, line)
	}
}
