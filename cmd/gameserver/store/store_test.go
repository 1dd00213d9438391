package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustOpen(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestPlayersComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	s := mustOpen(t, dir)
	_, found, err := s.Load("ann")
	require.NoError(t, err)
	assert.False(t, found)

	ann := Player{Name: "ann", Rev: 1, HP: 70, XP: 30, Kills: 3, Logins: 1}
	require.NoError(t, s.Save(ann))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "twice is fine")

	got, found, err := mustOpen(t, dir).Load("ann")
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, ann, got)
}

func TestOlderCopyNeverReplacesNewer(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	require.NoError(t, s.Save(Player{Name: "ann", Rev: 5, XP: 50}))
	require.NoError(t, s.Save(Player{Name: "ann", Rev: 4, XP: 40}))
	require.NoError(t, s.Save(Player{Name: "ann", Rev: 5, XP: 51}))
	got, _, err := s.Load("ann")
	require.NoError(t, err)
	assert.EqualValues(t, 50, got.XP)
	require.NoError(t, s.Save(Player{Name: "ann", Rev: 6, XP: 60}))
	got, _, err = s.Load("ann")
	require.NoError(t, err)
	assert.EqualValues(t, 60, got.XP)
}

func lastCommit(t *testing.T, s *Store) (id int) {
	t.Helper()
	require.NoError(t, s.db.View(func(tx *bbolt.Tx) error { id = tx.ID(); return nil }))
	return id
}

func TestSavesThatWaitShareACommit(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	before := lastCommit(t, s)
	var wg sync.WaitGroup
	s.commit.Lock() // a commit is running
	const savers = 32
	for i := range savers {
		wg.Go(func() { assert.NoError(t, s.Save(Player{Name: fmt.Sprintf("p%d", i), Rev: 1})) })
	}
	for waiting := 0; waiting < savers; runtime.Gosched() {
		s.mu.Lock()
		waiting = len(s.waiting)
		s.mu.Unlock()
	}
	s.commit.Unlock()
	wg.Wait()
	assert.Equal(t, 1, lastCommit(t, s)-before, "commits")
}

func TestManySavers(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	var wg sync.WaitGroup
	const savers, each = 16, 20
	for i := range savers {
		wg.Go(func() {
			for rev := range uint64(each) {
				assert.NoError(t, s.Save(Player{Name: fmt.Sprintf("p%d", i), Rev: rev + 1, XP: int64(rev)}))
			}
		})
	}
	wg.Wait()
	for i := range savers {
		p, found, err := s.Load(fmt.Sprintf("p%d", i))
		require.NoError(t, err)
		assert.True(t, found)
		assert.EqualValues(t, each-1, p.XP)
	}
}

func TestClosedStoreSaysSo(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	require.NoError(t, s.Close())
	assert.ErrorIs(t, s.Save(Player{Name: "ann"}), ErrClosed)
	_, _, err := s.Load("ann")
	assert.ErrorIs(t, err, ErrClosed)
}

// The kind of failure: a second server on the same file hangs for ever.
func TestD22_SecondOpenIsRefusedInTime(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	for _, d := range []string{dir, link} {
		_, err := open(d, 20*time.Millisecond)
		var inUse *InUseError
		require.ErrorAs(t, err, &inUse)
		assert.ErrorContains(t, err, "players.db is in use by another process")
		assert.ErrorContains(t, err, "--data")
	}
	require.NoError(t, s.Save(Player{Name: "ann", Rev: 1}), "the first one is not disturbed")
	require.NoError(t, s.Close())
	mustOpen(t, dir)
}

// The kind of failure: a file torn by a power cut panics at open and leaves the
// file locked. Right: an error, the file kept aside, the lock released.
func TestD23_DamagedFileIsKeptAside(t *testing.T) {
	page := os.Getpagesize()
	for name, damage := range map[string]func([]byte) []byte{
		"rubbish":           func(b []byte) []byte { return []byte("this is not a database, and long enough to be read as one") },
		"cut to one page":   func(b []byte) []byte { return b[:page] },
		"cut in the middle": func(b []byte) []byte { return b[:len(b)/2] },
		"both metas zeroed": func(b []byte) []byte { clear(b[:2*page]); return b },
		"pages zeroed":      func(b []byte) []byte { clear(b[2*page:]); return b },
		"pages overwritten": func(b []byte) []byte {
			for i := 2 * page; i < len(b); i++ {
				b[i] = byte(i*7 + 1)
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir)
			for i := range 200 {
				require.NoError(t, s.Save(Player{Name: fmt.Sprintf("player-%d", i), Rev: 1}))
			}
			require.NoError(t, s.Close())
			path := filepath.Join(dir, FileName)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			bad := damage(data)
			require.NoError(t, os.WriteFile(path, bad, 0o600))

			_, err = open(dir, 20*time.Millisecond)
			var damaged *DamagedError
			require.ErrorAs(t, err, &damaged)
			assert.ErrorContains(t, err, path+" is damaged, it is kept as "+path+".damaged-1")
			kept, err := os.ReadFile(damaged.Aside)
			require.NoError(t, err)
			assert.Equal(t, bad, kept)

			s = mustOpen(t, dir)
			_, found, err := s.Load("player-1")
			require.NoError(t, err)
			assert.False(t, found)
			require.NoError(t, s.Save(Player{Name: "player-1", Rev: 1}))
		})
	}
}

func TestUnusableValueIsNotOverwritten(t *testing.T) {
	for name, c := range map[string]struct{ value, says string }{
		"rubbish":        {"{", "not readable"},
		"newer version":  {`{"v":2,"name":"ann"}`, "has version 2, this server reads 1 to 1"},
		"another's name": {`{"v":1,"name":"bob"}`, `"bob"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir)
			require.NoError(t, s.db.Update(func(tx *bbolt.Tx) error {
				return tx.Bucket(playersBucket).Put([]byte("ann"), []byte(c.value))
			}))
			_, _, err := s.Load("ann")
			assert.ErrorContains(t, err, c.says)
			assert.ErrorContains(t, s.Save(Player{Name: "ann", Rev: 9}), c.says)
			require.NoError(t, s.Save(Player{Name: "eve", Rev: 1}), "others are not held up")
			require.NoError(t, s.Close())

			_, err = Open(dir)
			assert.ErrorContains(t, err, c.says)
			assert.FileExists(t, filepath.Join(dir, FileName))
		})
	}
}

func TestDirectoryThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(filepath.Join(file, "data"))
	assert.ErrorContains(t, err, "--data")
	assert.False(t, errors.As(err, new(*DamagedError)))
}
