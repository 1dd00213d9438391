package sim

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Dist is how a length of time is drawn. The zero Dist is unset.
type Dist struct {
	// Lo is the length, or the least of a range up to Hi, which is not in it.
	Lo, Hi time.Duration
	// Shape spreads a length around its mean Lo: "", "light" or "heavy".
	Shape string
	// Values, if not nil, are what it is one of instead, each as likely.
	Values *Values
}

// Values are some lengths, the shortest first.
type Values struct{ of []time.Duration }

// maxValues is how many lengths a Dist can be one of.
const maxValues = 64

// OneOf is a Dist of 2 to 64 lengths, each as likely.
func OneOf(lengths ...time.Duration) Dist {
	if len(lengths) < 2 || len(lengths) > maxValues {
		panic(fmt.Sprintf("sim: OneOf: %d lengths: want 2 to %d", len(lengths), maxValues))
	}
	return Dist{Values: &Values{slices.Sorted(slices.Values(lengths))}}
}

// pick maps a draw to a length.
func (d Dist) pick(x uint64) time.Duration {
	if d.Values != nil {
		return d.Values.of[x%uint64(len(d.Values.of))]
	}
	switch d.Shape { // factors: see costs.go
	case "light":
		return d.Lo * time.Duration(light[x%16]) / 16
	case "heavy":
		return d.Lo * time.Duration(heavy[x%16]) / 16
	}
	return between(x, d.Lo, d.Hi)
}

// longest is the most that d can be, or as good as that.
func (d Dist) longest() time.Duration {
	switch {
	case d.Values != nil:
		return d.Values.of[len(d.Values.of)-1]
	case d.Shape == "light":
		return d.Lo * time.Duration(light[15]) / 16
	case d.Shape == "heavy":
		return d.Lo * time.Duration(heavy[15]) / 16
	}
	return max(d.Lo, d.Hi)
}

// scaled returns d on a machine that has percent of the speed.
func (d Dist) scaled(percent int) Dist {
	d.Lo, d.Hi = d.Lo*100/time.Duration(percent), d.Hi*100/time.Duration(percent)
	if d.Values != nil {
		of := slices.Clone(d.Values.of)
		for i := range of {
			of[i] = of[i] * 100 / time.Duration(percent)
		}
		d.Values = &Values{of}
	}
	return d
}

// String writes d as Set reads it.
func (d Dist) String() string {
	switch {
	case d == Dist{}:
		return ""
	case d.Values != nil:
		var all []string
		for _, v := range d.Values.of {
			all = append(all, v.String())
		}
		return strings.Join(all, " ")
	case d.Shape != "":
		return d.Lo.String() + " " + d.Shape
	case d.Hi != 0:
		return d.Lo.String() + ".." + d.Hi.String()
	}
	return d.Lo.String()
}

// Set reads "2ms", "1s..8s", "2ms light", "2ms heavy", or lengths that are as likely
// each, such as "1ms 2ms 9ms".
func (d *Dist) Set(s string) (err error) {
	var n Dist
	lo, hi, isRange := strings.Cut(s, "..")
	mean, shape, shaped := strings.Cut(s, " ")
	words := strings.Fields(s)
	switch {
	case !isRange && len(words) > 1 && strings.ContainsAny(words[1][:1], "-.0123456789"):
		n, err = parseValues(words)
	case isRange:
		if n.Lo, err = parseLength(lo); err == nil {
			n.Hi, err = parseLength(hi)
		}
		if err == nil && n.Hi <= n.Lo {
			err = errors.New("the range is empty: write the shorter length first, or one length")
		}
	case shaped:
		n.Lo, err = parseLength(mean)
		n.Shape = strings.TrimSpace(shape)
		if err == nil && n.Shape != "light" && n.Shape != "heavy" {
			err = fmt.Errorf("unknown shape %q: want light or heavy, as in \"2ms light\", or lengths: \"1ms 2ms 9ms\"", n.Shape)
		}
	default:
		n.Lo, err = parseLength(s)
	}
	if err == nil {
		*d = n
	}
	return err
}

func parseValues(words []string) (Dist, error) {
	if len(words) > maxValues {
		return Dist{}, fmt.Errorf("%d lengths: want at most %d", len(words), maxValues)
	}
	of := make([]time.Duration, len(words))
	for i, w := range words {
		var err error
		if of[i], err = parseLength(w); err != nil {
			return Dist{}, err
		}
	}
	return OneOf(of...), nil
}

func parseLength(s string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	switch {
	case err == nil && d < 0:
		return 0, errors.New("negative: want a length of 0s or more")
	case err == nil && d > maxLength:
		return 0, fmt.Errorf("want at most %v", maxLength)
	}
	return d, LengthError(err)
}

// maxLength keeps sums of lengths far from the end of an int64.
const maxLength = 10_000 * time.Hour

// lengthText is what a length is written like.
var lengthText = regexp.MustCompile(`^[-+]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$`)

// LengthError says what to write instead of what [time.ParseDuration] refused with
// err; nil if it refused nothing.
func LengthError(err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "missing unit"):
		return errors.New("missing unit: write 5s or 500ms, say")
	}
	// What is left is a text that is none, or a length that 64 bits do not hold:
	// time.ParseDuration says the same of both.
	if _, text, _ := strings.Cut(err.Error(), "invalid duration "); lengthText.MatchString(strings.Trim(text, `"`)) {
		return fmt.Errorf("too long: want at most %v", maxLength)
	}
	return errors.New("no length of time: write 5s, 500ms or 2m30s, say")
}

// Moment is a time of the run: a length from its start, or a part of it.
type Moment struct {
	After   time.Duration
	Percent int // of the run, if not 0
}

// Of returns m in a run of length d.
func (m Moment) Of(d time.Duration) time.Duration {
	if m.Percent != 0 {
		return d / 100 * time.Duration(m.Percent)
	}
	return m.After
}

// String writes m as Set reads it.
func (m Moment) String() string {
	switch {
	case m.Percent != 0:
		return strconv.Itoa(m.Percent) + "%"
	case m.After == 0:
		return ""
	}
	return m.After.String()
}

// Set reads "60s" or "40%".
func (m *Moment) Set(s string) error {
	if p, ok := strings.CutSuffix(s, "%"); ok {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || n > 100 {
			return errors.New("no part of the run: want 0% to 100%, in whole per cent")
		}
		*m = Moment{Percent: n}
		return nil
	}
	d, err := parseLength(s)
	if err == nil {
		*m = Moment{After: d}
	} else if strings.Contains(err.Error(), "missing unit") {
		err = errors.New("missing unit: write 60s, or 40% of the run")
	}
	return err
}

// Rate is so many in a length of time. The zero Rate is never.
type Rate struct {
	N   int
	Per time.Duration
}

// upTo returns how many of n sources with this rate there were by the time at.
func (r Rate) upTo(n uint64, at time.Duration) uint64 {
	if r.N == 0 || n == 0 {
		return 0
	}
	// In 128 bits: players times nanoseconds exceed 64.
	hi, lo := bits.Mul64(n*uint64(r.N), uint64(at))
	if hi >= uint64(r.Per) {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, uint64(r.Per))
	return q
}

var units = []struct {
	name string
	per  time.Duration
}{{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}}

// String writes r as Set reads it.
func (r Rate) String() string {
	for _, u := range units {
		if r.Per == u.per && r.N != 0 {
			return strconv.Itoa(r.N) + "/" + u.name
		}
	}
	return ""
}

// Set reads "20/s", "3/m", "5/h" or "0".
func (r *Rate) Set(s string) error {
	if s == "0" {
		*r = Rate{}
		return nil
	}
	count, unit, found := strings.Cut(s, "/")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	switch {
	case !found:
		return errors.New("missing unit: write 20/s, 3/m or 5/h")
	case err != nil:
		return errors.New("no rate: write a whole number and a unit, such as 20/s, 3/m or 5/h")
	case n < 0:
		return errors.New("negative rate: want 0 or more, such as 20/s")
	case n > 1_000_000:
		return errors.New("want at most 1000000 in a second, minute or hour")
	}
	for _, u := range units {
		if u.name == strings.TrimSpace(unit) {
			*r = Rate{N: n, Per: u.per}
			return nil
		}
	}
	return fmt.Errorf("unknown unit %q: write 20/s, 3/m or 5/h", unit)
}

// Share is a probability, in millionths.
type Share int

// hit tells whether a draw falls into the share.
func (s Share) hit(x uint64) bool {
	num, den := uint64(s), uint64(1_000_000)
	g, rest := den, num
	for rest != 0 {
		g, rest = rest, g%rest
	}
	num, den = num/g, den/g // 25 % is one of four
	return x%den < num
}

// String writes s as Set reads it.
func (s Share) String() string {
	if s == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(s)/10_000, 'f', -1, 64) + "%"
}

// Set reads "25%" or "0.5%".
func (s *Share) Set(text string) error {
	p, found := strings.CutSuffix(text, "%")
	if !found {
		return errors.New("missing unit: write 25%, say")
	}
	whole, part, dot := strings.Cut(p, ".")
	n, err := strconv.Atoi(whole)
	digits := 0
	if err == nil && dot {
		digits, err = strconv.Atoi((part + "0000")[:4])
		if len(part) > 4 || len(part) == 0 || part[0] == '-' || part[0] == '+' {
			err = errors.New("too long")
		}
	}
	if err != nil || whole[0] == '-' || whole[0] == '+' || n > 100 || n*10_000+digits > 1_000_000 {
		return errors.New("no probability: want 0% to 100%, with at most four decimals")
	}
	*s = Share(n*10_000 + digits)
	return nil
}
