package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve plays a server that says hello and then answers each line with what
// answer returns, until that is "" or the client has gone.
func serve(t *testing.T, hello string, answer func(line string) string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, hello)
		for in := bufio.NewScanner(conn); in.Scan(); {
			out := answer(in.Text())
			if out == "" {
				return
			}
			io.WriteString(conn, out)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

const hello = `{"ev":"hello","tick":1}` + "\n"

// echo answers like the server would, as far as the client looks.
func echo(line string) string {
	id, _ := sentID([]byte(line))
	ev := "pong"
	switch {
	case strings.Contains(line, "login"):
		ev = "welcome"
	case strings.Contains(line, "logout"):
		return fmt.Sprintf(`{"ev":"bye","tick":1,"id":%d,"reason":"logout"}`+"\n", id)
	}
	return fmt.Sprintf(`{"ev":"%s","tick":1,"id":%d}`+"\n", ev, id)
}

func TestTranscriptOfPipedInput(t *testing.T) {
	var out bytes.Buffer
	err := Run(context.Background(), Config{
		Addr: serve(t, hello, echo), Name: "ann", Out: &out,
		In: strings.NewReader("ping\n\nfly\ncast\n{\"op\":\"ping\",\"id\":40}\n{\"op\":\"fly\"}\nping\n"),
	})
	require.NoError(t, err)
	assert.Equal(t, strings.TrimPrefix(`
< {"ev":"hello","tick":1}
> {"op":"login","id":1,"name":"ann"}
< {"ev":"welcome","tick":1,"id":1}
> {"op":"ping","id":2}
< {"ev":"pong","tick":1,"id":2}
! "fly" is neither a word nor JSON: try help
! cast takes 1 values (skill), not 0
> {"op":"ping","id":40}
< {"ev":"pong","tick":1,"id":40}
> {"op":"fly"}
< {"ev":"pong","tick":1,"id":0}
> {"op":"ping","id":41}
< {"ev":"pong","tick":1,"id":41}
> {"op":"logout","id":42}
< {"ev":"bye","tick":1,"id":42,"reason":"logout"}
`, "\n"), out.String())
}

func TestEndOfInputAwaitsTimers(t *testing.T) {
	var out bytes.Buffer
	armed := ""
	err := Run(context.Background(), Config{
		Out: &out, Raw: true, In: strings.NewReader("timer 5 two words\nping\n"),
		Addr: serve(t, hello, func(line string) string {
			if strings.Contains(line, `"tag":"two words"`) {
				armed = `{"ev":"timer","tick":2,"id":1}` + "\n"
				return "\n"
			}
			if strings.Contains(line, "ping") {
				return echo(line) + armed // the timer comes after the pong
			}
			return echo(line)
		}),
	})
	require.NoError(t, err)
	assert.Equal(t, `{"ev":"hello","tick":1}
{"ev":"pong","tick":1,"id":2}
{"ev":"timer","tick":2,"id":1}
{"ev":"bye","tick":1,"id":3,"reason":"logout"}
`, out.String())
}

func TestWaitConsumesOneEvent(t *testing.T) {
	var out bytes.Buffer
	err := Run(context.Background(), Config{
		Out: &out, In: strings.NewReader("ping\nwait pong\nwait pong\n"), Timeout: 50 * time.Millisecond,
		Addr: serve(t, hello, echo),
	})
	assert.EqualError(t, err, "client: the event pong did not come within 50ms")
}

func TestEndsThatAreNotOurs(t *testing.T) {
	for name, c := range map[string]struct {
		hello string
		in    string
		says  string
	}{
		"taken over":         {hello + `{"ev":"bye","tick":2,"reason":"takeover"}` + "\n", "", "ended the session: takeover"},
		"refused":            {`{"ev":"error","tick":1,"code":"busy","message":"full"}` + "\n", "DROP", "refused the connection"},
		"another protocol":   {"SSH-2.0-OpenSSH_9.2\r\n", "", "not a game server"},
		"a binary protocol":  {"\x00\x01\x02", "", "zero byte"},
		"gone without a bye": {hello, "{\"op\":\"DROP\"}\n", "without a bye"},
	} {
		t.Run(name, func(t *testing.T) {
			in, typed := io.Pipe() // stays open: it's the server that ends it
			go io.WriteString(typed, c.in)
			defer in.Close()
			addr := serve(t, c.hello, func(line string) string {
				if strings.Contains(line, "DROP") {
					return ""
				}
				return echo(line)
			})
			if c.in == "DROP" {
				addr = serveOnce(t, c.hello)
			}
			err := Run(context.Background(), Config{Addr: addr, In: in})
			assert.ErrorContains(t, err, c.says)
		})
	}
}

// serveOnce writes a text and closes.
func serveOnce(t *testing.T, text string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if conn, err := l.Accept(); err == nil {
			io.WriteString(conn, text)
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

func TestInterruptSaysGoodbye(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	in, typed := io.Pipe()
	defer typed.Close()
	var out bytes.Buffer
	err := Run(ctx, Config{Out: &out, In: in, Name: "ann", Addr: serve(t, hello, func(line string) string {
		if strings.Contains(line, "login") {
			interrupt()
		}
		return echo(line)
	})})
	assert.ErrorIs(t, err, ErrInterrupted)
	assert.Contains(t, out.String(), `"reason":"logout"`)
}

func TestRefusedBeforeConnecting(t *testing.T) {
	assert.ErrorContains(t, Run(context.Background(), Config{Addr: "127.0.0.1:1", Name: "Ann"}), "a-z")
	err := Run(context.Background(), Config{Addr: "127.0.0.1:1"})
	assert.ErrorContains(t, err, "is the server running")
	assert.False(t, errors.Is(err, ErrInterrupted))
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"ping", `{"op":"ping","id":7}`},
		{"  cast   heal ", `{"op":"cast","id":7,"skill":"heal"}`},
		{"attack 3", `{"op":"attack","id":7,"monster":3}`},
		{"attack x", `{"op":"attack","id":7,"monster":"x"}`},
		{"attack 0x10", `{"op":"attack","id":7,"monster":"0x10"}`},
		{"timer 1500 hello", `{"op":"timer","id":7,"after_ms":1500,"tag":"hello"}`},
		{`timer 1500 say "hi" twice`, `{"op":"timer","id":7,"after_ms":1500,"tag":"say \"hi\" twice"}`},
		{"storm 1000 2000", `{"op":"storm","id":7,"count":1000,"spread_ms":2000}`},
		{"login 5", `{"op":"login","id":7,"name":"5"}`},
		{`{"op":"ping"}`, `{"op":"ping"}`},
	} {
		cmd, err := parse(c.line, 7)
		require.NoError(t, err, c.line)
		assert.Equal(t, c.want, string(cmd.send), c.line)
	}
	for _, line := range []string{"fly", "attack", "attack 1 2", "timer 5", "wait", "wait a b", "PING"} {
		_, err := parse(line, 7)
		assert.Error(t, err, line)
	}
}
