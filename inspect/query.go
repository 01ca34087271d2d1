package inspect

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
)

// A query is a text of words, separated by spaces or commas:
//
//	Translation   entities that have it, enabled
//	!Parent       without it, or with it disabled
//	~Frozen       with it disabled
//	+Frozen       with it, enabled or disabled
//	#12           of the archetype with that index
//	:prefabs      prefabs too
//	:inactive     inactive entities too
//	:ghosts       ghosts of entities of other processes too
//	:all          everything, enabled or not
//
// A query may use any form of a component's name that is unambiguous: for example,
// Translation, transform.Translation, or the name with its whole import path.

// parsedQuery is a parsed query.
type parsedQuery struct {
	text           string
	terms          []ecs.Term
	types          []reflect.Type // component types of the query, in the order of the text
	without        []reflect.Type // component types that matching entities do not have, or have disabled
	archetypeIndex int            // index of the only archetype; -1 for all
}

// maxWords is the largest number of words of a query.
const maxWords = 64

var (
	with    = ecs.With[struct{}]()
	without = ecs.Without[struct{}]()
	off     = ecs.Disabled[struct{}]()
	present = ecs.Present[struct{}]()
)

// parse parses the text of a query.
func parse(text string) (*parsedQuery, error) {
	c := &parsedQuery{text: text, archetypeIndex: -1}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
	if len(words) > maxWords {
		return nil, fmt.Errorf("inspect: the query has %d words; the limit is %d", len(words), maxWords)
	}
	named := map[reflect.Type]bool{}
	for _, word := range words {
		var err error
		switch word[0] {
		case '#':
			err = c.archetype(word)
		case ':':
			err = c.option(word)
		default:
			err = c.component(word, named)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// archetype parses #12.
func (c *parsedQuery) archetype(word string) error {
	n, err := strconv.Atoi(word[1:])
	if err != nil || n < 0 {
		return fmt.Errorf("inspect: %q names no archetype: write # and its number", clip(word, 60))
	}
	c.archetypeIndex = n
	return nil
}

// options maps the words of a query that begin with a colon to terms.
var options = map[string][]ecs.Term{
	":prefabs": {ecs.IncludePrefabs()}, ":inactive": {ecs.IncludeInactive()}, ":ghosts": {ecs.IncludeGhosts()},
	":all": {ecs.IncludeHidden(), ecs.IgnoreEnabled()},
}

// option parses a word with a colon.
func (c *parsedQuery) option(word string) error {
	more, ok := options[word]
	if !ok {
		return fmt.Errorf("inspect: %q is not known: there are :prefabs, :inactive, :ghosts and :all", clip(word, 60))
	}
	c.terms = append(c.terms, more...)
	return nil
}

// component parses a component name with an optional sign. named holds the
// types that earlier words of the query name.
func (c *parsedQuery) component(word string, named map[reflect.Type]bool) error {
	how, name := with, word
	if k := strings.IndexByte("!~+", word[0]); k >= 0 {
		how, name = []ecs.Term{without, off, present}[k], word[1:]
	}
	t, err := typeNamed(name)
	switch {
	case err != nil:
		return err
	case named[t.Type]:
		return fmt.Errorf("inspect: %s comes twice in the query", typeName(t.Type))
	case word[0] == '~' && !t.Enableable:
		return fmt.Errorf("inspect: %s is never off: it does not embed ecs.Enableable", typeName(t.Type))
	}
	named[t.Type] = true
	c.terms = append(c.terms, how.OfType(t.Type))
	if word[0] == '!' {
		c.without = append(c.without, t.Type)
	} else {
		c.types = append(c.types, t.Type)
	}
	return nil
}

// withNumber returns a query that also requires the component that contains the
// given number.
func (c *parsedQuery) withNumber(n numberField) *parsedQuery {
	more := *c
	if slices.Contains(c.types, n.typ) {
		return &more
	}
	more.types = append(slices.Clone(c.types), n.typ)
	more.terms = append(slices.Clone(c.terms), with.OfType(n.typ))
	more.text = c.text + " " + fullNameOf(n.typ) // the short name may be that of several types, and a probe is found by the text
	return &more
}
