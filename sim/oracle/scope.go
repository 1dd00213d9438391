package oracle

import (
	"slices"
)

// Tree is the scopes of a loop.
type Tree struct {
	Wheel *Wheel
	Root  *Scope
	// MaxGroups is how many scopes may have timers; 0 is no limit.
	MaxGroups int
	// Ended lists the ends of scopes that are still to be told to their hooks.
	Ended []End
}

// End is what the hook of a scope is to be told.
type End struct{ Name, Reason string }

// Scope is what timers belong to and end with.
type Scope struct {
	Name   string
	Group  *Group
	Closed bool
	Ended  int    // timers that its end has cancelled, those of scopes below it included
	Reason string // why it was closed, or its fence fell
	Keys   map[string]*Timer

	parent *Scope
	opened bool // it has had a timer, or was to
	kids   []*Scope
	fenced bool
	paused bool
	frozen int
	told   []string // what its hooks are called, besides its name
}

// NewTree returns a tree that has a root.
func NewTree(w *Wheel) *Tree {
	return &Tree{Wheel: w, Root: &Scope{Name: "root", Group: &Group{}, Keys: map[string]*Timer{}}}
}

// Alive reports whether s is open.
func (s *Scope) Alive() bool { return !s.Closed && !s.Group.Dead }

// Open makes room for the timers of s and reports whether there is any. It stays
// until s is closed.
func (t *Tree) Open(s *Scope) bool {
	if s.opened {
		return true
	}
	open := 0
	t.Root.walk(func(c *Scope) {
		if c.opened {
			open++
		}
	})
	s.opened = t.MaxGroups == 0 || open < t.MaxGroups
	return s.opened
}

// Kids are the scopes right below s.
func (s *Scope) Kids() []*Scope { return slices.Clone(s.kids) }

// Child makes a scope below p; with a name, its end is told.
func (t *Tree) Child(p *Scope, name string) *Scope {
	c := &Scope{Name: name, parent: p, frozen: p.frozen, fenced: p.fenced,
		Group: &Group{Paused: p.frozen > 0}, Keys: map[string]*Timer{}}
	if !p.Alive() {
		c.Closed, c.Group.Closed, c.Reason = true, true, p.Reason
		return c
	}
	p.kids = append(p.kids, c)
	return c
}

func (s *Scope) walk(f func(*Scope)) {
	f(s)
	for _, k := range s.kids {
		k.walk(f)
	}
}

// Close ends s and what is below it and returns how many timers that cancelled.
func (t *Tree) Close(s *Scope, reason string) int {
	if s.Closed {
		return 0
	}
	if s.Group.Dead { // its end has its reason
		reason = s.Reason
	}
	if s.parent != nil {
		s.parent.kids = slices.DeleteFunc(s.parent.kids, func(k *Scope) bool { return k == s })
	}
	s.walk(func(c *Scope) { c.Closed = true })
	return t.release(s, reason)
}

func (t *Tree) release(s *Scope, reason string) (n int) {
	for _, k := range s.kids {
		n += t.release(k, reason)
	}
	s.Reason = reason
	n += t.Wheel.CloseGroup(s.Group)
	s.Ended = n
	clear(s.Keys)
	if s.Name != "" {
		t.Ended = append(t.Ended, End{s.Name, reason})
	}
	for _, name := range s.told {
		t.Ended = append(t.Ended, End{name, reason})
	}
	return n
}

// Pause freezes s and what is below it, and reports whether it was running.
func (t *Tree) Pause(s *Scope) bool {
	if s.paused || !s.Alive() {
		return false
	}
	s.paused = true
	s.walk(func(c *Scope) {
		if c.frozen++; c.frozen == 1 {
			t.Wheel.Pause(c.Group)
		}
	})
	return true
}

// Resume takes back Pause.
func (t *Tree) Resume(s *Scope) bool {
	if !s.paused || !s.Alive() {
		return false
	}
	s.paused = false
	s.walk(func(c *Scope) {
		if c.frozen--; c.frozen == 0 {
			t.Wheel.Resume(c.Group)
		}
	})
	return true
}

// Paused reports whether the timers of s are frozen.
func (s *Scope) Paused() bool { return s.frozen > 0 }

// fall ends all that is behind the fence, at one stroke.
func (t *Tree) fall(reason string) {
	t.Root.walk(func(s *Scope) {
		if s.fenced && !s.Group.Dead {
			s.Group.Dead, s.Reason = true, reason
		}
	})
}

// Tell checks that the hook called name is the one whose turn it is.
func (t *Tree) Tell(name, reason string) error {
	if len(t.Ended) == 0 {
		return broken(Hooks, "%s was told of its end (%s), which nobody brought about", name, reason)
	}
	want := t.Ended[0]
	t.Ended = t.Ended[1:]
	if want != (End{name, reason}) {
		return broken(Hooks, "%s was told of its end (%s), but it was for %s to be told (%s)", name, reason, want.Name, want.Reason)
	}
	return nil
}

// Told checks that no hook is left to be told.
func (t *Tree) Told() error {
	if len(t.Ended) > 0 {
		return broken(Hooks, "%s ended (%s) and its hook was not told", t.Ended[0].Name, t.Ended[0].Reason)
	}
	return nil
}
