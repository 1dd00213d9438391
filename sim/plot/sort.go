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

// Sorted puts ds in rising order and returns it, or the error of ctx if that ended
// before or meanwhile. Ten million take a second.
func Sorted(ctx context.Context, ds []time.Duration) ([]time.Duration, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.Sort(ds)
	return ds, ctx.Err()
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
