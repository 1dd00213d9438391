package protocol

import (
	"bytes"
	"fmt"
)

// MaxLine is how long a line may be, in bytes, without its "\n" or "\r\n".
const MaxLine = 4096

// A FrameError says that a stream is not made of lines of text. Where the next
// line begins is unknown then, so the connection cannot go on.
type FrameError struct {
	Code   Code // CodeLineTooLong or CodeBinary
	Reason string
}

func (e *FrameError) Error() string { return "protocol: " + e.Reason }

// A Framer cuts a stream into lines, whatever the pieces it arrives in. The
// zero Framer is ready to use. It keeps at most MaxLine bytes and one "\r".
type Framer struct {
	part []byte // an unfinished line; owned, never a piece of the caller's chunk
	err  error
}

// Feed takes the next piece of the stream and calls line for each line that is
// complete now, without its "\n" or "\r\n". Empty lines are skipped. The slice
// is valid until line returns, and so is chunk until Feed does: Feed copies
// what it keeps. If line returns false, Feed stops and drops the rest.
//
// Feed returns a [*FrameError] if a line is longer than [MaxLine] or contains a
// zero byte, after the lines before it were handed out; every later call
// returns the same error and hands out nothing.
func (f *Framer) Feed(chunk []byte, line func([]byte) bool) error {
	if f.err != nil {
		return f.err
	}
	for len(chunk) > 0 {
		end := bytes.IndexByte(chunk, '\n')
		piece := chunk
		if end >= 0 {
			piece = chunk[:end]
		}
		if err := f.check(piece); err != nil {
			f.err, f.part = err, nil
			return err
		}
		if end < 0 {
			f.part = append(f.part, piece...)
			return nil
		}
		chunk = chunk[end+1:]
		whole := piece
		if len(f.part) > 0 {
			f.part = append(f.part, piece...)
			whole, f.part = f.part, f.part[:0]
		}
		whole = bytes.TrimSuffix(whole, []byte{'\r'})
		if len(whole) > 0 && !line(whole) {
			return nil
		}
	}
	return nil
}

// Buffered returns how many bytes of an unfinished line are kept, 0 to MaxLine
// or, if the last is a "\r" that may be of the line's end, one more.
func (f *Framer) Buffered() int { return len(f.part) }

// check judges a piece before it is kept, so that a stream without line feeds
// is refused at the first byte too many and not when memory has run out.
func (f *Framer) check(piece []byte) error {
	if i := bytes.IndexByte(piece, 0); i >= 0 {
		return &FrameError{Code: CodeBinary, Reason: "a zero byte in the stream: send UTF-8 JSON, one object a line"}
	}
	n := len(f.part) + len(piece)
	if n == MaxLine+1 && f.last(piece) == '\r' {
		return nil // it does not count if a line feed follows; if not, the next byte is one too many
	}
	if n > MaxLine {
		return &FrameError{Code: CodeLineTooLong,
			Reason: fmt.Sprintf("a line of %d bytes or more: want at most %d and a line feed", n, MaxLine)}
	}
	return nil
}

// last is the last byte of the line so far, which has one, with piece added.
func (f *Framer) last(piece []byte) byte {
	if len(piece) > 0 {
		return piece[len(piece)-1]
	}
	return f.part[len(f.part)-1]
}
