package timers

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"math"
)

// A snapshot is a magic number, the version, the length of the body, the body,
// and a checksum over all of that. The body is a row of varints.
//
// It holds places, not only timers: which entries of which blocks are taken, at
// which generation, and what is free in which order. A row of timers to schedule
// anew would be shorter, but old handles would mean nothing, and new ones differ
// from those of the wheel that was saved. What follows from the places, such as
// lists and counts, is left out, so that it can't contradict them.

// snapMagic begins with a byte that is no text, and ends with a line end that
// transfers as text would change.
const snapMagic = "\x89twheel\n"

const (
	snapVersion = 1
	snapHeader  = len(snapMagic) + 4 + 8
	snapTrailer = 8
)

// Errors of AppendSnapshot and Restore.
var (
	// ErrAdvancing means that an Advance is under way, or was interrupted and
	// not gone on with. It passes when an Advance returns.
	ErrAdvancing = errors.New("timers: an Advance is unfinished: take the snapshot after one has returned")
	// ErrSnapshot means that the input of Restore is cut off, damaged, from a
	// newer version, or no snapshot at all; the text says which. It does not
	// pass by itself.
	ErrSnapshot = errors.New("timers: unusable snapshot")
)

// writer appends a snapshot to b.
type writer struct {
	b     []byte
	start int // of the snapshot
}

func (o *writer) uint(vs ...uint64) {
	for _, v := range vs {
		o.b = binary.AppendUvarint(o.b, v)
	}
}

func (o *writer) int(v int64) { o.b = binary.AppendVarint(o.b, v) }

func (o *writer) bytes(b []byte) {
	o.uint(uint64(len(b)))
	o.b = append(o.b, b...)
}

// chain writes a list of records linked by next, and how many they are.
func (o *writer) chain(first uint32, next func(uint32) uint32) {
	o.uint(length(first, next))
	for i := first; i != 0; i = next(i) {
		o.uint(uint64(i))
	}
}

// length counts the records of a list.
func length(first uint32, next func(uint32) uint32) (n uint64) {
	for i := first; i != 0; i = next(i) {
		n++
	}
	return n
}

func (o *writer) begin() {
	o.start = len(o.b)
	o.b = append(o.b, snapMagic...)
	o.b = binary.LittleEndian.AppendUint32(o.b, snapVersion)
	o.b = binary.LittleEndian.AppendUint64(o.b, 0) // the length, see seal
}

// seal fills in the length of the body and appends the checksum.
func (o *writer) seal() {
	s := o.b[o.start:]
	binary.LittleEndian.PutUint64(s[snapHeader-8:], uint64(len(s)-snapHeader))
	o.b = binary.LittleEndian.AppendUint64(o.b, checksum(s))
}

func checksum(b []byte) uint64 { return crc64.Checksum(b, crc64.MakeTable(crc64.ECMA)) }

// body returns the body of snapshot b.
func body(b []byte) ([]byte, error) {
	if n := min(len(b), len(snapMagic)); string(b[:n]) != snapMagic[:n] {
		return nil, fmt.Errorf("%w: it begins with %q, want %q: no snapshot of a wheel", ErrSnapshot, b[:n], snapMagic)
	}
	if len(b) < snapHeader+snapTrailer {
		return nil, fmt.Errorf("%w: %d bytes, want at least %d: it was cut off, use another copy",
			ErrSnapshot, len(b), snapHeader+snapTrailer)
	}
	switch v := binary.LittleEndian.Uint32(b[len(snapMagic):]); {
	case v > snapVersion:
		return nil, fmt.Errorf("%w: version %d, this build reads up to %d: restore it with the newer build",
			ErrSnapshot, v, snapVersion)
	case v == 0:
		return nil, fmt.Errorf("%w: version 0: it was damaged, use another copy", ErrSnapshot)
	}
	end := len(b) - snapTrailer
	if size := binary.LittleEndian.Uint64(b[snapHeader-8:]); size != uint64(end-snapHeader) {
		return nil, fmt.Errorf("%w: a body of %d bytes, want %d: it was cut off or joined, use another copy",
			ErrSnapshot, end-snapHeader, size)
	}
	if got, want := checksum(b[:end]), binary.LittleEndian.Uint64(b[end:]); got != want {
		return nil, fmt.Errorf("%w: checksum %016x, want %016x: it was damaged, use another copy", ErrSnapshot, got, want)
	}
	return b[snapHeader:end], nil
}

// reader takes a body apart. After the first thing that is wrong it returns
// zeros and keeps the error.
type reader struct {
	b   []byte
	err error
}

func (r *reader) bad(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{ErrSnapshot}, args...)...)
	}
}

// need is bad unless ok.
func (r *reader) need(ok bool, format string, args ...any) {
	if !ok {
		r.bad(format, args...)
	}
}

// uint reads a number of at most limit.
func (r *reader) uint(what string, limit uint64) uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit {
		r.bad("%s is %d: want at most %d", what, v, limit)
		return 0
	}
	r.b = r.b[n:]
	return v
}

// int reads a number in [lo, hi].
func (r *reader) int(what string, lo, hi int64) int64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Varint(r.b)
	if n <= 0 || v < lo || v > hi {
		r.bad("%s is %d: want %d to %d", what, v, lo, hi)
		return 0
	}
	r.b = r.b[n:]
	return v
}

// u32 reads a number under limit.
func (r *reader) u32(what string, limit uint32) uint32 {
	return uint32(r.uint(what, uint64(limit)-1))
}

func (r *reader) bytes(what string) []byte {
	n := r.uint(what, math.MaxUint64)
	if n > uint64(len(r.b)) {
		r.bad("%s is %d, but %d bytes are left", what, n, len(r.b))
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

// chain reads a list of distinct records below limit for which free holds, and
// calls link for each with its successor. It must name all, which are n.
func (r *reader) chain(what string, limit uint32, n int, free func(uint32) bool, link func(i, next uint32)) (first uint32) {
	if count := r.uint(what, uint64(len(r.b))); count != uint64(n) {
		r.bad("%s has %d members: want %d", what, count, n)
		return 0
	}
	seen := make([]bool, limit)
	prev := uint32(0)
	for range n {
		i := r.u32(what, limit)
		if r.err != nil {
			return 0
		}
		if i == 0 || seen[i] || !free(i) {
			r.bad("%s names %d, which is in use or named twice", what, i)
			return 0
		}
		seen[i] = true
		if prev == 0 {
			first = i
		} else {
			link(prev, i)
		}
		prev = i
	}
	if prev != 0 {
		link(prev, 0)
	}
	return first
}
