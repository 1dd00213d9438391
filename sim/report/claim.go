package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// claimFile says which process writes to a folder. It is there as long as the
// process does.
const claimFile = ".writing"

// claim is what the file holds.
type claim struct {
	PID   int    `json:"pid"`
	Host  string `json:"host"` // a folder may be shared with other machines
	Since string `json:"since"`
}

// Claim makes the folder for results as [MakeDir] does and keeps other runs out of
// it until release is called, which may be called again. Two runs that write to one
// folder leave files of both. It removes the stale files, which an earlier run left
// and this one may not write again.
//
// It returns an error that names the process if another one has the folder. What a
// process left that is gone is taken over.
func Claim(dir string, stale ...string) (release func(), err error) {
	if err := MakeDir(dir); err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // "" is a name, too
	me := claim{os.Getpid(), host, time.Now().Format(time.RFC3339Nano)}
	text, err := json.Marshal(me)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, claimFile)
	for range 10 { // each time somebody else was faster
		err = put(path, text)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("report: cannot write results: %w: choose another folder", err)
		}
		held, read := os.ReadFile(path)
		if read != nil {
			continue // gone just now
		}
		if err = refused(path, held, host); err != nil {
			return nil, err
		}
		takeOver(path, held)
	}
	if err != nil {
		return nil, fmt.Errorf("report: another run writes to %s: take another --out", dir)
	}
	release = func() {
		if held, err := os.ReadFile(path); err == nil && string(held) == string(text) {
			_ = os.Remove(path) // what is left over is taken over
		}
	}
	if err := remove(dir, stale...); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// put writes a file that must not exist.
func put(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

// refused is the error of a folder that another process has, nil if that is gone.
func refused(path string, held []byte, host string) error {
	var c claim
	who := "" // it may be about to write who it is
	if json.Unmarshal(held, &c) == nil && c.PID > 0 {
		if c.Host == host && gone(c.PID) {
			return nil
		}
		who = fmt.Sprintf(" (pid %d on %s, since %s)", c.PID, c.Host, c.Since)
	}
	return fmt.Errorf("report: another run%s writes to %s: take another --out, or remove %s if there is no such run",
		who, filepath.Dir(path), path)
}

// gone tells whether there is no such process. Where that cannot be asked there is.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	defer p.Release()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// takeOver removes a file that holds what it did. Of two that do so at once, the
// slower one may move the file of the faster one, and puts it back.
func takeOver(path string, held []byte) {
	aside := fmt.Sprintf("%s.%d", path, os.Getpid())
	if os.Rename(path, aside) != nil {
		return
	}
	if now, err := os.ReadFile(aside); err == nil && string(now) != string(held) {
		_ = os.Link(aside, path)
	}
	_ = os.Remove(aside)
}

// remove removes files of a folder that may be there.
func remove(dir string, names ...string) error {
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("report: an old file is in the way: %w: remove it, or choose another folder", err)
		}
	}
	return nil
}
