package store

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// An InUseError says that another process has the file open.
type InUseError struct {
	Path   string
	Waited time.Duration
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("store: %s is in use by another process (waited %v): stop that one, or choose another directory with --data", e.Path, e.Waited)
}

// A DamagedError says that the file could not be read and was moved aside, so
// that the next start begins with an empty one. Whether it should, or a backup
// be put in its place, is for people to decide: Open does not go on by itself.
type DamagedError struct {
	Path  string // where the file was
	Aside string // where it is now, or "" if it could not be moved
	Cause error
}

func (e *DamagedError) Error() string {
	if e.Aside == "" {
		return fmt.Sprintf("store: %s is damaged and could not be moved aside: %v: move it away, then restore a backup or start empty", e.Path, e.Cause)
	}
	return fmt.Sprintf("store: %s is damaged, it is kept as %s: %v: put a backup at %s, or start again to begin empty", e.Path, e.Aside, e.Cause, e.Path)
}

func (e *DamagedError) Unwrap() error { return e.Cause }

var errDamaged = errors.New("damaged")

// openFile opens the file and walks through all of it once, so that damage is
// found now, while the file is nobody's, and not in the middle of a game.
//
// bbolt maps the file into memory and panics on much of what can be wrong with
// it; a file shorter than it claims is a fault of the memory system. Both
// become errors here. The lock is on the descriptor, which bbolt keeps to
// itself when it panics: hence the detour through OpenFile.
func openFile(path string, timeout time.Duration) (db *bbolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var file *os.File
	opened := false
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errDamaged, r)
		}
		if err == nil || file == nil {
			return
		}
		if opened {
			closeQuietly(db)
		}
		file.Close() // again at most; it lets go of the lock
		db = nil
	}()
	db, err = bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout:      timeout,
		FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			f, err := os.OpenFile(name, flag, mode)
			file = f
			return f, err
		},
	})
	switch {
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum),
		errors.Is(err, bolterrors.ErrVersionMismatch):
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	case err != nil && !errors.Is(err, bolterrors.ErrTimeout) && tooShort(path):
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	case err != nil:
		return nil, err
	}
	opened = true
	return db, prepare(db, file)
}

// tooShort reports whether the file begins but does not hold its two meta
// pages, for which bbolt has no error value.
func tooShort(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0 && info.Size() < 2*int64(os.Getpagesize())
}

// prepare reads everything there is, checks how the pages hang together, and
// makes the bucket.
func prepare(db *bbolt.DB, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	found := false
	err = db.View(func(tx *bbolt.Tx) error {
		if tx.Size() > info.Size() {
			return fmt.Errorf("%w: the file is %d bytes long and should be %d", errDamaged, info.Size(), tx.Size())
		}
		if err := tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			found = found || string(name) == string(playersBucket)
			return b.ForEach(func(name, data []byte) error {
				_, err := decode(string(name), data)
				return err
			})
		}); err != nil {
			return err
		}
		// Only now: Check runs on a goroutine of its own, where the fault of a
		// page that is not there would end the process.
		var first error
		for err := range tx.Check() { // to its end, so that the goroutine ends
			if first == nil {
				first = fmt.Errorf("%w: %w", errDamaged, err)
			}
		}
		return first
	})
	if err != nil || found {
		return err
	}
	return db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(playersBucket)
		return err
	})
}

// setAside moves a damaged file to a name that is free.
func setAside(path string, cause error) error {
	for n := 1; n < 1000; n++ {
		aside := fmt.Sprintf("%s.damaged-%d", path, n)
		if _, err := os.Lstat(aside); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := os.Rename(path, aside); err != nil {
			return &DamagedError{Path: path, Cause: errors.Join(cause, err)}
		}
		return &DamagedError{Path: path, Aside: aside, Cause: cause}
	}
	return &DamagedError{Path: path, Cause: cause}
}

func closeQuietly(db *bbolt.DB) {
	defer func() { _ = recover() }() // of a damaged file; the descriptor is closed after us
	db.Close()
}

// recoverDamage turns a panic of bbolt over what it read into an error.
func recoverDamage(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("store: %w: %v: restart the server, it will check the file", errDamaged, r)
	}
}
