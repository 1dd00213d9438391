package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/pkg/profile"
	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/cmd/gameserver/client"
	"github.com/tickwheel/tickwheel/cmd/gameserver/protocol"
	"github.com/tickwheel/tickwheel/cmd/gameserver/server"
	"github.com/tickwheel/tickwheel/cmd/gameserver/world"
	"github.com/tickwheel/tickwheel/tick"
)

// options are the flags of the server.
type options struct {
	addr     string
	interval time.Duration
	jitter   time.Duration
	limit    int
	workers  int
	data     string
	seed     uint64
	profile  string
	insecure bool
}

func newCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "gameserver",
		Short: "A small game server on the tickwheel loop",
		Long: `gameserver runs a small game: players with skills, buffs and cooldowns, monsters
that respawn. It speaks one JSON object a line (docs/protocol.md) and keeps its
players in DIR/players.db. SIGINT or SIGTERM logs everybody out, saves and exits;
a second one exits at once, unless it is the same within 100 ms: that is taken
for an echo of the first.

Exit codes: 0 ended in order, 1 failed, 2 wrong usage, 130 left at once.`,
		Example: `  gameserver                                 listen on 127.0.0.1:7777
  gameserver --addr 127.0.0.1:0 --data /tmp  any free port; stderr says which
  gameserver --cap 4000 --jitter 2s          hold storms to 4,000 callbacks a tick
  gameserver client --name ann               play, in another terminal`,
		Args:          noArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd, o, stderr)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.addr, "addr", "127.0.0.1:7777", "`host:port` to listen on; port 0 is any free one")
	f.DurationVar(&o.interval, "interval", 50*time.Millisecond, "length of a tick, 1ms to 10s")
	f.DurationVar(&o.jitter, "jitter", 2*time.Second, "spread of respawns, 0 for none")
	f.IntVar(&o.limit, "cap", 4000, "timer callbacks a tick may start, 0 for no limit")
	f.IntVar(&o.workers, "workers", 4, "saves and loads that may run at once")
	f.StringVar(&o.data, "data", "data", "`directory` of players.db, made if missing")
	f.Uint64Var(&o.seed, "seed", 0, "seed of all jitter, 0 for a random one")
	f.StringVar(&o.profile, "profile", "", "write a `cpu|mem|trace` profile to the current directory")
	f.BoolVar(&o.insecure, "insecure", false, "allow an address that others can reach: there are no accounts")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.AddCommand(newClient(stdin, stdout))
	return cmd
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Errorf("%q is not a command of %s", args[0], cmd.CommandPath())}
	}
	return nil
}

// hostPort tells whether addr has the shape of an address.
func hostPort(addr string) bool {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// check finds what is wrong with the flags, all of it.
func (o options) check() error {
	var errs []error
	bad := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(o.interval >= time.Millisecond && o.interval <= 10*time.Second, "--interval is %v: want 1ms to 10s", o.interval)
	bad(o.jitter >= 0, "--jitter is %v: want 0 (none) or more", o.jitter)
	bad(o.limit >= 0, "--cap is %d: want 0 (no limit) or more", o.limit)
	bad(o.workers >= 1 && o.workers <= 4096, "--workers is %d: want 1 to 4096", o.workers)
	bad(hostPort(o.addr), "--addr is %q: want host:port, such as 127.0.0.1:7777", o.addr)
	bad(o.data != "", "--data is empty: want a directory")
	bad(o.profile == "" || profiles[o.profile] != nil, "--profile is %q: want cpu, mem or trace", o.profile)
	if len(errs) == 0 {
		return nil
	}
	return &usageError{errors.Join(errs...)}
}

var profiles = map[string]func(*profile.Profile){
	"cpu": profile.CPUProfile, "mem": profile.MemProfile, "trace": profile.TraceProfile,
}

func serve(cmd *cobra.Command, o options, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if mode := profiles[o.profile]; mode != nil {
		// Its own signal handler would exit before the players are saved.
		defer profile.Start(mode, profile.ProfilePath("."), profile.NoShutdownHook, profile.Quiet).Stop()
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	s, err := server.Open(cmd.Context(), server.Config{
		Addr: o.addr, Insecure: o.insecure, DataDir: o.data, Logger: log,
		Loop: tick.Config{
			Interval: o.interval, Budget: o.limit, Workers: o.workers, Seed: o.seed,
		},
		World: world.Config{RespawnJitter: o.jitter},
	})
	if errors.Is(err, server.ErrExposed) {
		return &usageError{err}
	}
	if err != nil {
		return err
	}
	return s.Run(cmd.Context())
}

func newClient(stdin io.Reader, stdout io.Writer) *cobra.Command {
	cfg := client.Config{In: stdin, Out: stdout}
	cmd := &cobra.Command{
		Use:   "client",
		Short: "An interactive client: type JSON or short words",
		Long: `client connects to a gameserver, logs in as --name and sends what is typed, as
JSON or as short words. Lines sent are printed after "> ", lines received after
"< ". At the end of the input, or at Ctrl-C, it logs out.

` + client.Help + `
Exit codes: 0 logged out, 1 failed or ended by the server, 2 wrong usage,
130 interrupted.`,
		Example: `  gameserver client --name ann
  printf 'cast heal\ntimer 1500 tea\n' | gameserver client --name ann`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cfg.Timeout <= 0 {
				return &usageError{fmt.Errorf("--timeout is %v: want more than 0", cfg.Timeout)}
			}
			if !hostPort(cfg.Addr) {
				return &usageError{fmt.Errorf("--addr is %q: want host:port, such as 127.0.0.1:7777", cfg.Addr)}
			}
			if cfg.Name != "" {
				if err := protocol.CheckName(cfg.Name); err != nil {
					return &usageError{fmt.Errorf("--%s", err.Message)}
				}
			}
			err := client.Run(cmd.Context(), cfg)
			if errors.Is(err, client.ErrInterrupted) {
				return exitError(exitInterrupted)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&cfg.Name, "name", "", "player to log in as: 1 to 24 of a-z, 0-9, '-' and '_'")
	f.StringVar(&cfg.Addr, "addr", "127.0.0.1:7777", "`host:port` of the server")
	f.BoolVar(&cfg.Raw, "raw", false, "print only the lines received, as they are")
	f.DurationVar(&cfg.Timeout, "timeout", 30*time.Second, "how long to wait for an answer")
	return cmd
}
