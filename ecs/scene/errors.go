package scene

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lanewise/lanewise/internal/spell"
)

// Error is one thing that is wrong in a text, and where: lines and columns count from 1,
// columns in characters. What is wrong in several places is several errors, joined in the
// order of the text; there are no more than twenty.
type Error struct {
	File         string
	Line, Column int
	Text         string // what, and what would have been right

	at   int           // in bytes
	of   *source       // until it is located
	hint func() string // what would have been right, if that takes long to find
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// The categories of errors of baked files, for errors.Is.
var (
	// ErrCorrupt says that the bytes are not those that were written, or are no baked scene.
	ErrCorrupt = errors.New("not a whole baked scene")

	// ErrVersion says that a later release has written the baked scene.
	ErrVersion = errors.New("a baked scene of a later version")
)

// maxErrors is the number of errors of a text that are returned, and maxKeptErrors the number that are kept to be sorted.
const (
	maxErrors     = 20
	maxKeptErrors = 1000
)

// source is a text, and the name of its file.
type source struct{ file, text string }

// errorAt returns an error at an offset of the text. joinErrors finds the line and column, because most errors are not returned.
func (s *source) errorAt(at int, text string, args ...any) *Error {
	return &Error{File: s.file, Text: fmt.Sprintf(text, args...), at: min(at, len(s.text)), of: s}
}

// withHint returns e, which ends with what hint returns if it is told.
func (e *Error) withHint(hint func() string) *Error {
	e.hint = hint
	return e
}

// locate finds line and column, and what would have been right.
func (e *Error) locate() *Error {
	if e.of != nil {
		before := strings.TrimPrefix(e.of.text[:e.at], byteOrderMark) // which no editor shows
		e.Line = strings.Count(before, "\n") + 1
		e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		e.of = nil
	}
	if e.hint != nil {
		e.Text, e.hint = e.Text+e.hint(), nil
	}
	return e
}

// errorf is an error of the package.
func errorf(text string, args ...any) error { return fmt.Errorf("scene: "+text, args...) }

// joinErrors sorts errors by place and joins the first of them.
func joinErrors(list []*Error) error {
	slices.SortStableFunc(list, func(a, b *Error) int { return cmp.Or(a.at-b.at, strings.Compare(a.Text, b.Text)) })
	list = slices.CompactFunc(list, func(a, b *Error) bool { return a.at == b.at && a.Text == b.Text })
	var all []error
	for i, e := range list {
		if i == maxErrors {
			all = append(all, fmt.Errorf("%s: and more", e.File))
			break
		}
		all = append(all, e.locate())
	}
	return errors.Join(all...)
}

// mostSpelling bounds the comparisons of bytes for one hint: that of a short name among 100,000 others.
const mostSpelling = 1 << 23

// nearest says which of the names looks like one that is not among them, as in ": there is \"Mass\"".
func nearest(name string, names []string) string {
	best, far := "", max(2, len(name)/3)+1
	switch n := len(name); {
	case n < 2 || n > 200:
		return ""
	case n < 4:
		far = 2
	}
	work := 0
	for _, n := range names {
		if d := len(n) - len(name); d >= far || -d >= far {
			continue
		}
		if work += len(n) * len(name); work > mostSpelling {
			break
		}
		if d := spell.Distance(strings.ToLower(name), strings.ToLower(n)); d < far || d == far && best != "" && n < best {
			best, far = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": there is %q", best)
}
