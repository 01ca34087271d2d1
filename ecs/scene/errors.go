package scene

import (
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

// mostErrors is how many errors of a text are told.
const mostErrors = 20

// source is a text and where it is from.
type source struct{ file, text string }

// wrong is an error at a place of the text.
func (s *source) wrong(at int, text string, args ...any) *Error {
	at = min(at, len(s.text))
	line := strings.Count(s.text[:at], "\n")
	begin := strings.LastIndexByte(s.text[:at], '\n') + 1
	return &Error{File: s.file, Line: line + 1, Column: utf8.RuneCountInString(s.text[begin:at]) + 1, Text: fmt.Sprintf(text, args...), at: at}
}

// errorf is an error of the package.
func errorf(text string, args ...any) error { return fmt.Errorf("scene: "+text, args...) }

// join sorts errors by place and joins the first of them.
func join(list []*Error) error {
	slices.SortStableFunc(list, func(a, b *Error) int { return a.at - b.at })
	list = slices.CompactFunc(list, func(a, b *Error) bool { return a.at == b.at && a.Text == b.Text })
	var all []error
	for i, e := range list {
		if i == mostErrors {
			all = append(all, fmt.Errorf("%s: and more", e.File))
			break
		}
		if e.hint != nil {
			e.Text, e.hint = e.Text+e.hint(), nil
		}
		all = append(all, e)
	}
	return errors.Join(all...)
}

// nearest says which of the names looks like one that is not among them, as in ": there is \"Mass\"".
func nearest(name string, names []string) string {
	best, far := "", max(2, len(name)/3)+1
	switch n := len(name); {
	case n < 2 || n > 200:
		return ""
	case n < 4:
		far = 2
	}
	for _, n := range names {
		if d := len(n) - len(name); d >= far || -d >= far {
			continue
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
