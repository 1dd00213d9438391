package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// FileName is the name of the file in the data directory.
const FileName = "players.db"

const (
	// lockTimeout is how long Open waits for another process to let go of the
	// file: long enough for one that is ending, short enough to be told.
	lockTimeout = time.Second
	// maxCommit bounds one transaction, so that nobody waits for a giant one.
	maxCommit = 1000
)

var playersBucket = []byte("players")

// ErrClosed means that the store was closed. It does not pass.
var ErrClosed = errors.New("store: the store is closed")

// A Store is an open file of players.
type Store struct {
	db   *bbolt.DB
	path string

	commit sync.Mutex // held by the goroutine that commits for everybody waiting

	mu      sync.Mutex // guards what follows
	waiting []*save
	closed  bool
}

// A save waits for the next commit.
type save struct {
	player Player
	data   []byte
	done   bool
	err    error
}

// Open opens dir/players.db and creates both if they are missing.
//
// The error is an [*InUseError] if another process has the file open and does
// not let go within a second, and a [*DamagedError] if the file is damaged, in
// which case it was moved aside.
func Open(dir string) (*Store, error) { return open(dir, lockTimeout) }

func open(dir string, timeout time.Duration) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("store: data directory %s: %w: choose another with --data", dir, err)
	}
	path := filepath.Join(dir, FileName)
	db, err := openFile(path, timeout)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, &InUseError{Path: path, Waited: timeout}
	case errors.Is(err, errDamaged):
		return nil, setAside(path, err)
	case errors.As(err, new(*ValueError)):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("store: open %s: %w: check its owner and mode, or choose another directory with --data", path, err)
	}
	return &Store{db: db, path: path}, nil
}

// Path returns the name of the open file.
func (s *Store) Path() string { return s.path }

// Load returns the player called name, and false if there is none. It blocks
// on the disk.
func (s *Store) Load(name string) (p Player, found bool, err error) {
	defer recoverDamage(&err)
	err = s.db.View(func(tx *bbolt.Tx) error {
		data := tx.Bucket(playersBucket).Get([]byte(name))
		if data == nil {
			return nil
		}
		found = true
		p, err = decode(name, data)
		return err
	})
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		err = ErrClosed
	}
	if err != nil {
		return Player{}, false, err
	}
	return p, found, nil
}

// Save writes p and returns when it is on the disk. If the file has the player
// with the same Rev or a higher one, Save leaves it alone and returns nil.
//
// Save blocks for one commit, about a millisecond on a good disk, or two if it
// comes while one is running: whoever comes meanwhile shares the next.
func (s *Store) Save(p Player) error {
	data, err := encode(p)
	if err != nil {
		return fmt.Errorf("store: encode player %q: %w", p.Name, err)
	}
	w := &save{player: p, data: data}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()

	s.commit.Lock()
	defer s.commit.Unlock()
	for !w.done { // unless an earlier holder of the lock has taken it along
		s.write(s.take())
	}
	return w.err
}

// take removes up to maxCommit saves from the queue, oldest first.
func (s *Store) take() []*save {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(s.waiting), maxCommit)
	batch := s.waiting[:n:n]
	s.waiting = append([]*save(nil), s.waiting[n:]...)
	return batch
}

// write commits a batch and tells each save how it went.
func (s *Store) write(batch []*save) {
	err := s.update(batch)
	for _, w := range batch {
		w.done = true
		if err != nil {
			w.err = err
		}
	}
}

// update commits a batch in one transaction. It sorts by name first: neighbours
// share pages, and pages are what a commit costs. A save that is refused alone
// has its err set.
func (s *Store) update(batch []*save) (err error) {
	defer recoverDamage(&err)
	sorted := append([]*save(nil), batch...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].player.Name < sorted[j].player.Name })
	err = s.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(playersBucket)
		for _, w := range sorted {
			name := []byte(w.player.Name)
			if old := b.Get(name); old != nil {
				// What can't be read can't be judged, and is not overwritten.
				was, err := decode(w.player.Name, old)
				if err != nil {
					w.err = err
					continue
				}
				if was.Rev >= w.player.Rev {
					continue
				}
			}
			if err := b.Put(name, w.data); err != nil {
				return fmt.Errorf("store: player %q: %w", w.player.Name, err)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDamaged) {
		err = fmt.Errorf("store: commit of %d players to %s: %w", len(batch), s.path, err)
	}
	return err
}

// Close waits for the saves in hand and closes the file. Saves that come later
// return [ErrClosed]. It may be called twice.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.commit.Lock()
	defer s.commit.Unlock()
	for batch := s.take(); len(batch) > 0; batch = s.take() {
		s.write(batch)
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("store: close %s: %w", s.path, err)
	}
	return nil
}
