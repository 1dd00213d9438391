package plot

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes what render produces to path. Whoever looks at path sees
// the old file or the whole new one, never half a picture: the bytes go to a
// temporary file in the same folder, which is renamed at the end. On an error
// the temporary file is removed and path is as it was.
//
// The folder must exist. The file is readable by all, as os.Create makes it.
func WriteFile(path string, render func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, "."+base+".*")
	if err != nil {
		return fmt.Errorf("plot: cannot write %s: check that the folder exists and is writable: %w", path, err)
	}
	defer func() {
		if err != nil {
			// Closing twice is harmless, and what is left over is only in the way.
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriter(f)
	if err := render(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("plot: writing %s: is the disk full? %w", path, err)
	}
	// CreateTemp makes files only their owner may read.
	if err := f.Chmod(0o644); err != nil {
		return fmt.Errorf("plot: writing %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("plot: writing %s: is the disk full? %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("plot: cannot put %s in place: remove what stands there: %w", path, err)
	}
	return nil
}
