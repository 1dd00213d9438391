package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/sim/check"
)

func TestReportIsReadAsItIsWritten(t *testing.T) {
	c, err := check.ParseCanary("cap")
	require.NoError(t, err)
	res, err := check.Batch{From: 100, Seeds: 200, Canary: c[0].Number}.Run(t.Context())
	require.NoError(t, err)
	require.NotNil(t, res.Failure)
	f := check.Shrink(t.Context(), res.Failure)
	text := f.Report()
	got, err := check.Read(text)
	require.NoError(t, err)
	assert.Equal(t, f.Options.String(), got.Options.String())
	assert.Equal(t, []any{f.Seed, f.Canary, f.Rule, f.What, f.Part}, []any{got.Seed, got.Canary, got.Rule, got.What, got.Part})

	head, _, _ := strings.Cut(text, "\n\n")
	for n := range len(head) + 2 {
		_, err := check.Read(text[:n])
		assert.ErrorContains(t, err, "cut short", "%d bytes", n)
	}
	_, err = check.Read(text[:len(head)+2])
	assert.NoError(t, err, "the story is not needed")
	for from, to := range map[string]string{
		"seed     1": "seed     x1", "--canary cap": "--canary x", "--options ": "--options speed=1,", "near=": "near=1",
	} {
		_, err := check.Read(strings.Replace(text, from, to, 1))
		assert.Error(t, err, to)
	}
}
