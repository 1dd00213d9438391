package check

import (
	"context"
	"slices"

	"github.com/tickwheel/tickwheel/sim/oracle"
)

// maxTries bounds the runs of a shrink.
const maxTries = 3000

// Shrink looks for options with which the seed of f still breaks the same rule,
// but with less: fewer ticks, fewer sorts of calls, and in the end as few calls as
// it can. It returns the smallest failure it has found, or f if the seed hangs or
// does not repeat, which no run could tell from another.
func Shrink(ctx context.Context, f *Failure) *Failure {
	if f.Rule == oracle.Returns || f.Rule == oracle.Repeats {
		return f
	}
	s := &shrinker{ctx: ctx, best: f, left: maxTries}
	s.try(func(o *Options) { o.Parts = f.Part })
	s.ticks()
	for _, name := range Features() {
		s.try(func(o *Options) {
			if !slices.Contains(o.Off, name) {
				o.Off = append(slices.Clone(o.Off), name)
			}
		})
	}
	for calls := -1; calls != len(s.best.Options.Ops); { // leaving one out may make others unnecessary
		calls = len(s.best.Options.Ops)
		s.calls()
		s.ticks()
	}
	// What is off by its number need not be off by its name.
	drawn := Draw(f.Seed)
	s.try(func(o *Options) { o.Off = drawn.Off })
	for _, name := range s.best.Options.Off {
		if slices.Contains(drawn.Off, name) {
			continue
		}
		s.try(func(o *Options) {
			o.Off = slices.DeleteFunc(slices.Clone(o.Off), func(n string) bool { return n == name })
		})
	}
	return s.best
}

type shrinker struct {
	ctx  context.Context
	best *Failure
	left int
}

// try keeps a change if the same rule breaks with it.
func (s *shrinker) try(change func(*Options)) bool {
	if s.left == 0 || s.ctx.Err() != nil {
		return false
	}
	s.left--
	o := s.best.Options
	change(&o)
	_, f := watched(s.best.Seed, o, s.best.Canary)
	if f == nil || f.Rule != s.best.Rule || f.Part != s.best.Part {
		return false
	}
	s.best = f
	return true
}

// ticks shortens the faulty phase.
func (s *shrinker) ticks() {
	for step := s.best.Options.Ticks / 2; step > 0; {
		if s.best.Options.Ticks > step && s.try(func(o *Options) { o.Ticks -= step }) {
			continue
		}
		step /= 2
	}
}

// calls leaves out calls, large pieces first (ddmin, Zeller & Hildebrandt 2002).
func (s *shrinker) calls() {
	if s.best.Options.Ops == nil {
		all := []int{}
		for _, p := range plan(s.planSeed(), s.best.Options, s.best.Part == "wheel") {
			all = append(all, p.n)
		}
		if !s.try(func(o *Options) { o.Ops = all }) {
			return
		}
	}
	for piece := max(len(s.best.Options.Ops)/2, 1); ; piece /= 2 {
		for from := 0; from < len(s.best.Options.Ops); {
			kept := slices.Clone(s.best.Options.Ops)
			kept = slices.Delete(kept, from, min(from+piece, len(kept)))
			if !s.try(func(o *Options) { o.Ops = kept }) {
				from += piece
			}
		}
		if piece <= 1 {
			return
		}
	}
}

func (s *shrinker) planSeed() uint64 {
	if s.best.Part == "wheel" {
		return s.best.Seed ^ wheelSeed
	}
	return s.best.Seed
}
