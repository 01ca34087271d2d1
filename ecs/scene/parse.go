package scene

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Parse parses a text. The parameter file is the name that errors contain. The only option that has
// an effect is [MaxBytes]. Parse finds entities, components and prefabs and merges them. Parse does
// not decode values; [Document.Bake] and [Document.Value] do that. The error is one *Error, or
// several joined errors. Parse keeps no reference to text.
func Parse(file string, text []byte, opts ...Option) (*Document, error) {
	d := &Document{source: source{file, string(text)}, textSum: sha256.Sum256(text), catalog: programCatalog(), scopes: make([]scope, 1)}
	if len(text) > math.MaxInt32 {
		return nil, fmt.Errorf("%s: a text of %d bytes; the limit is %d", file, len(text), math.MaxInt32)
	}
	p := &parser{scanner: scanner{source: &d.source}, doc: d}
	prefabs, entities, err := p.parseScene()
	if err != nil {
		return nil, joinErrors(append(p.errs, err))
	}
	x := &expander{parser: p, prefabs: map[string]*entityModel{}, maxBytes: optionsOf("Parse", opts).byteLimit(len(text))}
	d.maxBytes = x.maxBytes
	x.expandAll(prefabs, entities)
	if len(p.errs) > 0 {
		return nil, joinErrors(p.errs)
	}
	return d, nil
}

// parser reads the entities and components of a text.
type parser struct {
	scanner
	doc       *Document
	errs      []*Error // errors that did not stop the parsing
	parts     []Part   // reused for each entity
	partBlock []Part   // free part of the memory for parts
}

// addError records an error that does not stop the parsing. After maxKeptErrors errors, the rest of
// the text is not parsed.
func (p *parser) addError(err *Error) {
	if len(p.errs) < maxKeptErrors {
		p.errs = append(p.errs, err)
	}
}

// entityText is an entity as it is in the text, before it is merged with prefabs.
type entityText struct {
	name   string
	offset int32
	parts  []Part
	*entityExtra
}

// entityExtra holds the fields of entityText that most entities do not need.
type entityExtra struct {
	prefabName   string
	prefabOffset int32
	children     []entityText
	marks        []componentMark
}

var noExtra entityExtra

// componentMark is an element of an entity's list "remove", "disabled" or "enabled".
type componentMark struct {
	component *componentInfo
	offset    int32
	listKey   string // the key of the list
}

// parseScene reads the text.
func (p *parser) parseScene() (prefabs, entities []entityText, err *Error) {
	if err := p.checkEncoding(); err != nil {
		return nil, nil, err
	}
	if err := p.openBracket('{', "a scene"); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for first := true; ; first = false {
		if ok, err := p.nextElement('}', first); err != nil || !ok {
			if err != nil {
				return nil, nil, err
			}
			break
		}
		key, at, err := p.readKey()
		switch {
		case err != nil:
			return nil, nil, err
		case seen[key]:
			return nil, nil, p.errorAt(at, "%q is there twice", key)
		case key == "prefabs":
			prefabs, err = p.parseEntities("prefabs")
		case key == "entities":
			entities, err = p.parseEntities("entities")
		default:
			err = p.errorAt(at, "no key %q: a scene has \"prefabs\" and \"entities\"", key)
		}
		if err != nil {
			return nil, nil, err
		}
		seen[key] = true
	}
	if c, err := p.peek(); err != nil || c != 0 {
		return nil, nil, cmp.Or(err, p.errorAt(p.pos, "behind the scene comes %s", p.describeNext()))
	}
	return prefabs, entities, nil
}

// byteOrderMark is at the beginning of texts from some editors.
const byteOrderMark = "\uFEFF"

// checkEncoding skips a byte-order mark at the beginning of the text, because some editors write
// one. If the text is not UTF-8, it returns an error. If the text is UTF-16, the error says so.
func (s *scanner) checkEncoding() *Error {
	switch {
	case strings.HasPrefix(s.text, byteOrderMark):
		s.pos = len(byteOrderMark)
	case strings.HasPrefix(s.text, "\xFF\xFE"), strings.HasPrefix(s.text, "\xFE\xFF"):
		return s.errorAt(0, "the text begins with the byte-order mark of UTF-16: save it as UTF-8")
	}
	if at := invalidUTF8(s.text); at >= 0 {
		return s.errorAt(at, "the text is not UTF-8 here")
	}
	if at := strings.IndexByte(s.text, 0); at >= 0 {
		return s.errorAt(at, "the text has a byte 0 here: remove it, or save the text as UTF-8")
	}
	return nil
}

// invalidUTF8 returns the first offset at which a text is not UTF-8, or -1.
func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return i
		}
	}
	return -1
}

// parseEntities reads an object of entities.
func (p *parser) parseEntities(what string) (list []entityText, err *Error) {
	if err := p.openBracket('{', what); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		if ok, err := p.nextElement('}', first); err != nil || !ok {
			return list, err
		}
		name, at, err := p.readKey()
		if err != nil {
			return nil, err
		}
		if len(p.errs) >= maxKeptErrors {
			return nil, p.errorAt(at, "and more")
		}
		if why := nameFault(name); why != "" {
			p.addError(p.errorAt(at, "the name %.100q %s", name, why))
		}
		list = append(list, entityText{name: name, offset: int32(at), entityExtra: &noExtra})
		if err := p.parseEntity(&list[len(list)-1]); err != nil {
			return nil, err
		}
	}
}

// maxName is the largest number of bytes in the names of an entity and its parents together.
const maxName = 2048

// nameFault describes the fault of a name. It returns "" if the name is valid.
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxName:
		return fmt.Sprintf("has %d bytes: the limit is %d", len(name), maxName)
	case name[0] == '@':
		return "begins with @, as references do"
	case strings.Contains(name, ":"):
		return "has a colon, which is behind the name of a scene in references"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "has a control character"
	}
	return ""
}

// parseEntity reads one entity.
func (p *parser) parseEntity(w *entityText) *Error {
	what := ""
	if c, err := p.peek(); err == nil && c != '{' {
		what = fmt.Sprintf("entity %q", w.name) // for error messages
	}
	if err := p.openBracket('{', what); err != nil {
		return err
	}
	var buf [8]string
	keys := buf[:0]
	sorted, mine := true, len(p.parts) // the children's parts are appended after these
	defer func() { p.parts = p.parts[:mine] }()
	for first := true; ; first = false {
		if ok, err := p.nextElement('}', first); err != nil {
			return err
		} else if !ok {
			break
		}
		key, at, err := p.readKey()
		if err != nil {
			return err
		}
		special, err := p.parseSpecial(w, key)
		if !special {
			sorted = p.parsePart(mine, key, at, &err) && sorted
		}
		if err != nil {
			return err
		}
		if special && slices.Contains(keys, key) {
			p.addError(p.errorAt(at, "%q is there twice", key))
		}
		if special {
			keys = append(keys, key)
		}
	}
	w.parts = p.copyParts(p.parts[mine:])
	if !sorted {
		slices.SortStableFunc(w.parts, comparePart)
	}
	p.refuseDuplicates(w)
	return nil
}

// refuseDuplicates adds an error for each component that occurs twice in an entity. The entity's
// parts must be sorted.
func (p *parser) refuseDuplicates(w *entityText) {
	for i := 1; i < len(w.parts); i++ {
		if w.parts[i].component == w.parts[i-1].component {
			p.addError(p.errorAt(int(max(w.parts[i].baseText.start, w.parts[i-1].baseText.start)), "entity %q has the component %s twice", w.name, w.parts[i].component.Name))
		}
	}
}

// parseSpecial reads a member of an entity that is not a component. It returns false if key is not
// the key of such a member.
func (p *parser) parseSpecial(w *entityText, key string) (bool, *Error) {
	switch key {
	case "of", "children", "remove", "disabled", "enabled":
		if w.entityExtra == &noExtra {
			w.entityExtra = &entityExtra{}
		}
	}
	var err *Error
	switch key {
	case "of":
		w.prefabOffset = int32(p.pos)
		w.prefabName, err = p.readString("of")
	case "children":
		w.children, err = p.parseEntities("children")
	case "remove", "disabled", "enabled":
		err = p.parseMarks(w, key)
	default:
		return false, nil
	}
	return true, err
}

func comparePart(a, b Part) int {
	if a.component == b.component {
		return 0
	}
	return strings.Compare(a.component.Name, b.component.Name)
}

// copyParts returns a copy of parts. Many entities share one block of memory, so that a large text
// needs few allocations.
func (p *parser) copyParts(parts []Part) []Part {
	n := len(parts)
	if n > len(p.partBlock) {
		p.partBlock = make([]Part, max(n, min(1024, 16+len(p.text)/64)))
	}
	own := p.partBlock[:n:n]
	p.partBlock = p.partBlock[n:]
	copy(own, parts)
	return own
}

// parsePart reads a component of an entity. The parts of this entity begin at index mine of p.parts. It
// reports whether the component comes after the entity's earlier components in the order of names.
func (p *parser) parsePart(mine int, key string, at int, err **Error) bool {
	begin := p.pos
	if *err = p.skipValue(); *err != nil {
		return true
	}
	own, why, hint := p.doc.catalog.findComponent(key)
	if why != "" {
		p.addError(p.errorAt(at, "%s", why).withHint(hint))
		return true
	}
	p.parts = append(p.parts, Part{Type: own.Type, component: own, doc: p.doc, baseText: textRange{start: int32(begin), end: int32(p.pos)}})
	n := len(p.parts)
	return n == mine+1 || p.parts[n-2].component.Name < own.Name
}

// parseMarks reads a list of component names.
func (p *parser) parseMarks(w *entityText, do string) *Error {
	if err := p.openBracket('[', do); err != nil {
		return err
	}
	for first := true; ; first = false {
		if ok, err := p.nextElement(']', first); err != nil || !ok {
			return err
		}
		at := p.pos
		name, err := p.readString(do)
		if err != nil {
			return err
		}
		own, why, hint := p.doc.catalog.findComponent(name)
		switch {
		case why != "":
			p.addError(p.errorAt(at, "%s", why).withHint(hint))
		case slices.ContainsFunc(w.marks, func(m componentMark) bool { return m.component == own }):
			p.addError(p.errorAt(at, "%q is in a list of this entity already", name))
		case do != "remove" && !own.Enableable:
			p.addError(p.errorAt(at, "%s is not enableable, and always on", own.Name))
		default:
			w.marks = append(w.marks, componentMark{own, int32(at), do})
		}
	}
}
