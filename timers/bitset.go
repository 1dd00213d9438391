package timers

// bitset is a bit for each of many numbers, all zero at first. It grows by
// chunks, so that no call pays for more than one.
type bitset struct {
	chunks []*[bitChunk / 64]uint64 // nil where nothing was put
	used   int
}

const bitChunk = 1 << 12

// put sets bit i to v.
func (s *bitset) put(i uint32, v bool) {
	c := int(i / bitChunk)
	if c >= len(s.chunks) {
		s.chunks = append(s.chunks, make([]*[bitChunk / 64]uint64, c+1-len(s.chunks))...)
	}
	if s.chunks[c] == nil {
		s.chunks[c] = new([bitChunk / 64]uint64)
		s.used++
	}
	w := &s.chunks[c][i%bitChunk/64]
	if v {
		*w |= 1 << (i % 64)
	} else {
		*w &^= 1 << (i % 64)
	}
}

// get returns bit i, which was put before.
func (s *bitset) get(i uint32) bool {
	return s.chunks[i/bitChunk][i%bitChunk/64]>>(i%64)&1 != 0
}

func (s *bitset) bytes() int64 { return int64(len(s.chunks))*8 + int64(s.used)*bitChunk/8 }
