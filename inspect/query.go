package inspect

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// A query is a text of words with spaces or commas between:
//
//	Translation   entities that have it, and have it on
//	!Parent       without it, or with it off
//	~Frozen       with it off
//	+Frozen       with it, on or off
//	#12           of the archetype of that place
//	:prefabs      prefabs too
//	:inactive     what is at rest too
//	:ghosts       pictures of entities that live elsewhere too
//	:all          everything, whatever is on or off
//
// A component is named as short as it is one alone: Translation, transform.Translation, or with
// its whole path.

// choice is a query text that was understood.
type choice struct {
	text  string
	terms []ecs.Term
	types []reflect.Type // that the entities have, in the order of the text
	place int            // of the only archetype; -1 is all
}

// maxWords is how long a query may be.
const maxWords = 64

var (
	with    = ecs.With[struct{}]()
	without = ecs.Without[struct{}]()
	off     = ecs.Disabled[struct{}]()
	present = ecs.Present[struct{}]()
)

// parse understands the text of a query.
func parse(text string) (*choice, error) {
	c := &choice{text: text, place: -1}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
	if len(words) > maxWords {
		return nil, fmt.Errorf("inspect: the query has %d words; the limit is %d", len(words), maxWords)
	}
	named := map[reflect.Type]bool{}
	for _, word := range words {
		switch word[0] {
		case '#':
			n, err := strconv.Atoi(word[1:])
			if err != nil || n < 0 {
				return nil, fmt.Errorf("inspect: %q names no archetype: write # and its number", clip(word, 60))
			}
			c.place = n
			continue
		case ':':
			more, ok := map[string][]ecs.Term{
				":prefabs": {ecs.IncludePrefabs()}, ":inactive": {ecs.IncludeInactive()}, ":ghosts": {ecs.IncludeGhosts()},
				":all": {ecs.IncludeHidden(), ecs.IgnoreEnabled()},
			}[word]
			if !ok {
				return nil, fmt.Errorf("inspect: %q is not known: there are :prefabs, :inactive, :ghosts and :all", clip(word, 60))
			}
			c.terms = append(c.terms, more...)
			continue
		}
		how, name := with, word
		if k := strings.IndexByte("!~+", word[0]); k >= 0 {
			how, name = []ecs.Term{without, off, present}[k], word[1:]
		}
		t, err := typeNamed(name)
		if err != nil {
			return nil, err
		}
		if named[t.Type] {
			return nil, fmt.Errorf("inspect: %s comes twice in the query", typeName(t.Type))
		}
		named[t.Type] = true
		if word[0] == '~' && !t.Enableable {
			return nil, fmt.Errorf("inspect: %s is never off: it does not embed ecs.Enableable", typeName(t.Type))
		}
		c.terms = append(c.terms, how.Of(t.Type))
		if word[0] != '!' {
			c.types = append(c.types, t.Type)
		}
	}
	return c, nil
}

// typeNamed finds a component by a name that people write. If there is none it says so, and
// which are alike; if there are several, which.
func typeNamed(word string) (ecs.ComponentType, error) {
	all := ecs.ComponentTypes()
	return chooseType(all, word)
}

// chooseType is typeNamed among the given types.
func chooseType(all []ecs.ComponentType, word string) (ecs.ComponentType, error) {
	if word == "" {
		return ecs.ComponentType{}, fmt.Errorf("inspect: a name is missing")
	}
	for _, same := range []func(t ecs.ComponentType) bool{
		func(t ecs.ComponentType) bool { return t.Name == word },
		func(t ecs.ComponentType) bool {
			return typeName(t.Type) == word || short(t.Type.String()) == word || t.Type.String() == word
		},
		func(t ecs.ComponentType) bool { return bare(t.Type) == word },
		func(t ecs.ComponentType) bool {
			return strings.EqualFold(bare(t.Type), word) || strings.EqualFold(typeName(t.Type), word)
		},
	} {
		var found []ecs.ComponentType
		for _, t := range all {
			if same(t) {
				found = append(found, t)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], nil
		}
		var names []string
		for _, t := range found {
			name := typeName(t.Type)
			if slices.ContainsFunc(found, func(o ecs.ComponentType) bool { return o.Type != t.Type && typeName(o.Type) == name }) {
				name = t.Name
			}
			names = append(names, name)
		}
		return ecs.ComponentType{}, fmt.Errorf("inspect: %s may be %s: write one of them", clip(word, 60), strings.Join(names, " or "))
	}
	text := fmt.Sprintf("inspect: there is no component %s", clip(word, 60))
	if near := nearest(all, word); near != "" {
		text += "; did you mean " + near + "?"
	}
	return ecs.ComponentType{}, fmt.Errorf("%s", text)
}

// bare is the name of a type without its package.
func bare(t reflect.Type) string {
	name := typeName(t)
	end := strings.IndexByte(name, '[')
	if end < 0 {
		end = len(name)
	}
	return name[strings.LastIndexByte(name[:end], '.')+1:]
}

// nearest is the name that is most like a word; "" if none is.
func nearest(all []ecs.ComponentType, word string) string {
	best, name := len(word)/3+2, ""
	for _, t := range all {
		if d := distance(strings.ToLower(clip(word, 40)), strings.ToLower(clip(bare(t.Type), 40))); d < best {
			best, name = d, bare(t.Type)
		}
	}
	return name
}

// distance is how many letters must be changed to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// query returns the probe of a choice. It is for the owner.
func (v *view) query(c *choice) *ecs.Probe {
	if q := v.queries[c.text]; q != nil {
		return q
	}
	if len(v.queries) >= maxQueries {
		clear(v.queries)
	}
	q := ecs.NewProbe(v.world, c.terms...)
	v.queries[c.text] = q
	return q
}

// maxQueries is how many are kept.
const maxQueries = 32

// walk goes over the archetypes and chunks that a choice matches, in slices.
type walk struct {
	c     *choice
	arch  int // place of the archetype
	chunk int
	room  [32]uint64

	// whole, if there is one, is told of archetypes all of whose n rows match. It says whether
	// that will do: if not, their chunks come one by one.
	whole func(n int) bool
}

// next calls f with each chunk that has rows which match, as long as f says that it goes on and
// the time is not up. It reports whether there is more. One chunk is done at least.
func (w *walk) next(l *look, f func(a ecs.Archetype, chunk, n int, mask []uint64) bool) (more bool) {
	v := l.v
	q := v.query(w.c)
	tested := 0
	for {
		a := ecs.ArchetypeAt(v.world, w.arch)
		if a == (ecs.Archetype{}) {
			return false
		}
		if w.c.place >= 0 && w.arch != w.c.place || a.Len() == 0 || !q.Takes(a) {
			w.arch, w.chunk = w.arch+1, 0
			if tested++; tested%16 == 0 && l.over() {
				return true
			}
			continue
		}
		if w.whole != nil && w.chunk == 0 && q.TakesAll(a) && w.whole(a.Len()) {
			w.arch++
			if tested++; tested%16 == 0 && l.over() {
				return true
			}
			continue
		}
		for ; w.chunk < a.ChunkCount(); w.chunk++ {
			if tested++; tested > 1 && tested%4 == 0 && l.over() {
				return true
			}
			n, mask := q.Rows(a, w.chunk, w.room[:])
			if n > 0 && !f(a, w.chunk, n, mask) {
				w.chunk++
				return true
			}
		}
		w.arch, w.chunk = w.arch+1, 0
	}
}

// hasNumbers reports whether rows have numbers of a component.
func hasNumbers(t ecs.ComponentType) bool { return len(t.Lanes) > 0 && !t.Buffer && !t.PerChunk }

// TypeInfo is one component type in the answer of /api/types.
type TypeInfo struct {
	Name   string   `json:"name"`  // short
	Full   string   `json:"full"`  // with the whole path
	Kinds  []string `json:"kinds"` // shared, cleanup, enableable, managed, buffer, perChunk, tag
	Fields []string `json:"fields"`
	Lanes  []string `json:"lanes"` // numbers that can be drawn and watched: Translation.X
}

func typesPage() []TypeInfo {
	out := []TypeInfo{}
	for _, t := range ecs.ComponentTypes() {
		one := TypeInfo{Name: typeName(t.Type), Full: t.Name, Kinds: kindsOf(t), Fields: []string{}, Lanes: []string{}}
		if t.Type.Kind() == reflect.Struct && !t.Buffer {
			for k := range t.Type.NumField() {
				if f := t.Type.Field(k); f.Name != "_" && f.Type.Size() > 0 {
					one.Fields = append(one.Fields, f.Name)
				}
			}
		}
		if hasNumbers(t) {
			one.Lanes = appendNumbers(one.Lanes, typeName(t.Type), t.Type, 20)
		}
		out = append(out, one)
	}
	return out
}

func kindsOf(t ecs.ComponentType) []string {
	kinds := []string{}
	for _, k := range []struct {
		is   bool
		name string
	}{{t.Shared, "shared"}, {t.Cleanup, "cleanup"}, {t.Enableable, "enableable"}, {t.Managed, "managed"}, {t.Buffer, "buffer"}, {t.PerChunk, "perChunk"}, {t.Tag, "tag"}} {
		if k.is {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}
