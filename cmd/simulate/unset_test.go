package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A variable of a script that is not set must not pass for something that is met.
func TestAnEmptyExpectationIsRefused(t *testing.T) {
	for _, verb := range []string{"run", "compare", "clients"} {
		for _, expect := range []string{"", " "} {
			r := simulate(t, verb, "--expect", expect)
			assert.Equal(t, exitUsage, r.code, "%s: %s", verb, r.stderr)
			assert.Contains(t, r.stderr, `expect "`+expect+`": want a measure, one of `, verb)
		}
	}
	r := simulate(t, "run", "--expect", "shed == 0", "--expect", "")
	assert.Equal(t, exitUsage, r.code)
	r = simulate(t, "run", "--subject", "")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, `subject "": want one of the policies, or leave it out`)
}

func TestACountIsWhole(t *testing.T) {
	for _, args := range [][]string{{"run", "--expect", "shed == 1.5"}, {"compare", "--expect", "shed == 1.5"}, {"clients", "--expect", "lost == 1.5"}} {
		r := simulate(t, args...)
		assert.Equal(t, exitUsage, r.code, r.stderr)
		assert.Contains(t, r.stderr, "is a count: want a whole number, not 1.5")
	}
	assert.Equal(t, exitOK, simulate(t, quick("--quiet", "--expect", "cap: shed < 100000", "--expect", "shed >= 0.0")...).code)
}
