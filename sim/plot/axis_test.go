package plot

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// parse reads a label back: if that gives the mark's value, the label is true.
func parse(t require.TestingT, label string) float64 {
	label = strings.NewReplacer(",", "", "−", "-").Replace(label)
	v, err := strconv.ParseFloat(label, 64)
	require.NoError(t, err, "label %q", label)
	return v
}

// checkMarks holds the marks of an axis against what a reader relies on.
func checkMarks(t require.TestingT, a axis, ms []mark) {
	require.GreaterOrEqual(t, len(ms), 2, "marks of %+v", a)
	require.LessOrEqual(t, len(ms), 201, "marks of %+v", a)
	seen := map[string]bool{}
	for i, m := range ms {
		require.False(t, seen[m.label], "label %q twice on %+v", m.label, a)
		seen[m.label] = true
		v := parse(t, m.label)
		require.Equal(t, m.at.float(), v, "label %q of mark %v", m.label, m.at)
		require.True(t, v >= a.lo && v <= a.hi, "mark %v outside %v..%v", v, a.lo, a.hi)
		part := (v - a.lo) / (a.hi - a.lo)
		if a.log {
			part = math.Log1p((v-a.lo)/a.lo) / math.Log1p((a.hi-a.lo)/a.lo)
		}
		require.InDelta(t, a.p0+part*(a.p1-a.p0), m.pos, 1e-6, "position of %q", m.label)
		if i > 0 {
			require.Greater(t, m.pos, ms[i-1].pos, "marks in order")
		}
	}
}

func noSize(string) float64 { return 0 }

func TestV01_LogAxisSurvivesZerosAndConstants(t *testing.T) {
	for _, c := range []struct {
		name   string
		lo, hi float64
	}{
		{"all zeros", 0, 0},
		{"all ones", 1, 1},
		{"zero to one", 0, 1},
		{"negative", -5, -1},
		{"negative to positive", -5, 50},
		{"not a number", math.NaN(), math.NaN()},
		{"infinite", math.Inf(-1), math.Inf(1)},
		{"largest float", math.MaxFloat64, math.MaxFloat64},
		{"smallest float", math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat64},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := logAxis(c.lo, c.hi, 0, 100)
			checkMarks(t, a, a.marks(tickGap, noSize))
			for _, v := range []float64{c.lo, c.hi, 0, 1, -1, math.NaN(), math.Inf(1)} {
				p := a.pos(v)
				require.True(t, p >= 0 && p <= 100, "pos(%v) = %v, outside the axis", v, p)
			}
		})
	}
}

func TestV02_ConstantOrInvertedRangeReturns(t *testing.T) {
	for _, c := range []struct {
		name   string
		lo, hi float64
	}{
		{"constant", 0.77, 0.77},
		{"inverted", 100, 1},
		{"nearly equal", 99.99999999999996, 100},
		{"next float", 1, math.Nextafter(1, 2)},
		{"all decades", 1e-9, 1e15},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := logAxis(c.lo, c.hi, 0, 100)
			require.Less(t, a.lo, a.hi)
			checkMarks(t, a, a.marks(tickGap, noSize))
			b := linearAxis(c.lo, c.hi, 0, 400)
			require.Less(t, b.lo, b.hi)
			checkMarks(t, b, b.marks(10, noSize))
		})
	}
}

func TestV05_LogAxisWithinOneDecadeIsLabelled(t *testing.T) {
	for _, c := range []struct{ lo, hi float64 }{
		{2, 8}, {1, 9.9}, {1.1, 9.9}, {3, 4}, {0.2, 0.8}, {21, 29}, {95, 105}, {6, 9},
	} {
		for _, height := range []float64{55, 63, 79, 143, 233, 330} {
			a := logAxis(c.lo, c.hi, 0, height)
			checkMarks(t, a, a.marks(tickGap, noSize))
		}
	}
}

func TestV06_TickLabelsAreDistinct(t *testing.T) {
	a := logAxis(50.00, 50.05, 0, 79)
	ms := a.marks(tickGap, noSize)
	checkMarks(t, a, ms)
	require.Equal(t, "50.00", ms[0].label)

	// Ten million ticks of 50 ms.
	b := linearAxis(0, 500_000, 0, 370)
	ms = b.marks(24, func(s string) float64 { return 6 * float64(len(s)) })
	checkMarks(t, b, ms)
	require.Equal(t, "100,000", ms[1].label)

	// A stretch of a tenth of a second, a century after the start.
	c := linearAxis(3e9, 3e9+4, 0, 230)
	checkMarks(t, c, c.marks(24, func(s string) float64 { return 6 * float64(len(s)) }))
}

func TestMarksOfAnyAxisAreDistinctAndTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64().Draw(t, "lo")
		hi := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Float64Range(0, 2), func(f float64) float64 { return lo * f })).Draw(t, "hi")
		length := rapid.Float64Range(55, 700).Draw(t, "length")
		a := logAxis(lo, hi, 0, length)
		checkMarks(t, a, a.marks(tickGap, noSize))
		b := linearAxis(lo, hi, 0, length)
		checkMarks(t, b, b.marks(24, noSize))
	})
}

func TestDecimalsAreWrittenInFull(t *testing.T) {
	for _, c := range []struct {
		d        decimal
		decimals int
		want     string
	}{
		{decimal{0, 0}, 0, "0"},
		{decimal{0, -2}, 2, "0.00"},
		{decimal{5, 0}, 0, "5"},
		{decimal{5, 3}, 0, "5,000"},
		{decimal{1, 5}, 0, "100,000"},
		{decimal{1, 6}, 0, "1e6"},
		{decimal{15, 8}, 0, "1.5e9"},
		{decimal{12345678, 0}, 0, "12,345,678"},
		{decimal{1, -2}, 0, "0.01"},
		{decimal{5000, -2}, 2, "50.00"},
		{decimal{5001, -2}, 2, "50.01"},
		{decimal{40, -7}, 7, "4e-6"},
		{decimal{-15, -1}, 1, "−1.5"},
	} {
		require.Equal(t, c.want, c.d.format(c.decimals), "%+v", c.d)
	}
}

func TestAmountsKeepThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{
		-1: "0", 0: "0", 0.000001: "1e-6", 0.000123: "0.000123", 0.0015: "0.00150", 0.5: "0.500", 1: "1.00", 2.126: "2.13",
		9.996: "10.0", 10: "10.0", 42: "42.0", 99.94: "99.9", 99.96: "100", 1050.4: "1,050",
		9_999_999: "9,999,999", 9.2e12: "9.20e12",
	} {
		require.Equal(t, want, amount(v), "amount(%v)", v)
	}
	require.Equal(t, "50", exact(50))
	require.Equal(t, "16.7", exact(16.7))
	require.Equal(t, "100", exact(100))
}
