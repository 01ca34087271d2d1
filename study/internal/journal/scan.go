package journal

import (
	"bytes"
	"errors"
	"io"
)

// piece is the number of bytes that are read at once, after a small first read.
// The first read is small because the logs of tests are small, whereas most other logs are
// large.
const (
	piece      = 1 << 20
	firstPiece = 1 << 12
)

// Scan passes every whole entry of a log to the function each, from an offset on, together
// with the offset of the entry. The payload is valid until that call of each returns. Scan
// returns the end of the last whole entry; the bytes after it are torn.
//
// Scan returns only errors of reading and errors of each; damage in the log is not an
// error.
func Scan(r io.ReaderAt, from int64, each func(e Entry, at int64, payload []byte) error) (end int64, err error) {
	s := scanner{r: r, offset: from, piece: firstPiece}
	end = from
	for {
		e, payload, ok, more := Parse(s.buf)
		switch {
		case ok:
			if err := each(e, s.offset, payload); err != nil {
				return end, err
			}
			s.skip(e.Size())
			end = s.offset
		case more && !s.eof:
			if err := s.fill(max(s.piece, e.Size()-len(s.buf))); err != nil {
				return end, err
			}
		default: // damaged or torn, but an entry may begin at the next line
			if ok, err := s.nextLine(); !ok {
				return end, err
			}
		}
	}
}

// nextLine skips the rest of a line. It reports whether there is another line.
func (s *scanner) nextLine() (bool, error) {
	for {
		if n := bytes.IndexByte(s.buf, '\n'); n >= 0 {
			s.skip(n + 1)
			return true, nil
		}
		s.skip(len(s.buf))
		if s.eof {
			return false, nil
		}
		if err := s.fill(s.piece); err != nil {
			return false, err
		}
	}
}

// scanner is a window into a log.
type scanner struct {
	r      io.ReaderAt
	offset int64  // offset of the window's first byte
	buf    []byte // the window
	memory []byte // memory of the window

	piece int // number of bytes to read at once
	eof   bool
}

func (s *scanner) skip(n int) { s.buf, s.offset = s.buf[n:], s.offset+int64(n) }

// fill extends the window by up to n bytes. The window grows only by bytes that
// were read. A damaged record that claims a very large length can therefore not
// use more memory than the file has bytes.
func (s *scanner) fill(n int) error {
	s.piece = min(4*s.piece, piece)
	for n > 0 && !s.eof {
		step := min(n, 16*piece)
		if cap(s.memory) < len(s.buf)+step {
			s.memory = make([]byte, 0, len(s.buf)+max(step, len(s.buf)))
		}
		s.memory = s.memory[:len(s.buf)+step]
		copy(s.memory, s.buf)
		got, err := s.r.ReadAt(s.memory[len(s.buf):], s.offset+int64(len(s.buf)))
		s.buf = s.memory[:len(s.buf)+got]
		n -= got
		switch {
		case errors.Is(err, io.EOF):
			s.eof = true
		case err != nil:
			return err
		}
	}
	return nil
}
