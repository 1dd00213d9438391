package main

import (
	"fmt"
	"io"
	"time"

	"github.com/tickwheel/tickwheel/cmd/simulate/clients"
)

// liveLine is the line on stderr while clients play: redrawn on a terminal, a new
// one every second elsewhere.
type liveLine struct {
	*progress
	clients  int
	duration time.Duration
}

func newLiveLine(w io.Writer, mode string, cfg clients.Config) liveLine {
	return liveLine{newProgress(w, mode, 1), cfg.Clients, cfg.Duration}
}

func (l liveLine) show(s clients.Live) {
	if !l.on {
		return
	}
	before, after := "", "\n"
	if l.bar {
		before, after = "\r\x1b[K", ""
	}
	fmt.Fprintf(l.w, "%s%3.0f s of %v: %d/%d in, %d/s, p50 %s p99 %s max %s, %d refused, %d lost%s", before,
		s.Elapsed.Seconds(), l.duration, s.LoggedIn, l.clients, s.Requests, short(s.P50), short(s.P99), short(s.Max),
		s.Counts.Refused, s.Counts.Lost, after)
}

// short writes a latency in whole milliseconds.
func short(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
