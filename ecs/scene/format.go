package scene

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxLineWidth is the largest width of a line of formatted text, except for lines that cannot be
// broken. A tab counts as 4.
const maxLineWidth = 110

// Format returns a text in its canonical form, as gofmt does for Go. Each level is indented by a
// tab. An entity is in one line if it fits, and otherwise each component has its own line. If the
// closing bracket is in its own line, there is a comma after the last member. Order, comments,
// single empty lines, numbers and strings stay as they are. The components in the text need not be
// registered. The parameter file is the name that errors contain. The error is an *Error.
func Format(file string, text []byte) ([]byte, error) {
	f := &formatter{scanner: scanner{source: &source{file, string(text)}}}
	before, blank, root, after, wrong := f.readDocument()
	if wrong != nil {
		return nil, wrong.locate()
	}
	var p printer
	for _, c := range before {
		p.printComment(c, 0)
	}
	if blank && len(before) > 0 {
		p.out.WriteByte('\n')
	}
	p.printValue(&root, 0, 0)
	p.out.WriteByte('\n')
	for _, c := range after {
		p.printComment(c, 0)
	}
	return p.out.Bytes(), nil
}

// node is a value in a text, together with its comments and members.
type node struct {
	bracket     byte   // { or [, or 0 if the value is neither object nor array
	text        string // text of the value if bracket is 0
	members     []member
	endComments []comment // comments before the closing bracket
}

// member is a member of an object, or an element of an array.
type member struct {
	commentsBefore []comment
	blankLine      bool   // there is an empty line between the comments and the member
	key            string // the key, including its quotes
	value          node
	commentsAfter  []comment // comments after the member, in the same line
}

// comment is a comment, including its // or /* */.
type comment struct {
	text        string
	sameLine    bool // the comment begins in the line in which the previous token ends
	blankBefore bool // there is an empty line before the comment
}

// formatter reads a text with its comments.
type formatter struct{ scanner }

// readDocument reads the whole text.
func (f *formatter) readDocument() (before []comment, blank bool, root node, after []comment, err *Error) {
	if wrong := f.checkEncoding(); wrong != nil {
		return nil, false, root, nil, wrong
	}
	before, blank, wrong := f.readGap()
	if wrong == nil {
		root, wrong = f.readValue()
	}
	if wrong == nil {
		after, _, wrong = f.readGap()
	}
	if wrong == nil && f.pos < len(f.text) {
		wrong = f.errorAt(f.pos, "behind the scene comes %s", f.describeNext())
	}
	if wrong != nil {
		return nil, false, root, nil, wrong
	}
	return before, blank, root, after, nil
}

// readGap reads comments and spaces. The result blank reports whether an empty line follows the
// last comment.
func (f *formatter) readGap() (list []comment, blank bool, err *Error) {
	lines := 0
	for f.pos < len(f.text) {
		switch c := f.text[f.pos]; c {
		case '\n':
			lines++
			f.pos++
		case ' ', '\t', '\r':
			f.pos++
		case '/':
			begin := f.pos
			if err := f.skipComment(); err != nil {
				return nil, false, err
			}
			text := strings.TrimRight(f.text[begin:f.pos], " \t\r\n")
			same := lines == 0 && (len(list) == 0 || list[len(list)-1].sameLine)
			list = append(list, comment{text, same, lines > 1})
			if lines = 0; strings.HasPrefix(text, "//") {
				lines = 1
			}
		default:
			return list, lines > 1, nil
		}
	}
	return list, lines > 1, nil
}

// readValue reads a value.
func (f *formatter) readValue() (n node, err *Error) {
	if f.pos == len(f.text) {
		return n, f.errorAt(f.pos, "a value is expected; there is %s", f.describeNext())
	}
	begin := f.pos
	c := f.text[f.pos]
	if c != '{' && c != '[' {
		err := f.skipScalar(c)
		n.text = f.text[begin:f.pos]
		return n, err
	}
	if err := f.openBracket(c, "a value"); err != nil {
		return n, err
	}
	n.bracket = c
	for {
		list, blank, err := f.readGap()
		if err != nil {
			return n, err
		}
		list = n.addTrailing(list)
		if f.pos < len(f.text) && f.text[f.pos] == c+2 {
			f.pos++
			f.depth--
			n.endComments = list
			return n, nil
		}
		m := member{commentsBefore: list, blankLine: blank}
		if err := f.readMember(&m, c); err != nil {
			return n, err
		}
		n.members = append(n.members, m)
	}
}

// addTrailing adds the comments that begin in the line of the last member to that member. It
// returns the other comments.
func (n *node) addTrailing(list []comment) []comment {
	if len(n.members) == 0 {
		return list
	}
	m := &n.members[len(n.members)-1]
	for len(list) > 0 && list[0].sameLine {
		m.commentsAfter = append(m.commentsAfter, list[0])
		list = list[1:]
	}
	return list
}

// readMember reads a member and the comma after it.
func (f *formatter) readMember(m *member, bracket byte) (err *Error) {
	if bracket == '{' {
		begin := f.pos
		if _, err := f.readString("a key"); err != nil {
			return err
		}
		m.key = f.text[begin:f.pos]
		for _, sign := range [...]byte{':', 0} {
			list, _, err := f.readGap()
			if err != nil {
				return err
			}
			m.commentsBefore = append(m.commentsBefore, list...)
			if sign == 0 {
				break
			}
			if f.pos == len(f.text) || f.text[f.pos] != sign {
				return f.errorAt(f.pos, "a colon is expected behind %s; there is %s", m.key, f.describeNext())
			}
			f.pos++
		}
	}
	if m.value, err = f.readValue(); err != nil {
		return err
	}
	begin := f.pos
	if m.commentsAfter, _, err = f.readGap(); err != nil {
		return err
	}
	switch {
	case f.pos < len(f.text) && f.text[f.pos] == ',':
		f.pos++
	case f.pos < len(f.text) && f.text[f.pos] == bracket+2:
		f.pos, m.commentsAfter = begin, nil // let the closing bracket read these comments again
	default:
		return f.errorAt(f.pos, "a comma or %c is expected; there is %s", bracket+2, f.describeNext())
	}
	return nil
}

// onOneLine reports whether the value can be printed in one line, because it contains no comment.
func (n *node) onOneLine() bool {
	for i := range n.members {
		m := &n.members[i]
		if len(m.commentsBefore)+len(m.commentsAfter) > 0 || !m.value.onOneLine() {
			return false
		}
	}
	return len(n.endComments) == 0
}

// appendLine appends a value without line breaks.
func (n *node) appendLine(out []byte) []byte {
	if n.bracket == 0 {
		return append(out, n.text...)
	}
	out = append(out, n.bracket)
	for i := range n.members {
		m := &n.members[i]
		if i > 0 {
			out = append(out, ", "...)
		}
		if m.key != "" {
			out = append(append(out, m.key...), ": "...)
		}
		out = m.value.appendLine(out)
	}
	return append(out, n.bracket+2)
}

// printer writes a formatted text.
type printer struct {
	out        bytes.Buffer
	lineBuffer []byte
}

func (p *printer) indent(depth int) {
	for range depth {
		p.out.WriteByte('\t')
	}
}

// printComment writes a comment in its own lines.
func (p *printer) printComment(c comment, depth int) {
	if c.blankBefore && p.out.Len() > 0 {
		p.out.WriteByte('\n')
	}
	p.indent(depth)
	p.out.WriteString(c.text)
	p.out.WriteByte('\n')
}

// printValue writes a value that begins at the given column of a line.
func (p *printer) printValue(n *node, depth, column int) {
	if n.bracket == 0 {
		p.out.WriteString(n.text)
		return
	}
	if n.onOneLine() && (depth >= 2 || len(n.members) == 0) { // the scene and its two lists take several lines
		p.lineBuffer = n.appendLine(p.lineBuffer[:0])
		if 4*depth+column+utf8.RuneCount(p.lineBuffer) <= maxLineWidth && !n.nested() {
			p.out.Write(p.lineBuffer)
			return
		}
	}
	p.out.WriteByte(n.bracket)
	p.out.WriteByte('\n')
	for i := range n.members {
		p.printMember(&n.members[i], i == 0, depth+1)
	}
	for k, c := range n.endComments {
		c.blankBefore = c.blankBefore && k+len(n.members) > 0
		p.printComment(c, depth+1)
	}
	p.indent(depth)
	p.out.WriteByte(n.bracket + 2)
}

// printMember writes a member of an object or array, with its comments and the comma after it.
func (p *printer) printMember(m *member, first bool, depth int) {
	for k, c := range m.commentsBefore {
		c.blankBefore = c.blankBefore && !(first && k == 0)
		p.printComment(c, depth)
	}
	if m.blankLine && !(first && len(m.commentsBefore) == 0) {
		p.out.WriteByte('\n')
	}
	p.indent(depth)
	column := 1
	if m.key != "" {
		p.out.WriteString(m.key)
		p.out.WriteString(": ")
		column = utf8.RuneCountInString(m.key) + 3
	}
	p.printValue(&m.value, depth, column)
	p.out.WriteByte(',')
	for _, c := range m.commentsAfter {
		p.out.WriteByte(' ')
		p.out.WriteString(c.text)
	}
	p.out.WriteByte('\n')
}

// nested reports whether the value is an entity with children. Each child then gets its own line.
func (n *node) nested() bool {
	for i := range n.members {
		if m := &n.members[i]; m.key == `"children"` && m.value.bracket == '{' && len(m.value.members) > 0 {
			return true
		}
	}
	return false
}
