package scene

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is the largest nesting of objects and arrays. The depth is limited because the decoder is
// recursive.
const maxDepth = 200

// scanner reads the tokens of a text, starting at an offset.
type scanner struct {
	*source
	pos   int
	depth int
}

// skipSpace skips spaces and comments.
func (s *scanner) skipSpace() *Error {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			s.pos++
		case c == '/':
			if err := s.skipComment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// skipComment skips a comment.
func (s *scanner) skipComment() *Error {
	rest := s.text[s.pos:]
	switch {
	case strings.HasPrefix(rest, "//"):
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			s.pos += n + 1
		} else {
			s.pos = len(s.text)
		}
		return nil
	case strings.HasPrefix(rest, "/*"):
		n := strings.Index(rest[2:], "*/")
		if n < 0 {
			return s.errorAt(s.pos, "the comment has no end: write */")
		}
		s.pos += n + 4
		return nil
	}
	return s.errorAt(s.pos, "a single /: comments begin with // or /*")
}

// peek skips spaces and comments and returns the next byte, or 0 at the end.
func (s *scanner) peek() (byte, *Error) {
	if s.pos < len(s.text) && s.text[s.pos] > '/' {
		return s.text[s.pos], nil
	}
	if err := s.skipSpace(); err != nil {
		return 0, err
	}
	if s.pos == len(s.text) {
		return 0, nil
	}
	return s.text[s.pos], nil
}

// describeNext describes the next token for an error message.
func (s *scanner) describeNext() string {
	if s.pos >= len(s.text) {
		return "the end of the text"
	}
	switch c := s.text[s.pos]; {
	case c == '"':
		return "a string"
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '-' || '0' <= c && c <= '9':
		return "a number"
	}
	rest := s.text[s.pos:]
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(rest, word) {
			return word
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return "'" + string(r) + "'"
}

// openBracket reads the bracket at the beginning of an object or array.
func (s *scanner) openBracket(bracket byte, what string) *Error {
	c, err := s.peek()
	switch {
	case err != nil:
		return err
	case c != bracket:
		return s.errorAt(s.pos, "%s: %s is expected, as in %s; there is %s", what, bracketKind(bracket), bracketExample(bracket), s.describeNext())
	case s.depth >= maxDepth:
		return s.errorAt(s.pos, "more than %d objects and arrays lie in each other", maxDepth)
	}
	s.pos++
	s.depth++
	return nil
}

func bracketKind(bracket byte) string {
	if bracket == '{' {
		return "an object"
	}
	return "an array"
}

func bracketExample(bracket byte) string {
	if bracket == '{' {
		return "{}"
	}
	return "[]"
}

// nextElement reports whether another element follows in an object or array, and skips the comma
// before it. The parameter first says that no element has been read yet.
func (s *scanner) nextElement(bracket byte, first bool) (bool, *Error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	if !first && c == ',' {
		s.pos++
		if c, err = s.peek(); err != nil {
			return false, err
		}
	} else if !first && c != bracket {
		return false, s.errorAt(s.pos, "a comma or %c is expected; there is %s", bracket, s.describeNext())
	}
	if c == bracket {
		s.pos++
		s.depth--
		return false, nil
	}
	if c == 0 {
		return false, s.errorAt(s.pos, "the text ends before %c", bracket)
	}
	return true, nil
}

// readKey reads the key of an object's member, and the colon.
func (s *scanner) readKey() (name string, at int, err *Error) {
	if _, err = s.peek(); err != nil {
		return "", 0, err
	}
	at = s.pos
	if name, err = s.readString("a key"); err != nil {
		return "", at, err
	}
	c, err := s.peek()
	if err != nil {
		return "", at, err
	}
	if c != ':' {
		return "", at, s.errorAt(s.pos, "a colon is expected behind %q; there is %s", name, s.describeNext())
	}
	s.pos++
	_, err = s.peek()
	return name, at, err
}

// readString reads a string.
func (s *scanner) readString(what string) (string, *Error) {
	if c, err := s.peek(); err != nil {
		return "", err
	} else if c != '"' {
		return "", s.errorAt(s.pos, "%s: a string is expected, as in \"x\"; there is %s", what, s.describeNext())
	}
	begin := s.pos + 1
	for i := begin; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return s.text[begin:i], nil
		case c == '\\':
			return s.readEscaped(begin)
		case c < ' ':
			return "", s.errorAt(i, "a string has a line end or control character: write it as \\n or \\u%04x", c)
		}
	}
	return "", s.errorAt(s.pos, "the string has no end")
}

// escapes maps the character after a \ to the character that the escape represents.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// readEscaped reads a string that contains escapes. It begins after the opening quote.
func (s *scanner) readEscaped(begin int) (string, *Error) {
	var out strings.Builder
	for i := begin; i < len(s.text); {
		c := s.text[i]
		switch {
		case c == '"':
			s.pos = i + 1
			return out.String(), nil
		case c < ' ':
			return "", s.errorAt(i, "a string has a line end or control character: write it as \\n or \\u%04x", c)
		case c != '\\':
			out.WriteByte(c)
			i++
			continue
		}
		if i+1 < len(s.text) && escapes[s.text[i+1]] != 0 {
			out.WriteByte(escapes[s.text[i+1]])
			i += 2
			continue
		}
		r, ok := s.readUnicode(i)
		if !ok {
			return "", s.errorAt(i, `a string has an escape that is none of \" \\ \/ \b \f \n \r \t \u0000`)
		}
		i += 6
		if utf16.IsSurrogate(r) {
			low, _ := s.readUnicode(i)
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return "", s.errorAt(i-6, "a string has one half of a pair of surrogates")
			}
			i += 6
		}
		out.WriteRune(r)
	}
	return "", s.errorAt(begin-1, "the string has no end")
}

// readUnicode returns the character of an escape such as \u00e9.
func (s *scanner) readUnicode(at int) (rune, bool) {
	if at+6 > len(s.text) || s.text[at] != '\\' || s.text[at+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s.text[at+2 : at+6]) {
		r <<= 4
		switch {
		case '0' <= c && c <= '9':
			r += rune(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r += rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return r, true
}

// readNumber reads the text of a number. The result whole reports whether the number has neither a
// point nor an exponent.
func (s *scanner) readNumber() (text string, whole bool, err *Error) {
	begin, i := s.pos, s.pos
	digits := func() bool {
		first := i
		for i < len(s.text) && s.text[i]-'0' <= 9 {
			i++
		}
		return i > first
	}
	if i < len(s.text) && s.text[i] == '-' {
		i++
	}
	first := i
	ok := digits() && (s.text[first] != '0' || i == first+1)
	whole = true
	if ok && i < len(s.text) && s.text[i] == '.' {
		i++
		ok, whole = digits(), false
	}
	if ok && i < len(s.text) && s.text[i]|0x20 == 'e' {
		if i++; i < len(s.text) && (s.text[i] == '+' || s.text[i] == '-') {
			i++
		}
		ok, whole = digits(), false
	}
	if !ok {
		return "", false, s.errorAt(begin, "a number is written as -1, 0.5 or 1e-3")
	}
	s.pos = i
	return s.text[begin:i], whole, nil
}

// readWord reads true, false or null.
func (s *scanner) readWord() (string, *Error) {
	rest := s.text[s.pos:]
	for _, w := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(rest, w) {
			s.pos += len(w)
			return w, nil
		}
	}
	return "", s.errorAt(s.pos, "a value is expected; there is %s", s.describeNext())
}

// skipValue skips a value. skipValue does not decode the value. It examines only brackets, strings and
// comments.
func (s *scanner) skipValue() *Error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	if c != '{' && c != '[' {
		return s.skipScalar(c)
	}
	var ends [maxDepth]byte
	n := 0
	for s.pos < len(s.text) {
		var err *Error
		switch c := s.text[s.pos]; c {
		case '{', '[':
			if n+s.depth >= maxDepth {
				return s.errorAt(s.pos, "more than %d objects and arrays lie in each other", maxDepth)
			}
			ends[n] = c + 2 // in ASCII, the codes of } and ] are the codes of { and [ plus 2
			n++
			s.pos++
		case '}', ']':
			if n--; ends[n] != c {
				return s.errorAt(s.pos, "%c is expected; there is %c", ends[n], c)
			}
			s.pos++
			if n == 0 {
				return nil
			}
		case '"':
			err = s.skipString()
		case '/':
			err = s.skipComment()
		default:
			s.pos++
		}
		if err != nil {
			return err
		}
	}
	return s.errorAt(s.pos, "the text ends before %c", ends[n-1])
}

// skipString skips a string without decoding its escapes.
func (s *scanner) skipString() *Error {
	for i := s.pos + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '"':
			s.pos = i + 1
			return nil
		case '\\':
			i++
		}
	}
	return s.errorAt(s.pos, "the string has no end")
}

// skipScalar skips a value that is neither an object nor an array.
func (s *scanner) skipScalar(c byte) (err *Error) {
	switch {
	case c == '"':
		_, err = s.readString("a value")
	case c == '-' || c-'0' <= 9:
		_, _, err = s.readNumber()
	default:
		_, err = s.readWord()
	}
	return err
}
