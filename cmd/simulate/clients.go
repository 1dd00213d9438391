package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/cmd/simulate/clients"
	"github.com/tickwheel/tickwheel/sim/plot"
	"github.com/tickwheel/tickwheel/sim/report"
)

// fleetOptions are the flags of clients.
type fleetOptions struct {
	shared
	cfg       clients.Config
	mix       string
	tokenFile string
	expect    []string
	out       *string
}

// maxTokenFile is how many bytes a file of tokens may have.
const maxTokenFile = 64 << 20

// Files that clients writes.
const (
	fleetSummary = "clients.json"
	fleetLog     = "clients.hlog"
)

func clientsCommand() *cobra.Command {
	o := &fleetOptions{cfg: clients.Defaults()}
	o.mix = o.cfg.Mix.String()
	cmd := &cobra.Command{
		Use:   "clients",
		Short: "Play many test clients against a game server over TCP",
		Long: `Clients connects test clients to a server that speaks docs/protocol.md, and shows
what they feel. It is an open loop: when a request is due is drawn ahead, and its
latency counts from then, so a stall meets everybody whom it kept waiting. What was
never answered, or never sent for want of a connection, counts with the time it
waited. A refused login is tried again after its hint, in a row of its own.

Rows: request (all but timers), ping, attack, cast, stats, timer (how late), login,
login_retried, logout, slow (requests of slow readers), send_late (how late this
process sent: if it is large, so is all else).
Files: ` + fleetSummary + `, and ` + fleetLog + `, a histogram of each row every second.
Exit codes: 0 ok, 1 no server, or none at the end, 2 wrong use, 3 an expectation is
not met, 130 interrupted (results are written).`,
		Example: `  simulate clients --addr 127.0.0.1:7777 --clients 1000 --duration 1m
  simulate clients --clients 10000 --arrival-rate 1000 --rate 0.5
  simulate clients --session 20s --drop 0.5 --slow 0.01      # come, go, read slowly
  simulate clients --expect 'request.p99 < 150ms' --expect 'lost == 0'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{fmt.Errorf("simulate: argument %q: clients takes flags only, such as --clients 1000", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.shared, err = sharedOf(cmd); err != nil {
				return err
			}
			return o.run(cmd)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *fleetOptions) addFlags(cmd *cobra.Command) {
	f, c := cmd.Flags(), &o.cfg
	f.SortFlags = false
	f.StringVar(&c.Addr, "addr", c.Addr, "`host:port` of the server")
	f.IntVar(&c.Clients, "clients", c.Clients, fmt.Sprintf("clients, 1 to %d", clients.MaxClients))
	f.DurationVar(&c.Duration, "duration", c.Duration, "until everybody logs out")
	f.Float64Var(&c.Rate, "rate", c.Rate, "requests a second of each client; 0: they only stay")
	f.StringVar(&c.Arrivals, "arrivals", c.Arrivals, "how a client's requests are spread: poisson or even")
	f.Float64Var(&c.ArrivalRate, "arrival-rate", c.ArrivalRate, "clients a second that arrive for the first time; 0: all at once")
	f.StringVar(&o.mix, "mix", o.mix, "what they ask for, by weight: ping, attack, cast, timer, stats")
	f.DurationVar(&c.Session, "session", c.Session, "how long a client stays on average before it leaves and comes back; 0: to the end")
	f.Float64Var(&c.Drop, "drop", c.Drop, "share of those stays that end with the connection and no logout")
	f.DurationVar(&c.Away, "away", c.Away, "how long a client that left stays away")
	f.Float64Var(&c.Slow, "slow", c.Slow, "share of clients that read 4 KiB every --slow-pause")
	f.DurationVar(&c.SlowPause, "slow-pause", c.SlowPause, "how long a slow reader does not read")
	f.DurationVar(&c.Timeout, "timeout", c.Timeout, "how long to wait for a connection, a login and a bye")
	f.StringVar(&c.Prefix, "prefix", c.Prefix, "names of the players: this and a number")
	f.StringVar(&o.tokenFile, "token-file", "", "`file` with a token a line, sent with the logins in turn")
	f.StringArrayVar(&o.expect, "expect", nil, "what must hold, such as 'request.p99 < 150ms' or 'lost == 0'; may be repeated")
	f.Uint64Var(&c.Seed, "seed", c.Seed, "seed of every draw")
	o.out = outFlag(cmd)
	_ = cmd.RegisterFlagCompletionFunc("arrivals", cobra.FixedCompletions([]string{"poisson", "even"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagFilename("token-file")
}

// check returns what must hold, and all that is wrong with the flags, tokensErr
// with the tokens.
func (o *fleetOptions) check(tokensErr error) (expect []fleetExpectation, err error) {
	var errs []error
	mix, err := clients.ParseMix(o.mix)
	if err == nil {
		o.cfg.Mix = mix
	}
	errs = append(errs, err, o.cfg.Validate())
	for _, s := range o.expect {
		e, err := parseFleetExpectation(s)
		errs = append(errs, err)
		expect = append(expect, e)
	}
	errs = append(errs, tokensErr)
	if *o.out == "" {
		errs = append(errs, errors.New("simulate: out \"\": want a folder for results"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, &usageError{unprefixed(err)}
	}
	return expect, nil
}

// unprefixed takes the name of the package from the lines of a message: to
// whoever types a command it is all simulate.
func unprefixed(err error) error {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "clients: "))
	}
	return errors.New(strings.Join(lines, "\n"))
}

// readTokens reads a token a line; empty lines and those that start with # are
// none.
func readTokens(path string) ([]string, error) {
	b, err := readFile(path, maxTokenFile)
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		return nil, fmt.Errorf("simulate: token-file: %s", strings.TrimPrefix(err.Error(), "simulate: "))
	case err != nil:
		return nil, fmt.Errorf("simulate: token-file: %w", err)
	}
	var tokens []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			tokens = append(tokens, line)
		}
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("simulate: token-file %q: no token in it: want one a line", path)
	}
	return tokens, nil
}

// fleetReport is clients.json.
type fleetReport struct {
	*clients.Result
	Expect      []fleetJudgement   `json:"expect,omitempty"`
	Environment report.Environment `json:"environment"`
}

func (o *fleetOptions) run(cmd *cobra.Command) error {
	if o.tokenFile == "" && cmd.Flags().Changed("token-file") {
		return &usageError{errors.New("simulate: token-file \"\": want a file, or leave it out")}
	}
	var tokensErr error
	if o.tokenFile != "" { // before the rest is judged, since it may be a pipe
		o.cfg.Tokens, tokensErr = reading(cmd, o.tokenFile, func() ([]string, error) { return readTokens(o.tokenFile) })
		if errors.Is(tokensErr, errInterrupted) {
			return tokensErr
		}
	}
	expect, err := o.check(tokensErr)
	if err != nil {
		return err
	}
	release, err := report.Claim(*o.out)
	if err != nil {
		return err
	}
	defer release()
	log, err := os.Create(filepath.Join(*o.out, fleetLog))
	if err != nil {
		return fmt.Errorf("simulate: cannot write the log: %w: choose another folder", err)
	}
	defer log.Close() // closed below, too, where an error is told
	buffered := bufio.NewWriter(log)
	o.cfg.Log = buffered
	line := newLiveLine(o.stderr, o.progress, o.cfg)
	o.cfg.Progress = line.show
	started := time.Now()
	r, err := clients.Run(cmd.Context(), o.cfg)
	line.clear()
	if r == nil {
		os.Remove(log.Name()) // empty, and in the way of a look for results
		if cmd.Context().Err() != nil {
			fmt.Fprintln(o.stderr, "simulate: interrupted before the first client had connected: there are no results")
			return errInterrupted
		}
		return unprefixed(err)
	}
	doc := fleetReport{Result: r, Environment: report.Describe(append([]string{"simulate"}, os.Args[1:]...), started, time.Since(started))}
	for _, e := range expect {
		doc.Expect = append(doc.Expect, e.judge(r))
	}
	err = errors.Join(err, buffered.Flush(), log.Close(),
		plot.WriteFile(filepath.Join(*o.out, fleetSummary), func(w io.Writer) error { return writeJSON(w, doc) }))
	return o.conclude(doc, err)
}

// conclude prints the results and returns what they amount to.
func (o *fleetOptions) conclude(doc fleetReport, err error) error {
	show := o.print
	if o.json {
		show = func(doc fleetReport) error { return writeJSON(o.stdout, doc) }
	}
	if err := errors.Join(err, show(doc)); err != nil {
		return unprefixed(err)
	}
	if doc.Interrupted {
		fmt.Fprintf(o.stderr, "simulate: interrupted after %v: results hold what there was\n",
			(time.Duration(doc.ElapsedMS) * time.Millisecond).Round(100*time.Millisecond))
		return errInterrupted
	}
	met := true
	for _, j := range doc.Expect {
		if !j.Met {
			met = false
			fmt.Fprintf(o.stderr, "simulate: expected %s, got %s\n", j.Expect, j.Got)
		}
	}
	if !met {
		return errThreshold
	}
	return nil
}

func (o *fleetOptions) print(doc fleetReport) error {
	fmt.Fprintf(o.stdout, "%d clients at %s for %v, %v requests a second each (%s), %s, seed %d\n\n",
		doc.Clients, doc.Addr, o.cfg.Duration, doc.Rate, doc.Arrivals, doc.Mix, doc.Seed)
	if err := doc.Table(o.stdout); err != nil {
		return err
	}
	for _, j := range doc.Expect {
		verdict := "not met"
		if j.Met {
			verdict = "met"
		}
		fmt.Fprintf(o.stdout, "expect %s: %s, got %s\n", j.Expect, verdict, j.Got)
	}
	_, err := fmt.Fprintf(o.stdout, "\nResults in %s: %s and %s\n", *o.out, fleetSummary, fleetLog)
	return err
}
