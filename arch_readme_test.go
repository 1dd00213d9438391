package tickwheel_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a reader types first must be on the first page, and be right.
func TestReadmeShowsTheTestCommand(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var commands []string
	for _, l := range shellLines("README.md", string(text)) {
		commands = append(commands, l.text)
	}
	assert.Contains(t, commands, "go test ./...")
	assert.Contains(t, commands, "go run ./cmd/simulate")
	// The module is not published under its path, so embedding needs this line.
	assert.Contains(t, string(text), "replace "+modulePath+" => ")
}

// The README's program is the Example, and its transcript is the one that the
// game server's tests play.
func TestReadmeShowsWhatTestsRun(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(example), "func Example() {\n")
	require.True(t, ok)
	body, _, ok := strings.Cut(rest, "\t// Output:")
	require.True(t, ok)
	body = strings.ReplaceAll("\n"+body, "\n\t", "\n")
	assert.Contains(t, string(readme), "```go\n"+strings.TrimSpace(body)+"\n```")
	assert.LessOrEqual(t, strings.Count(strings.TrimSpace(body), "\n")+1, 30, "lines of the README's program")

	transcript, err := os.ReadFile("cmd/gameserver/testdata/transcript/output.txt")
	require.NoError(t, err)
	assert.Contains(t, string(readme), "```transcript\n"+strings.TrimSpace(string(transcript))+"\n```")
}
