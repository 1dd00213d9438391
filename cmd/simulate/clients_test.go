package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/simulate/clients"
)

// gameServer builds the server once; its own room may not be imported here, and a
// process is what people run.
var gameServer = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(program), "gameserver")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, "../gameserver").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return path, err
})

// serveGame runs the game server and returns its address.
func serveGame(t *testing.T) (addr string) {
	t.Helper()
	path, err := gameServer()
	require.NoError(t, err)
	cmd := exec.Command(path, "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--interval", "10ms")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	log := bufio.NewScanner(stderr)
	for addr == "" && log.Scan() {
		if m := regexp.MustCompile(`addr=(\S+)`).FindStringSubmatch(log.Text()); m != nil {
			addr = m[1]
		}
	}
	require.NotEmpty(t, addr, "the server says where it listens")
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(io.Discard, stderr)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-drained
		cmd.Wait()
	})
	return addr
}

// some are flags for a fleet that is done in about a second.
func some(addr string, more ...string) []string {
	return append([]string{"clients", "--addr", addr, "--clients", "20", "--duration", "1s", "--rate", "20", "--arrival-rate", "0"}, more...)
}

// fleetJSON is what the tests look at of clients.json.
type fleetJSON struct {
	Clients     int
	Interrupted bool
	Latency     map[string]struct{ Count int64 }
	Counts      struct{ Sent, Answered, Lost, Logins int64 }
	Expect      []struct {
		Expect, Got string
		Met         bool
	}
	Environment struct{ Command []string }
}

func (r result) fleet(t *testing.T) (f fleetJSON) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.file(t, fleetSummary), &f))
	return f
}

func TestClients(t *testing.T) {
	addr := serveGame(t)
	r := simulate(t, some(addr, "--quiet", "--expect", "request.p99 < 10s", "--expect", "lost == 0")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Empty(t, r.stderr)
	for _, want := range []string{"20 clients at " + addr, "p99.9", "  request ", "requests: ", "expect lost == 0: met, got 0", "Results in out"} {
		assert.Contains(t, r.stdout, want)
	}
	f := r.fleet(t)
	assert.Equal(t, 20, f.Clients)
	assert.Equal(t, int64(20), f.Counts.Logins)
	assert.Positive(t, f.Counts.Answered)
	assert.Equal(t, f.Latency["request"].Count, f.Latency["ping"].Count+f.Latency["attack"].Count+f.Latency["cast"].Count)
	assert.Contains(t, f.Environment.Command, "clients")
	assert.Contains(t, string(r.file(t, fleetLog)), "Tag=request,")

	r = simulate(t, some(addr, "--json", "--progress", "plain", "--mix", "ping=1")...)
	require.Equal(t, exitOK, r.code, r.stderr)
	assert.Equal(t, string(r.file(t, fleetSummary)), r.stdout)
	assert.Regexp(t, `(?m)^  1 s of 1s: \d+/20 in, `, r.stderr)

	r = simulate(t, some(addr, "--quiet", "--expect", "request.p99 < 1us", "--expect", "login.max < 1h", "--expect", "slow.p50 < 1s")...)
	assert.Equal(t, exitUsage, r.code, "h is no unit of an expectation")
	r = simulate(t, some(addr, "--quiet", "--expect", "request.p99 < 1us", "--expect", "slow.p50 < 1s")...)
	assert.Equal(t, exitThreshold, r.code)
	assert.Contains(t, r.stderr, "simulate: expected request.p99 < 1us, got ")
	assert.Contains(t, r.stderr, "simulate: expected slow.p50 < 1s, got no samples")
	assert.Len(t, r.fleet(t).Expect, 2, "results are written all the same")
}

func TestClientsWithTokens(t *testing.T) {
	addr := serveGame(t)
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	require.NoError(t, os.WriteFile(tokens, []byte("# of the test server\n\nsesame\n"), 0o600))
	r := simulate(t, some(addr, "--quiet", "--token-file", tokens)...)
	assert.Equal(t, exitFailed, r.code, "this server knows no tokens, and says so")
	assert.Contains(t, r.stderr, "simulate: nobody was let in: refused: unknown_field: ")
	assert.NotContains(t, r.stdout+r.stderr, "sesame")

	require.NoError(t, os.WriteFile(tokens, []byte("# none\n"), 0o600))
	r = simulate(t, some(addr, "--token-file", tokens)...)
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "no token in it: want one a line")
}

func TestClientsWithoutAServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close() // it listens, and nobody says hello
	r := simulate(t, some(l.Addr().String(), "--quiet", "--timeout", "50ms")...)
	assert.Equal(t, exitFailed, r.code)
	assert.Regexp(t, `^simulate: no game server at \S+: no hello: .*: is it running, and is --addr its address\?\n$`, r.stderr)
	assert.Empty(t, r.stdout)
	assert.NoFileExists(t, filepath.Join(r.dir, "out", fleetLog))

	addr := l.Addr().String()
	l.Close()
	r = simulate(t, some(addr, "--quiet")...)
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "simulate: no game server at "+addr)
}

func TestClientsWrongUse(t *testing.T) {
	for args, want := range map[string]string{
		"--clients 0":             "clients 0: want 1 to 60000",
		"--clients -1":            "clients -1",
		"--clients x":             `"x"`,
		"--clients 60001":         "want 1 to 60000",
		"--duration 0":            "duration 0s: want more than 0",
		"--duration 5":            "missing unit",
		"--addr 7777":             `addr "7777": want host:port`,
		"--rate -1":               "rate -1",
		"--rate NaN":              "rate NaN",
		"--mix fly=1":             "one of ping, attack, cast, timer, stats",
		"--arrivals sometimes":    "want poisson or even",
		"--drop 2":                "drop 2: want 0 to 1",
		"--slow 1 --slow-pause 0": "slow-pause 0s",
		"--prefix X":              `prefix "X"`,
		"--expect fast":           `something like "request.p99 < 150ms"`,
		"--expect lost<1ms":       "is a count: leave out the unit",
		"--token-file nowhere":    "token-file: open nowhere",
		"--out=":                  "want a folder",
		"--nonsense":              "--nonsense",
		"1000":                    `argument "1000": clients takes flags only`,
		"--clients 0 --rate -1":   "rate -1",
		"--progress often":        `progress "often"`,
	} {
		r := simulate(t, append([]string{"clients"}, strings.Fields(args)...)...)
		assert.Equal(t, exitUsage, r.code, args)
		assert.Empty(t, r.stdout, args)
		assert.Contains(t, r.stderr, want, args)
		assert.Contains(t, r.stderr, `Run "simulate clients --help" for the flags.`, args)
		messages, _, _ := strings.Cut(r.stderr, `Run "simulate`)
		for l := range strings.Lines(messages) {
			assert.Regexp(t, `^simulate: `, l, args)
			assert.NotContains(t, l, "clients: ", args)
		}
		entries, err := os.ReadDir(r.dir)
		require.NoError(t, err)
		assert.Empty(t, entries, "%s: nothing is made", args)
	}
}

func TestClientsFolderThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	r := simulateIn(t, dir, some("127.0.0.1:1", "--out", "file")...)
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "choose another folder")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "out", fleetLog), 0o755))
	r = simulateIn(t, dir, some("127.0.0.1:1")...)
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "cannot write the log")
}

func TestClientsHelp(t *testing.T) {
	r := simulate(t, "clients", "--help")
	assert.Equal(t, exitOK, r.code)
	for _, f := range strings.Fields("addr clients duration rate arrivals arrival-rate mix session drop away slow slow-pause timeout prefix token-file expect seed out quiet json") {
		assert.Contains(t, r.stdout, "--"+f+" ", f)
	}
	assert.Contains(t, simulate(t, "__complete", "clients", "--arrivals", "").stdout, "poisson")
}

// A bar is redrawn in place.
func TestLiveLine(t *testing.T) {
	example := clients.Live{
		Elapsed: 3 * time.Second, LoggedIn: 9, Requests: 8, Counts: clients.Counts{Refused: 4, Lost: 5},
		P50: time.Millisecond, P99: 2 * time.Millisecond, Max: 3 * time.Millisecond,
	}
	cfg := clients.Config{Clients: 10, Duration: time.Minute}
	var b bytes.Buffer
	l := newLiveLine(&b, "bar", cfg)
	l.show(example)
	l.clear()
	assert.Equal(t, "\r\x1b[K  3 s of 1m0s: 9/10 in, 8/s, p50 1 ms p99 2 ms max 3 ms, 4 refused, 5 lost\r\x1b[K", b.String())
	b.Reset()
	l = newLiveLine(&b, "none", cfg)
	l.show(example)
	assert.Empty(t, b.String())
}
