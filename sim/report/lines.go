package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line of ticks.csv: a file of one endless line is refused, not
// read into memory.
const maxLine = 1 << 20

// lines cuts a CSV file into rows. What it returns is good until the next call.
type lines struct {
	s    *bufio.Scanner
	line int // counted from 1
	more []byte
}

func newLines(r io.Reader) *lines {
	l := &lines{s: bufio.NewScanner(r)}
	l.s.Buffer(make([]byte, 0, 1<<16), maxLine)
	return l
}

// next appends the fields of the next row to row, or returns io.EOF.
func (l *lines) next(row [][]byte) ([][]byte, error) {
	for l.s.Scan() {
		l.line++
		text := l.s.Bytes()
		switch quotes := bytes.Count(text, []byte{'"'}); {
		case len(l.more) == 0 && quotes == 0:
			if len(text) == 0 {
				continue
			}
			return fields(text, row), nil
		default: // a quoted field may hold the end of a line
			l.more = append(append(l.more, text...), '\n')
			if len(l.more) > maxLine {
				return nil, fmt.Errorf("line %d: a quoted field has no end", l.line)
			}
			if bytes.Count(l.more, []byte{'"'})%2 != 0 {
				continue
			}
			row, err := quotedFields(l.more, row)
			l.more = l.more[:0]
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", l.line, err)
			}
			return row, nil
		}
	}
	if err := l.s.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %d is longer than %d bytes", l.line+1, maxLine)
		}
		return nil, err
	}
	if len(l.more) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return nil, io.EOF
}
