package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tickwheel/tickwheel/sim/html"
	"github.com/tickwheel/tickwheel/sim/report"
)

func reportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report [DIR...]",
		Short: "Write results as a page for a browser",
		Long: `Report writes report.html: one file that holds everything and works offline. It
says first what the results mean, then shows every tick with zoom, percentiles,
backlog and lateness by lane, workers, the longest ticks and what made them long,
all figures, and the command that makes them again. Without DIR it reads the
folder of --out.

Several folders give one page with the runs of all. It goes to --out, or into the
first of them. What is judged is the policy that the last folder has as subject,
or else its last one.`,
		Example: `  simulate run && simulate report   # out/report.html
  simulate report before after      # both on one page, in before
  simulate report --json            # the verdict and the file, for programs`,
		ValidArgsFunction: completeDirs,
	}
	out := outFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		v, err := viewOf(cmd, args, *out)
		if err != nil {
			return err
		}
		set, release, err := v.load(cmd.Context())
		if err != nil {
			return err
		}
		defer release()
		path := filepath.Join(v.to, html.File)
		if err := report.WriteFile(path, func(w io.Writer) error {
			if err := html.Write(w, set); err != nil {
				return err
			}
			return cmd.Context().Err() // the page of before stays
		}); err != nil {
			return v.interrupted(cmd.Context(), err, "nothing was written")
		}
		if v.json {
			return writeJSON(v.stdout, map[string]any{"verdict": html.Verdict(set), "files": []string{path}})
		}
		if _, err := fmt.Fprintln(v.stdout, html.Verdict(set)); err != nil {
			return err
		}
		return v.done(cmd.Context(), html.File)
	}
	return cmd
}
