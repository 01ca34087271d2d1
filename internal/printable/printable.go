// Package printable makes texts from files safe for a terminal. A file may come
// from an attacker, and a terminal obeys some characters. For example, an
// escape sequence in the name of a component could clear the screen, set the
// title, or hide a line.
//
//	fmt.Println(printable.Name(name)) // quoted if it has such characters
//
// strconv.IsPrint decides which characters are printable: letters, marks,
// numbers, punctuation, symbols and the space. Control characters, invalid
// UTF-8, and invisible characters that change the order of other characters
// are not printable.
package printable

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Name returns a name unchanged if it is printable. Otherwise, or if the name
// is empty, it returns the quoted name.
func Name(s string) string {
	if s == "" || Line(s) != s {
		return strconv.Quote(s)
	}
	return s
}

// Line escapes all characters of a text that are not printable, as a Go string
// literal does. So the result is a single line.
func Line(s string) string { return escape(s, "") }

// Lines is like Line, but for a text of several lines: it does not escape line ends and
// tabs.
func Lines(s string) string { return escape(s, "\n\t") }

func escape(s, but string) string {
	keeps := func(r rune, size int) bool {
		return strconv.IsPrint(r) && (r != utf8.RuneError || size > 1) || r < utf8.RuneSelf && strings.IndexByte(but, byte(r)) >= 0
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !keeps(r, size) {
			quoted := strconv.Quote(s[i : i+size])
			b.WriteString(s[done:i])
			b.WriteString(quoted[1 : len(quoted)-1])
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// Writer returns a writer that applies Lines to the text of each Write and
// writes the result to out.
func Writer(w io.Writer) io.Writer { return writer{w} }

type writer struct{ to io.Writer }

func (w writer) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.to, Lines(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
