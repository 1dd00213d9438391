package plot

import (
	"math"
	"strconv"
	"strings"
)

// decimal is m·10^e, m ≥ 0. Axis marks are decimals, not floats, so that a
// label says exactly where the mark stands, and two marks never share a label
// because both were rounded.
type decimal struct {
	m int64
	e int
}

// float is d as the nearest float64. Multiplying by a power of ten would round
// twice, and 3·0.1 would stand beside 0.3.
func (d decimal) float() float64 {
	v, err := strconv.ParseFloat(strconv.FormatInt(d.m, 10)+"e"+strconv.Itoa(d.e), 64)
	if err != nil {
		return math.MaxFloat64
	}
	return v
}

// String is format without decimals to fill up.
func (d decimal) String() string { return d.format(0) }

// format writes d with commas between thousands and at least the given number
// of decimals, or as 2.5e9 and 4e-6 where digits would be mostly zeros.
func (d decimal) format(decimals int) string {
	sign := ""
	if d.m < 0 {
		sign, d.m = "−", -d.m
	}
	for d.m != 0 && d.m%10 == 0 {
		d.m, d.e = d.m/10, d.e+1
	}
	if d.m == 0 {
		d.e = 0
	}
	digits := strconv.FormatInt(d.m, 10)
	if exp := len(digits) - 1 + d.e; d.m != 0 && (exp >= 6 || exp < -4) && len(digits) <= 3 {
		if len(digits) > 1 {
			digits = digits[:1] + "." + digits[1:]
		}
		return sign + digits + "e" + strconv.Itoa(exp)
	}
	frac := ""
	if d.e >= 0 {
		digits += strings.Repeat("0", d.e)
	} else {
		if pad := 1 - d.e - len(digits); pad > 0 {
			digits = strings.Repeat("0", pad) + digits
		}
		digits, frac = digits[:len(digits)+d.e], digits[len(digits)+d.e:]
	}
	if pad := decimals - len(frac); pad > 0 {
		frac += strings.Repeat("0", pad)
	}
	if frac != "" {
		frac = "." + frac
	}
	return sign + thousands(digits) + frac
}

// thousands puts commas into a string of digits.
func thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// count writes a number of things.
func count(n int) string { return thousands(strconv.Itoa(n)) }

// amount writes a duration in ms for reading, not for an axis: three digits
// that matter, more only where they stand before the point.
func amount(v float64) string {
	switch {
	case v <= 0:
		return "0"
	case v >= 9_999_999.5:
		return strings.Replace(strconv.FormatFloat(v, 'e', 2, 64), "e+", "e", 1)
	case v < 9.995e-4: // less than a microsecond, which a Duration counts in whole ns
		return decimal{int64(math.Round(v * 1e6)), -6}.format(0)
	case v >= 99.95:
		return thousands(strconv.FormatFloat(v, 'f', 0, 64))
	}
	decimals := 2 - int(math.Floor(math.Log10(v)))
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if s == "10.00" { // 9.999 rounded: one digit too many
		return "10.0"
	}
	return s
}

// exact writes a duration that somebody chose, like the interval: 50, not 50.0.
func exact(v float64) string {
	s := amount(v)
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// niceBelow is the largest 1, 2 or 5 times a power of ten that is at most v.
func niceBelow(v float64) float64 {
	e := int(math.Floor(math.Log10(v)))
	best := decimal{1, e - 1}.float()
	for _, d := range []decimal{{1, e}, {2, e}, {5, e}} {
		if f := d.float(); f <= v {
			best = f
		}
	}
	return best
}
