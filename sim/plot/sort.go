package plot

import (
	"context"
	"slices"
	"time"
)

// Lengths returns the latencies of ticks in rising order, negative ones as zero, or
// the error of ctx soon after ctx has ended.
func Lengths(ctx context.Context, ticks []Sample) ([]time.Duration, error) {
	ds := make([]time.Duration, len(ticks))
	for i, t := range ticks {
		ds[i] = max(t.Latency, 0)
	}
	return Sorted(ctx, ds)
}

// sortPart is how much is sorted without a look at the context: a tenth of a second.
const sortPart = 1 << 20

// Sorted returns ds in rising order, in the same memory or new one, or the error of
// ctx soon after ctx has ended; ds is in no order then. Ten million take seconds on
// a busy machine, too long for who has pressed Ctrl-C.
func Sorted(ctx context.Context, ds []time.Duration) ([]time.Duration, error) {
	for part := range slices.Chunk(ds, sortPart) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		slices.Sort(part)
	}
	if len(ds) <= sortPart || slices.IsSorted(ds) {
		return ds, ctx.Err()
	}
	from, to := ds, make([]time.Duration, len(ds))
	for part := sortPart; part < len(ds); part *= 2 {
		for lo := 0; lo < len(ds); lo += 2 * part {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			mid, hi := min(lo+part, len(ds)), min(lo+2*part, len(ds))
			merge(to[lo:hi], from[lo:mid], from[mid:hi])
		}
		from, to = to, from
	}
	return from, nil
}

// merge puts two sorted lists together.
func merge(to, a, b []time.Duration) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}

// lengths are the sorted latencies of r; none if the drawing was stopped.
func (r Run) lengths(o Options) []time.Duration {
	if len(r.Lengths) == len(r.Ticks) {
		return r.Lengths
	}
	ctx := o.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	ds, err := Lengths(ctx, r.Ticks)
	if err != nil {
		return nil
	}
	return ds
}
