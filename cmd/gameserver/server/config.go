package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/tickwheel/tickwheel/cmd/gameserver/world"
	"github.com/tickwheel/tickwheel/tick"
)

// Config is a server's settings. The zero value of a field is its default.
type Config struct {
	// Addr is the host:port to listen on. "" means 127.0.0.1:7777; port 0 means
	// any free one, see [Server.Addr].
	Addr string
	// Insecure allows an address that others can reach, who then can play as
	// anybody: there are no accounts.
	Insecure bool
	// DataDir is where players.db is. "" means "data".
	DataDir string
	// Loop is the loop's. Its Queue is raised to what a mass logout needs.
	Loop tick.Config
	// World is the game's.
	World world.Config

	// MaxConns is how many connections there may be. 0 means 10,000. It is
	// lowered to what the limit on open files allows.
	MaxConns int
	// MaxAhead is how many requests of a connection may be read and not handled.
	// 0 means 256.
	MaxAhead int
	// MaxUnread is how many bytes of output a connection may leave unread. 0
	// means 256 KiB.
	MaxUnread int
	// Linger is how long a connection stays open for its client to read the bye.
	// 0 means 2 s.
	Linger time.Duration
	// DrainTimeout is how long the end waits for the last saves. 0 means 10 s.
	DrainTimeout time.Duration
	// FlushTimeout is how long the end waits for clients to read their bye. 0
	// means 1 s.
	FlushTimeout time.Duration
	// Logger gets what the operator should know. nil means slog.Default.
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	def(&c.Addr, "127.0.0.1:7777")
	def(&c.DataDir, "data")
	def(&c.MaxConns, 10_000)
	def(&c.MaxAhead, 256)
	def(&c.MaxUnread, 256<<10)
	def(&c.Linger, 2*time.Second)
	def(&c.DrainTimeout, 10*time.Second)
	def(&c.FlushTimeout, time.Second)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("server: Config."+format, args...))
		}
	}
	bad(c.MaxConns > 0, "MaxConns is %d: want 1 or more", c.MaxConns)
	bad(c.MaxAhead > 0, "MaxAhead is %d: want 1 or more", c.MaxAhead)
	bad(c.MaxUnread >= 4096, "MaxUnread is %d: want 4096 or more", c.MaxUnread)
	bad(c.Linger > 0, "Linger is %v: want more than 0", c.Linger)
	bad(c.DrainTimeout > 0, "DrainTimeout is %v: want more than 0", c.DrainTimeout)
	bad(c.FlushTimeout > 0, "FlushTimeout is %v: want more than 0", c.FlushTimeout)
	if files, ok := openFiles(); ok && c.MaxConns > files-spareFiles(files) {
		c.MaxConns = files - spareFiles(files)
	}
	// At a mass logout each player has a save under way and a last one behind it.
	c.Loop.Queue = max(c.Loop.Queue, 2*c.MaxConns+1024)
	def(&c.Loop.Logger, c.Logger)
	def(&c.World.Logger, c.Logger)
	return c, errors.Join(errs...)
}

// spareFiles is how many descriptors are kept back from connections: gnet ends
// for good when an accept fails for want of one, and accepts run ahead of the
// count.
func spareFiles(limit int) int { return min(512, limit/2) }

func def[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// ErrExposed means an address that others can reach, without Config.Insecure.
var ErrExposed = errors.New("server: others could reach this address, and there are no accounts")

// resolve turns Config.Addr into the address to bind: a number, so that what was
// checked is what is bound.
func resolve(ctx context.Context, addr string, insecure bool) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("server: address %q: %w: want host:port, such as 127.0.0.1:7777", addr, err)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || port != strconv.FormatUint(n, 10) {
		return "", fmt.Errorf("server: address %q: port %q: want 0 to 65535", addr, port)
	}
	exposed := func() error {
		return fmt.Errorf("%w: address %q: use 127.0.0.1, or say --insecure", ErrExposed, addr)
	}
	if host == "" {
		if !insecure {
			return "", exposed()
		}
		return net.JoinHostPort("0.0.0.0", port), nil
	}
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return "", fmt.Errorf("server: address %q: %w: want a host this machine has", addr, err)
	}
	best := ips[0]
	for _, ip := range ips {
		if !ip.IP.IsLoopback() && !insecure {
			return "", exposed()
		}
		if ip.IP.To4() != nil && best.IP.To4() == nil {
			best = ip // a name that has both: clients try v4 as well, not all try v6
		}
	}
	return net.JoinHostPort(best.String(), port), nil
}
