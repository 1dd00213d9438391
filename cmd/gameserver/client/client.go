package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
)

// Config says whom to connect to and where to read and write.
type Config struct {
	Addr string // host:port
	Name string // player to log in as; "" means not to log in
	// In is what is typed, a command a line. nil means nothing.
	In io.Reader
	// Out gets the transcript. nil discards it.
	Out io.Writer
	// Raw leaves out what was sent and the "< " before what was received.
	Raw bool
	// Timeout bounds each wait: for the connection, for an answer, for an event
	// named by the word wait, for the end. 0 means 30 s.
	Timeout time.Duration
}

// ErrInterrupted means that ctx ended. The player was logged out if there was
// time for it.
var ErrInterrupted = errors.New("client: interrupted")

// An EndedError says that the server ended the session for a reason of its own.
type EndedError struct{ Reason string }

func (e *EndedError) Error() string {
	return fmt.Sprintf("client: the server ended the session: %s", e.Reason)
}

// farewell is how long an interrupted client waits for the bye.
const farewell = 2 * time.Second

// Run is one connection from the first line to the last. It returns nil if the
// session ended because the input did, or by logout; ErrInterrupted if ctx
// ended; an *EndedError if the server wished it; another error if the connection
// could not be made, broke, or the login was refused.
func Run(ctx context.Context, cfg Config) error {
	if cfg.Out == nil {
		cfg.Out = io.Discard
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 30 * time.Second
	}
	if cfg.Name != "" {
		if err := protocol.CheckName(cfg.Name); err != nil {
			return fmt.Errorf("client: %s", err.Message)
		}
	}
	dialer := net.Dialer{Timeout: cfg.Timeout}
	conn, err := dialer.DialContext(ctx, "tcp", cfg.Addr)
	if err != nil {
		if ctx.Err() != nil {
			return ErrInterrupted
		}
		return fmt.Errorf("client: connect: %w: is the server running, and is --addr its address?", err)
	}
	done := make(chan struct{})
	defer close(done)
	defer conn.Close()
	c := &client{
		cfg: cfg, conn: conn, nextID: 1,
		owed: map[int64]bool{}, seen: map[string]int{},
		server: make(chan [][]byte), input: make(chan string),
	}
	go c.readServer(done)
	go c.readInput(done)
	err = c.run(ctx)
	switch {
	case c.outErr != nil:
		return fmt.Errorf("client: write the transcript: %w", c.outErr)
	case c.bye == protocol.ReasonLogout:
		return nil
	case c.bye != "":
		return &EndedError{Reason: c.bye}
	}
	return err
}

// client is one connection. Its fields belong to the goroutine of Run.
type client struct {
	cfg  Config
	conn net.Conn
	// Lines received; closed at the end of the stream. What came in one piece is
	// looked at as one: a tick's answer and what follows from it.
	server chan [][]byte
	lost   error       // why it closed, valid then
	input  chan string // lines typed; closed at their end

	nextID int64
	owed   map[int64]bool // ids sent and not answered; true if awaited before the next line
	seen   map[string]int // events received and not yet asked for by wait
	heard  int            // lines received
	failed string         // the last error event, for a refused login
	bye    string         // reason of the bye, "" before it
	outErr error
}

var errTimeout = errors.New("no answer")

func (c *client) run(ctx context.Context) error {
	if err := c.await(ctx, func() bool { return c.seen["hello"] > 0 }); err != nil {
		if c.failed != "" {
			return fmt.Errorf("client: the server refused the connection: %s", c.failed)
		}
		return c.describe(err, "a hello")
	}
	if c.cfg.Name != "" {
		if err := c.do(ctx, "login "+c.cfg.Name); err != nil {
			return err
		}
		if c.seen["welcome"] == 0 {
			return fmt.Errorf("client: login as %s was refused: %s", c.cfg.Name, c.failed)
		}
	}
	for c.bye == "" && c.outErr == nil {
		select {
		case lines, ok := <-c.server:
			if !ok {
				return c.lost
			}
			if err := c.received(lines); err != nil {
				return err
			}
		case line, ok := <-c.input:
			if !ok {
				return c.finish(ctx)
			}
			if err := c.do(ctx, line); err != nil {
				if errors.Is(err, io.EOF) {
					return c.logout(ctx)
				}
				return err
			}
		case <-ctx.Done():
			return c.interrupted()
		}
	}
	return nil
}

// do carries out one typed line. io.EOF means that the word was quit.
func (c *client) do(ctx context.Context, line string) error {
	cmd, err := parse(line, c.nextID)
	switch {
	case err != nil:
		c.printf("! %v\n", err)
		return nil
	case cmd.help:
		c.printf("%s", Help)
		return nil
	case cmd.quit:
		return io.EOF
	case cmd.wait != "":
		err := c.await(ctx, func() bool { return c.seen[cmd.wait] > 0 })
		if err != nil {
			return c.describe(err, "the event "+cmd.wait)
		}
		c.seen[cmd.wait]--
		return nil
	case cmd.send == nil:
		return nil
	}
	answered := c.nothingAwaited
	if before := c.heard; !cmd.track && !cmd.later {
		// Its answer can't be told from other lines, so any will do.
		answered = func() bool { return c.heard > before }
	}
	c.send(cmd)
	if err := c.await(ctx, answered); err != nil {
		return c.describe(err, "an answer")
	}
	return nil
}

// send writes a request. A failure shows when reading: the server may have said
// why before it closed.
func (c *client) send(cmd command) {
	if !c.cfg.Raw {
		c.printf("> %s\n", cmd.send)
	}
	if cmd.track {
		id, err := sentID(cmd.send)
		if err == nil {
			c.owed[id] = !cmd.later
			c.nextID = max(c.nextID, id+1)
		}
	}
	c.conn.SetWriteDeadline(time.Now().Add(c.cfg.Timeout)) // fails only on a closed connection
	_, _ = c.conn.Write(append(cmd.send, '\n'))
}

func (c *client) nothingAwaited() bool {
	for _, awaited := range c.owed {
		if awaited {
			return false
		}
	}
	return true
}

// await takes lines from the server until ready, or the session has ended.
func (c *client) await(ctx context.Context, ready func() bool) error {
	limit := time.NewTimer(c.cfg.Timeout)
	defer limit.Stop()
	for !ready() && c.bye == "" && c.outErr == nil {
		select {
		case lines, ok := <-c.server:
			if !ok {
				return c.lost
			}
			if err := c.received(lines); err != nil {
				return err
			}
		case <-limit.C:
			return errTimeout
		case <-ctx.Done():
			return c.interrupted()
		}
	}
	return nil
}

func (c *client) describe(err error, what string) error {
	if errors.Is(err, errTimeout) {
		return fmt.Errorf("client: %s did not come within %v", what, c.cfg.Timeout)
	}
	return err
}

// received prints lines and notes what they mean for us.
func (c *client) received(lines [][]byte) error {
	for _, line := range lines {
		if err := c.event(line); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) event(line []byte) error {
	c.heard++
	if c.cfg.Raw {
		c.printf("%s\n", line)
	} else {
		c.printf("< %s\n", line)
	}
	e, err := protocol.ParseEvent(line)
	if err != nil {
		return fmt.Errorf("client: not a game server at %s: %w", c.cfg.Addr, err)
	}
	c.seen[e.Ev]++
	if e.ID != nil {
		delete(c.owed, *e.ID)
	}
	switch e.Ev {
	case "bye":
		if c.bye = e.Reason; c.bye == "" {
			c.bye = "no reason given"
		}
	case "error":
		c.failed = string(line)
	}
	return nil
}

// finish is the end of the input: what is owed may still come.
func (c *client) finish(ctx context.Context) error {
	err := c.await(ctx, func() bool { return len(c.owed) == 0 })
	if err != nil && !errors.Is(err, errTimeout) {
		return err
	}
	return c.logout(ctx)
}

func (c *client) logout(ctx context.Context) error {
	if c.bye != "" {
		return nil
	}
	cmd, _ := parse(string(protocol.OpLogout), c.nextID)
	c.send(cmd)
	return c.describe(c.await(ctx, func() bool { return false }), "the bye")
}

// interrupted says goodbye in what little time there is.
func (c *client) interrupted() error {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	cmd, _ := parse(string(protocol.OpLogout), c.nextID)
	c.send(cmd)
	for c.bye == "" && c.outErr == nil {
		select {
		case lines, ok := <-c.server:
			if !ok || c.received(lines) != nil {
				return ErrInterrupted
			}
		case <-ctx.Done():
			return ErrInterrupted
		}
	}
	c.bye = "" // asked for by the interrupt, not by the user
	return ErrInterrupted
}

func (c *client) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(c.cfg.Out, format, args...); err != nil && c.outErr == nil {
		c.outErr = err
	}
}

// readServer cuts what the server sends into lines.
func (c *client) readServer(done <-chan struct{}) {
	defer close(c.server)
	var framer protocol.Framer
	buf := make([]byte, 64<<10)
	for {
		n, err := c.conn.Read(buf)
		var lines [][]byte
		frameErr := framer.Feed(buf[:n], func(line []byte) bool {
			lines = append(lines, append([]byte(nil), line...))
			return true
		})
		if len(lines) > 0 {
			select {
			case c.server <- lines:
			case <-done:
				return
			}
		}
		switch {
		case frameErr != nil:
			c.lost = fmt.Errorf("client: not a game server at %s: %w", c.cfg.Addr, frameErr)
			return
		case errors.Is(err, io.EOF):
			c.lost = errors.New("client: the server closed the connection without a bye")
			return
		case err != nil:
			c.lost = fmt.Errorf("client: connection lost: %w", err)
			return
		}
	}
}

// readInput hands out what is typed.
func (c *client) readInput(done <-chan struct{}) {
	defer close(c.input)
	if c.cfg.In == nil {
		return
	}
	in := bufio.NewScanner(c.cfg.In)
	in.Buffer(nil, 1<<20) // longer than the server takes, so that it can say so
	for in.Scan() {
		select {
		case c.input <- in.Text():
		case <-done:
			return
		}
	}
}
