package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tickwheel/tickwheel/cmd/gameserver/store"
)

// enter logs a player in over a connection that stays open, so that an end in
// order takes its time.
func (p *process) enter(name string) *bufio.Reader {
	p.t.Helper()
	c, err := net.Dial("tcp", p.addr)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, `{"op":"login","name":%q}`+"\n", name)
	in := bufio.NewReader(c)
	for line := ""; !strings.Contains(line, "welcome"); {
		line, err = in.ReadString('\n')
		require.NoError(p.t, err)
	}
	return in
}

// The kind of failure: a second signal hangs or panics; or, the other way round,
// one that was meant as the first leaves players unsaved. Right: another signal,
// or the same one later, exits at once.
func TestT16_SecondSignalExitsAtOnce(t *testing.T) {
	t.Run("another one", func(t *testing.T) {
		p := launch(t, t.TempDir())
		p.enter("ann")
		p.signal(syscall.SIGTERM)
		p.until("shutting down")
		p.signal(os.Interrupt)
		assert.Equal(t, exitInterrupted, p.wait(), p.text.String())
		assert.Contains(t, p.text.String(), "interrupt again: leaving at once")
	})
	t.Run("the same one, until it works", func(t *testing.T) {
		p := launch(t, t.TempDir())
		p.enter("ann")
		code := make(chan int, 1)
		p.signal(syscall.SIGTERM)
		go func() { code <- p.wait() }()
		again := time.NewTicker(sameSignal / 5)
		defer again.Stop()
		for {
			select {
			case c := <-code:
				assert.Equal(t, exitInterrupted, c, p.text.String())
				assert.Contains(t, p.text.String(), "terminated again: leaving at once")
				return
			case <-again.C:
				_ = p.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has ended
			}
		}
	})
}

func TestT16_TheSameSignalTwiceIsOne(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		dir := t.TempDir()
		p := launch(t, dir)
		in := p.enter("ann")
		p.signal(sig)
		p.signal(sig)
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		assert.Contains(t, line, `"saved":true`)
		assert.Equal(t, exitOK, p.wait(), p.text.String())
		s, err := store.Open(filepath.Join(dir, "players"))
		require.NoError(t, err)
		_, found, err := s.Load("ann")
		require.NoError(t, err)
		assert.True(t, found)
		require.NoError(t, s.Close())
	}
}

func TestT16_WhichSignalIsTheSecond(t *testing.T) {
	type at struct {
		after time.Duration
		sig   os.Signal
	}
	for _, c := range []struct {
		name  string
		sends []at
		want  os.Signal
	}{
		{"one", []at{{0, os.Interrupt}}, nil},
		{"an echo", []at{{0, os.Interrupt}, {10 * time.Millisecond, os.Interrupt}}, nil},
		{"echoes until the limit", []at{{0, syscall.SIGTERM}, {0, syscall.SIGTERM}, {sameSignal, syscall.SIGTERM}}, nil},
		{"the same past the limit", []at{{0, os.Interrupt}, {sameSignal + 1, os.Interrupt}}, os.Interrupt},
		{"echoes don't extend it", []at{{0, os.Interrupt}, {90 * time.Millisecond, os.Interrupt}, {20 * time.Millisecond, os.Interrupt}}, os.Interrupt},
		{"another one at the same time", []at{{0, os.Interrupt}, {0, syscall.SIGTERM}}, syscall.SIGTERM},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				signals, done := make(chan os.Signal), make(chan struct{})
				firsts := 0
				got := make(chan os.Signal, 1)
				go func() { got <- second(signals, done, func() { firsts++ }) }()
				for _, s := range c.sends {
					time.Sleep(s.after) // of the bubble's clock: no time passes
					signals <- s.sig
				}
				synctest.Wait()
				close(done)
				assert.Equal(t, c.want, <-got)
				assert.Equal(t, 1, firsts)
			})
		})
	}
}
