package scene

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lanewise/lanewise/ecs/internal/panics"
	"github.com/lanewise/lanewise/internal/spell"
)

// Error is one fault in a text. An Error contains the line and the column. Lines and columns count
// from 1, and columns count characters. If a text has several faults, the errors are joined in the
// order of the text. At most twenty errors are returned.
type Error struct {
	File         string
	Line, Column int
	Text         string // describes the fault and its remedy

	offset int           // offset of the fault in bytes
	source *source       // nil after the line and column were computed
	hint   func() string // if finding the remedy takes long, a function that returns it
	cause  error         // wraps the panic of a method that was called for the text; may be nil
}

// Unwrap returns an error for the panic of a method that was called for the text, or nil. If the value of
// the panic is an error, the returned error wraps it.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// These are the categories of errors of baked files, for errors.Is.
var (
	// ErrCorrupt says that the bytes were changed after they were written, or that they are not a
	// baked scene.
	ErrCorrupt = errors.New("not a whole baked scene")

	// ErrVersion says that a later release of this package has written the baked scene.
	ErrVersion = errors.New("a baked scene of a later version")
)

// maxErrors is the largest number of errors of a text that are returned. maxKeptErrors is the
// largest number of errors that are collected and then sorted.
const (
	maxErrors     = 20
	maxKeptErrors = 1000
)

// source is a text, together with the name of its file.
type source struct{ file, text string }

// errorAt returns an error at an offset of the text. The line and the column are computed later, by
// joinErrors, because most errors are not returned.
func (s *source) errorAt(at int, text string, args ...any) *Error {
	e := &Error{File: s.file, Text: fmt.Sprintf(text, args...), offset: min(at, len(s.text)), source: s}
	for _, a := range args {
		if err, is := a.(error); is && panics.Is(err) {
			e.cause = err
		}
	}
	return e
}

// withHint returns e with a hint, whose text is computed only if e is returned.
func (e *Error) withHint(hint func() string) *Error {
	e.hint = hint
	return e
}

// locate computes the line, the column and the hint of the error.
func (e *Error) locate() *Error {
	if e.source != nil {
		before := strings.TrimPrefix(e.source.text[:e.offset], byteOrderMark) // editors do not show the byte-order mark
		e.Line = strings.Count(before, "\n") + 1
		e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
		e.source = nil
	}
	if e.hint != nil {
		e.Text, e.hint = e.Text+e.hint(), nil
	}
	return e
}

// errorf returns an error of this package.
func errorf(text string, args ...any) error { return fmt.Errorf("scene: "+text, args...) }

// joinErrors sorts errors by their offset and joins the first maxErrors of them.
func joinErrors(list []*Error) error {
	slices.SortStableFunc(list, func(a, b *Error) int { return cmp.Or(a.offset-b.offset, strings.Compare(a.Text, b.Text)) })
	list = slices.CompactFunc(list, func(a, b *Error) bool { return a.offset == b.offset && a.Text == b.Text })
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

// maxSpellingBytes is the largest number of bytes that are compared in order to find one hint. This
// limit is large enough for a short name among 100,000 others.
const maxSpellingBytes = 1 << 23

// nearestNameHint returns a hint with the name that is most similar to the given one, such as ": there is
// \"Mass\"", or "".
func nearestNameHint(name string, names []string) string {
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
		if work += len(n) * len(name); work > maxSpellingBytes {
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
