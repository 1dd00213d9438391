package timers_test

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/tickwheel/tickwheel/timers"
)

// open reports whether g was not closed.
func (m *model) open(g *mGroup) bool {
	for _, o := range m.groups {
		if o == g {
			return true
		}
	}
	return false
}

// members lists the pending timers of g; none for a group that is not there.
func (m *model) members(g timers.Group) []*mTimer {
	var s []*mTimer
	if mg := m.groups[g]; mg != nil {
		for _, t := range m.ts {
			if t.group == mg {
				s = append(s, t)
			}
		}
	}
	return s
}

func (m *model) cancelGroup(g timers.Group) int {
	s := m.members(g)
	for _, t := range s {
		m.remove(t)
		m.cancelled++
	}
	return len(s)
}

func (m *model) closeGroup(g timers.Group) int {
	n := m.cancelGroup(g)
	delete(m.groups, g)
	return n
}

func (m *model) pause(g timers.Group) bool {
	mg := m.groups[g]
	if mg == nil || mg.paused {
		return false
	}
	mg.paused = true
	for _, t := range m.members(g) {
		m.freezeIfPaused(t)
	}
	return true
}

// resume thaws a group: new sequences in the order of (remaining, old sequence).
func (m *model) resume(g timers.Group) bool {
	mg := m.groups[g]
	if mg == nil || !mg.paused {
		return false
	}
	mg.paused = false
	s := m.members(g)
	slices.SortFunc(s, func(a, b *mTimer) int {
		return cmp.Or(cmp.Compare(a.raw, b.raw), cmp.Compare(a.seq, b.seq))
	})
	for _, t := range s {
		d := m.dueAt(t)
		if t.rep != nil { // the grid stood still for as long as the timer
			shift := m.units(m.now - t.since)
			t.rep.point = new(big.Int).Add(t.rep.point, shift)
		}
		t.deadline, t.seq, t.frozen = d, m.nextSeq(), false
	}
	return true
}
