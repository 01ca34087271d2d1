package catalogue

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// lineBytes is the largest length of a line. A line of MPCORB has 202 columns,
// and a row of the tables has about 150. So a file with a longer line is not a
// catalogue.
const lineBytes = 1 << 16

var errLong = fmt.Errorf("longer than %d bytes", lineBytes)

// lines reads a file line by line, and decompresses gzip if the first two bytes
// are its signature.
type lines struct {
	file   string
	in     *bufio.Reader
	number int    // number of the current line, from 1
	text   []byte // the current line without its end; valid until the next call
	long   bool   // the line is longer than lineBytes; text is its beginning
	err    error  // the error that ended reading; nil at the end of the file
	bad    int    // lines reported as bad
}

// hopeless is a number of bad lines: if a file begins with so many, it is not a
// catalogue, and reading stops.
const hopeless = 10

// Open opens a catalogue for reading. It refuses a directory, because the error
// text of reading a directory differs between systems.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: is a directory, not a file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func newLines(file string, r io.Reader) *lines {
	l := &lines{file: file, in: bufio.NewReaderSize(r, lineBytes)}
	if magic, _ := l.in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(l.in)
		if err != nil {
			l.err = l.readError(err)
			return l
		}
		l.in = bufio.NewReaderSize(z, lineBytes)
	}
	return l
}

// isAhead reports whether the next lineBytes bytes of the file contain a text.
func (l *lines) isAhead(text string) bool {
	next, _ := l.in.Peek(lineBytes) // an error is ignored here, because next meets it again
	return bytes.Contains(next, []byte(text))
}

// next reads the next line. It returns false if there is no further line.
func (l *lines) next() bool {
	if l.err != nil {
		return false
	}
	text, err := l.in.ReadSlice('\n')
	full, end := errors.Is(err, bufio.ErrBufferFull), errors.Is(err, io.EOF)
	if err != nil && !full && !end {
		l.err = l.readError(err)
		return false
	}
	if len(text) == 0 {
		return false
	}
	l.number++
	l.text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if l.long = full; full {
		l.text = bytes.Clone(l.text) // copied, because the search for its end reuses the buffer
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = l.in.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			l.err = l.readError(err)
		}
	}
	return true
}

// report calls faults for a bad line. If report returns an error, reading
// stops. The error comes from faults, or says that the file has had only bad
// lines so far.
func (l *lines) report(err error, faults Faults, good int, format string) error {
	if end := faults(l.fault(err)); end != nil || good > 0 || errors.Is(err, ErrEmpty) {
		return end
	}
	if l.bad++; l.bad < hopeless {
		return nil
	}
	return fmt.Errorf("%s: %d bad lines and not a good one: is this %s?", l.file, l.bad, format)
}

// fault returns err with the number of the current line.
func (l *lines) fault(err error) *LineError {
	return &LineError{File: l.file, Line: l.number, Err: err}
}

// readError returns the error for a read that failed, so that the rest of the
// file is lost. For an error in a single line, see fault.
func (l *lines) readError(err error) *LineError {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("gzip is cut off: %w", err)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		err = fmt.Errorf("gzip is damaged: %w", err)
	}
	return &LineError{File: l.file, Line: l.number + 1, Err: err}
}
