package protocol

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// feed sends the stream in pieces whose lengths cut gives, and returns the
// lines as they were handed out.
func feed(stream string, cut func(left int) int) (lines []string, err error) {
	var f Framer
	for rest := stream; len(rest) > 0 && err == nil; {
		n := min(cut(len(rest)), len(rest))
		chunk := []byte(rest[:n])
		rest = rest[n:]
		err = f.Feed(chunk, func(line []byte) bool {
			lines = append(lines, string(line))
			return true
		})
		for i := range chunk {
			chunk[i] = '!' // what the network does with its buffer afterwards
		}
	}
	return lines, err
}

func whole(left int) int { return left }
func one(int) int        { return 1 }

func TestFramerCutsLines(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, c := range []struct {
		name, stream string
		want         []string
		code         Code
	}{
		{"one line", "a\n", []string{"a"}, ""},
		{"three lines and a half in one piece", "a\nbb\nccc\nd", []string{"a", "bb", "ccc"}, ""},
		{"carriage returns are part of the line feed", "a\r\nb\r\n", []string{"a", "b"}, ""},
		{"a carriage return elsewhere is text", "a\rb\n", []string{"a\rb"}, ""},
		{"empty lines are skipped", "\n\r\n\na\n\n", []string{"a"}, ""},
		{"the longest line", long + "\n", []string{long}, ""},
		{"the longest line with a carriage return", "a\n" + long + "\r\nb\n", []string{"a", long, "b"}, ""},
		{"a carriage return too many", long + "\r\r\n", nil, CodeLineTooLong},
		{"a carriage return in the place of a byte too many", long + "\rx\n", nil, CodeLineTooLong},
		{"a byte and a carriage return too many", long + "x\r\n", nil, CodeLineTooLong},
		{"one byte too long", long + "x\n", nil, CodeLineTooLong},
		{"too long and no end in sight", long + "x", nil, CodeLineTooLong},
		{"what came before a bad line counts", "a\n" + long + "x\nb\n", []string{"a"}, CodeLineTooLong},
		{"a zero byte", "a\nb\x00c\nd\n", []string{"a"}, CodeBinary},
		{"a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00", nil, CodeBinary},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cut := range []func(int) int{whole, one} {
				lines, err := feed(c.stream, cut)
				assert.Equal(t, c.want, lines)
				if c.code == "" {
					assert.NoError(t, err)
					continue
				}
				var frame *FrameError
				require.ErrorAs(t, err, &frame)
				assert.Equal(t, c.code, frame.Code)
			}
		})
	}
}

func TestFramerStaysBroken(t *testing.T) {
	var f Framer
	never := func([]byte) bool { t.Error("a line after a framing error"); return true }
	first := f.Feed([]byte("\x00"), never)
	assert.Error(t, first)
	assert.Equal(t, first, f.Feed([]byte("a\n"), never))
	assert.Zero(t, f.Buffered())
}

func TestFramerStopsWhenTold(t *testing.T) {
	var f Framer
	var lines []string
	require.NoError(t, f.Feed([]byte("a\nb\nc\n"), func(line []byte) bool {
		lines = append(lines, string(line))
		return len(lines) < 2
	}))
	assert.Equal(t, []string{"a", "b"}, lines)
}

// The kind of failure: a frame that arrives in pieces, or together with others,
// is lost or damaged. Right: the same lines for every chunking, byte for byte.
func TestN01_EveryChunkingGivesTheSameLines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var stream strings.Builder
	var want []string
	for range 300 {
		line := strings.Repeat("é{}\"\\ ", rnd.IntN(90)) + "."
		if rnd.IntN(8) == 0 {
			line = strings.Repeat("y", MaxLine-rnd.IntN(3))
		}
		want = append(want, line)
		stream.WriteString(line + "\n")
	}
	chunkings := map[string]func(int) int{
		"whole":               whole,
		"one byte at a time":  func(int) int { return 1 },
		"one and three bytes": func(left int) int { return 1 + 2*(left%2) },
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(2, seed))
		chunkings["random "+string(rune('a'+seed))] = func(int) int { return 1 + r.IntN(1<<r.IntN(17)) }
	}
	for name, cut := range chunkings {
		got, err := feed(stream.String(), cut)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
}

func TestN01_HugeFrameIsRefusedWithBoundedMemory(t *testing.T) {
	var f Framer
	piece := []byte(strings.Repeat("z", 1000))
	var err error
	fed := 0
	for ; err == nil && fed < 100; fed++ {
		err = f.Feed(piece, func([]byte) bool { t.Error("no line was complete"); return true })
		assert.LessOrEqual(t, f.Buffered(), MaxLine)
	}
	assert.Error(t, err)
	assert.Equal(t, MaxLine/1000+1, fed, "pieces taken before the refusal")
}

func FuzzN01_Framer(f *testing.F) {
	f.Add([]byte("{\"op\":\"ping\"}\n{}\r\n\nabc"), uint64(1))
	f.Add([]byte(strings.Repeat("x", MaxLine+1)), uint64(2))
	f.Add([]byte("a\x00b\n"), uint64(3))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		wantLines, wantErr := feed(string(stream), whole)
		r := rand.New(rand.NewPCG(seed, 0))
		gotLines, gotErr := feed(string(stream), func(int) int { return 1 + r.IntN(1<<r.IntN(14)) })
		if wantErr == nil {
			require.NoError(t, gotErr)
			require.Equal(t, wantLines, gotLines)
			require.Equal(t, naiveLines(string(stream)), gotLines)
			return
		}
		// A bad line is noticed at its first bad byte, so all before it is there.
		require.Error(t, gotErr)
		require.Equal(t, wantLines, gotLines)
	})
}

// naiveLines is the framing of a stream that fits, said once more and plainly.
func naiveLines(stream string) (lines []string) {
	parts := strings.Split(stream, "\n")
	for _, part := range parts[:len(parts)-1] {
		if part = strings.TrimSuffix(part, "\r"); part != "" {
			lines = append(lines, part)
		}
	}
	return lines
}
