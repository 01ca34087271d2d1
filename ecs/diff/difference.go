package diff

import (
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/internal/printable"
)

// Kind says what differs, for example a value or the order of archetypes.
type Kind uint8

// These are the kinds, in the order in which differences are reported.
const (
	OnlyA      Kind = iota // only the first image contains the entity
	OnlyB                  // only the second image contains the entity
	Components             // the entity has other components; A and B list the components that only one image contains
	Value                  // a lane of a component has another value
	Enabled                // a component is enabled in only one image
	Buffer                 // a buffer has another length or element
	Shared                 // the chunk has another shared value
	Place                  // the entity is in another row of its archetype, so the order of all later rows may differ
	Archetypes             // the archetypes were created in another order
	Slots                  // the free ids differ, or their order does
	Sum                    // a package adds its own number to the hash, and that number differs
)

var kindNames = [...]string{
	OnlyA: "only in the first", OnlyB: "only in the second", Components: "components", Value: "value", Enabled: "enabled",
	Buffer: "buffer", Shared: "shared value", Place: "place", Archetypes: "archetypes", Slots: "slots", Sum: "sum",
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Difference is one difference of two images.
type Difference struct {
	Kind      Kind
	Entity    ecs.Entity // null if the difference belongs to no entity; for a shared value, the first entity of the chunk
	Name      string     // the name of the entity; empty if it has none
	Component string     // the full name of the component
	Lane      string     // the lane's name, or "[3]" for an element of a buffer

	// Archetype, Chunk and Row say where the entity is in the first image. If only the second image
	// contains the entity, these fields say where it is in the second image.
	Archetype  int
	Chunk, Row int

	A, B string // the values in the first and the second image; floats have enough digits to tell them apart

	Labels [2]string // the names of the two images in String, for example their files; empty: the first and the second
}

// String returns the difference as one line, for example:
//
//	entity 39547:1: game.Position.Y is 1.5 and 1.25 (archetype 2, chunk 77, row 123)
//
// Characters that are not printable are escaped as in Go, because names and texts from a file may
// contain them.
func (d Difference) String() string { return printable.Line(d.text()) }

func (d Difference) text() string {
	place := fmt.Sprintf(" (archetype %d, chunk %d, row %d)", d.Archetype, d.Chunk, d.Row)
	name, entity := withoutDirectories(d.Component), fmt.Sprintf("entity %v", d.Entity)
	if d.Name != "" {
		entity += fmt.Sprintf(" %q", d.Name)
	}
	values, labels := d.A+" and "+d.B, [2]string{"the first", "the second"}
	if d.Labels != [2]string{} {
		labels = d.Labels
		values = fmt.Sprintf("%s in %s and %s in %s", d.A, labels[0], d.B, labels[1])
	}
	switch d.Kind {
	case OnlyA, OnlyB:
		return fmt.Sprintf("%s: only in %s%s", entity, labels[d.Kind-OnlyA], place)
	case Components:
		return fmt.Sprintf("%s: %s has %s, %s %s%s", entity, labels[0], d.A, labels[1], d.B, place)
	case Value:
		return fmt.Sprintf("%s: %s.%s is %s%s", entity, name, d.Lane, values, place)
	case Enabled:
		return fmt.Sprintf("%s: %s is %s%s", entity, name, values, place)
	case Buffer:
		return fmt.Sprintf("%s: %s%s is %s%s", entity, name, d.Lane, values, place)
	case Shared:
		return fmt.Sprintf("%s, and all of its chunk: %s is %s%s", entity, name, values, place)
	case Place:
		return fmt.Sprintf("%s: it is at %s, of archetype %d", entity, values, d.Archetype)
	case Slots:
		return fmt.Sprintf("ids of no entity: %s has %s; %s %s", labels[0], d.A, labels[1], d.B)
	}
	return fmt.Sprintf("%v: %s", d.Kind, values)
}

// withoutDirectories returns a full name without the directories of packages, including those of type arguments.
func withoutDirectories(name string) string {
	return directoryPattern.ReplaceAllString(name, "")
}

var directoryPattern = regexp.MustCompile(`[^\[\],*]*/`)

// First returns the first difference. The result differ is false if there is no difference.
func First(all iter.Seq[Difference]) (first Difference, differ bool) {
	for d := range all {
		return d, true
	}
	return Difference{}, false
}

// FirstIn returns the first difference of a component, or of all components if component is empty. If the component has none, the
// result is the first entity that only one world has. The result differ is false if there is neither.
func FirstIn(all iter.Seq[Difference], component string) (first Difference, differ bool) {
	for d := range all {
		if component == "" || d.Component == component {
			return d, true
		}
		if !differ && d.Component == "" {
			first, differ = d, true
		}
	}
	return first, differ
}

// Text returns at most the given number of differences as text, one difference a line. If there are
// more, a last line says so. The text is empty if there are none.
func Text(all iter.Seq[Difference], most int) string {
	var b strings.Builder
	n := 0
	for d := range all {
		if n++; n > most {
			b.WriteString("and more\n")
			break
		}
		b.WriteString(d.String() + "\n")
	}
	return b.String()
}
