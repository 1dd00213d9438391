package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
)

// asProgram makes the test binary be the program, for tests that need a process.
const asProgram = "GAMESERVER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) // gnet's pool is there from its init on
}

// process is a gameserver in a process of its own.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	addr string
	log  *bufio.Reader
	text strings.Builder // of the log so far
}

func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Dir = dir
	return cmd
}

func launch(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	cmd := program(t, dir, append([]string{"--addr", "127.0.0.1:0", "--data", "players"}, args...)...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{t: t, cmd: cmd, log: bufio.NewReader(stderr)}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	p.addr = regexp.MustCompile(`addr=(\S+)`).FindStringSubmatch(p.until("listening"))[1]
	return p
}

// until reads the log up to a line that contains word.
func (p *process) until(word string) string {
	p.t.Helper()
	for {
		line, err := p.log.ReadString('\n')
		p.text.WriteString(line)
		require.NoError(p.t, err, "the log ended before %q:\n%s", word, p.text.String())
		if strings.Contains(line, word) {
			return line
		}
	}
}

// wait returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	rest, _ := io.ReadAll(p.log)
	p.text.Write(rest)
	p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) signal(s os.Signal) { require.NoError(p.t, p.cmd.Process.Signal(s)) }

// play runs the real client on what is typed, and returns what it printed.
func play(t *testing.T, addr, name, typed string) (string, int) {
	t.Helper()
	var out, errs bytes.Buffer
	code := execute(context.Background(), []string{"client", "--name", name, "--addr", addr}, strings.NewReader(typed), &out, &errs)
	return out.String() + errs.String(), code
}

// volatile is what differs from run to run.
var volatile = regexp.MustCompile(`"(tick|late_ms)":\d+`)

// steady is a transcript without what is volatile.
func steady(s string) string { return volatile.ReplaceAllString(s, `"$1":0`) }

// The transcript that the documents show is what comes back.
func TestTranscript(t *testing.T) {
	typed, err := os.ReadFile("testdata/transcript/input.txt")
	require.NoError(t, err)
	want, err := os.ReadFile("testdata/transcript/output.txt")
	require.NoError(t, err)
	p := launch(t, t.TempDir())
	got, code := play(t, p.addr, "ann", string(typed))
	assert.Equal(t, exitOK, code)
	assert.Equal(t, steady(string(want)), steady(got))
	p.signal(syscall.SIGTERM)
	assert.Equal(t, exitOK, p.wait(), p.text.String())
}

// A document that shows a talk with the server shows the one that is tested.
func TestDocumentsShowTheTranscript(t *testing.T) {
	want, err := os.ReadFile("testdata/transcript/output.txt")
	require.NoError(t, err)
	talk := regexp.MustCompile("(?ms)^< \\{\"ev\":\"hello\".*?^```")
	shown := 0
	for _, name := range []string{"../../README.md", "../../docs/protocol.md"} {
		page, err := os.ReadFile(name)
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
		for _, got := range talk.FindAllString(string(page), -1) {
			shown++
			assert.Equal(t, steady(string(want)), steady(strings.TrimSuffix(got, "```")), name)
		}
	}
	assert.Positive(t, shown)
}

func TestSignalsEndInOrder(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		dir := t.TempDir()
		p := launch(t, dir)
		c, err := net.Dial("tcp", p.addr)
		require.NoError(t, err)
		fmt.Fprintln(c, `{"op":"login","name":"ann"}`)
		in := bufio.NewReader(c)
		for line := ""; !strings.Contains(line, "welcome"); {
			line, err = in.ReadString('\n')
			require.NoError(t, err)
		}
		p.signal(sig)
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		assert.Contains(t, line, `"reason":"shutdown"`)
		assert.Contains(t, line, `"saved":true`)
		c.Close()
		assert.Equal(t, exitOK, p.wait(), p.text.String())
		s, err := store.Open(filepath.Join(dir, "players"))
		require.NoError(t, err)
		_, found, err := s.Load("ann")
		require.NoError(t, err)
		assert.True(t, found)
		require.NoError(t, s.Close())
	}
}

// What a bye called saved is there after kill -9, in a file that is whole.
func TestSavedPlayersSurviveKill9(t *testing.T) {
	dir := t.TempDir()
	const blows = "attack %d\nattack %d\nattack %d\n"
	for round := 1; round <= 3; round++ {
		p := launch(t, dir)
		out, code := play(t, p.addr, "ann", fmt.Sprintf(blows, round, round, round))
		require.Equal(t, exitOK, code, out)
		assert.Contains(t, out, fmt.Sprintf(`"logins":%d`, round))
		assert.Contains(t, out, fmt.Sprintf(`"xp":%d`, 10*round))
		require.Contains(t, out, `"saved":true`)
		// Others are in the middle of something.
		for i := range 5 {
			c, err := net.Dial("tcp", p.addr)
			require.NoError(t, err)
			defer c.Close()
			fmt.Fprintf(c, `{"op":"login","name":"busy-%d"}`+"\n"+`{"op":"storm","count":500,"spread_ms":50}`+"\n"+`{"op":"logout"}`+"\n", i)
		}
		p.signal(syscall.SIGKILL)
		p.wait()
	}
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	data := []string{"--data", filepath.Join(dir, "data")}
	for _, c := range []struct {
		args string
		code int
		says []string
	}{
		{"--help", exitOK, []string{"--insecure", "gameserver client --name ann"}},
		{"client --help", exitOK, []string{"cast SKILL", "--raw"}},
		{"--bogus", exitUsage, []string{"--bogus", "--help"}},
		{"serve", exitUsage, []string{`"serve" is not a command`}},
		{"--interval 5", exitUsage, []string{"--interval"}},
		{"--interval 1us --cap -1 --workers 0 --jitter -1s --profile heap", exitUsage,
			[]string{"1ms to 10s", "--cap is -1", "--workers is 0", "--jitter is -1s", "cpu, mem or trace"}},
		{"--addr 0.0.0.0:0", exitUsage, []string{"0.0.0.0:0", "--insecure"}},
		{"--addr 7777", exitUsage, []string{"host:port"}},
		{"--addr " + taken.Addr().String(), exitFailed, []string{taken.Addr().String(), "another server"}},
		{"--addr 127.0.0.1:0 --data " + file, exitFailed, []string{"--data"}},
		{"client --name Ann", exitUsage, []string{"--name", "a-z"}},
		{"client --timeout 0s", exitUsage, []string{"--timeout"}},
		{"client bob", exitUsage, []string{`"bob"`}},
		{"client --addr 127.0.0.1:1", exitFailed, []string{"is the server running"}},
	} {
		args := strings.Fields(c.args)
		if args[0] != "client" && !strings.Contains(c.args, "--data") {
			args = append(args, data...)
		}
		var out, errs bytes.Buffer
		code := execute(context.Background(), args, strings.NewReader(""), &out, &errs)
		assert.Equal(t, c.code, code, c.args)
		for _, s := range c.says {
			assert.Contains(t, out.String()+errs.String(), s, c.args)
		}
	}
	assert.NoDirExists(t, data[1], "a start that fails over its address leaves nothing behind")
}

func TestDataInUseIsTold(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir)
	require.NoError(t, err)
	defer s.Close()
	var errs bytes.Buffer
	code := execute(context.Background(), []string{"--addr", "127.0.0.1:0", "--data", dir}, nil, io.Discard, &errs)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errs.String(), "players.db is in use by another process")
}

func TestInterruptedClientLogsOut(t *testing.T) {
	p := launch(t, t.TempDir())
	ctx, interrupt := context.WithCancel(context.Background())
	in, typed := io.Pipe()
	defer typed.Close()
	out, lines := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- execute(ctx, []string{"client", "--name", "ann", "--addr", p.addr}, in, lines, io.Discard)
		lines.Close()
	}()
	heard := bufio.NewScanner(out)
	for heard.Scan() && !strings.Contains(heard.Text(), "welcome") {
		continue
	}
	interrupt()
	bye := ""
	for heard.Scan() {
		bye = heard.Text()
	}
	assert.Contains(t, bye, `"reason":"logout"`)
	assert.Equal(t, exitInterrupted, <-code)
}

func TestProfilesAreWritten(t *testing.T) {
	for mode, file := range map[string]string{"cpu": "cpu.pprof", "mem": "mem.pprof", "trace": "trace.out"} {
		dir := t.TempDir()
		p := launch(t, dir, "--profile", mode, "--interval", "10ms", "--seed", "7")
		assert.Contains(t, p.text.String(), "seed=7")
		p.signal(syscall.SIGTERM)
		assert.Equal(t, exitOK, p.wait(), p.text.String())
		info, err := os.Stat(filepath.Join(dir, file))
		require.NoError(t, err)
		assert.Positive(t, info.Size())
	}
}
