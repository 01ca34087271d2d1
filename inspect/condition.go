package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/soa"
)

// A condition is a text of comparisons that must all be true for one entity:
//
//	Health.Points < 10
//	Health.Points < 10 && Team.Label == "red" && Translation.X != NaN
//
// The left side of a comparison is a number of a component, written as for pictures and watches, or a field of a
// shared component. The right side is a number, NaN, Inf, -Inf, true, false, or a text in quotes. A 64-bit integer
// is compared with an integer as it is. Other numbers are compared as float64. If the component has a float32, the number on the right side is first rounded to float32.
// Unlike in Go, == NaN is true for NaN, and != NaN is true for all other numbers.
type condition struct {
	text        string
	comparisons []comparison
	all         bool // in an image, it also holds for prefabs, inactive entities, ghosts and disabled components
}

// comparison is one comparison of a condition.
type comparison struct {
	number numberField
	shared []int // path of a field of a shared component; the component is number.typ
	op     string
	value  float64
	text   *string // the text to compare with; nil for a number

	// A float64 cannot hold all 64-bit integers. So if both sides are such integers, they are compared as signed or unsigned
	// integers, and one of these is not nil.
	signed   *int64
	unsigned *uint64
}

// maxComparisons is the largest number of comparisons of a condition.
const maxComparisons = 16

// parseCondition parses a condition. An error names the character at which the wrong part begins.
func parseCondition(text string) (*condition, error) {
	c := &condition{text: text}
	for at := 0; ; {
		part, more, again := cutOutsideQuotes(text[at:], "&&")
		one, err := parseComparison(text, at, at+len(part))
		if err != nil {
			return nil, err
		}
		c.comparisons = append(c.comparisons, one)
		if len(c.comparisons) > maxComparisons {
			return nil, conditionError(text, at, fmt.Errorf("the condition has more than %d comparisons", maxComparisons))
		}
		if !again {
			return c, nil
		}
		at = len(text) - len(more)
	}
}

// conditionError says where in the text of a condition an error is.
func conditionError(text string, at int, err error) error {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	part, _, _ := cutOutsideQuotes(text[at:], "&&")
	where := "at its end"
	if part = strings.TrimSpace(part); at < len(text) {
		where = fmt.Sprintf("character %d (%s)", utf8.RuneCountInString(text[:at])+1, clip(part, 60))
	}
	return fmt.Errorf("inspect: condition, %s: %s", where, strings.TrimPrefix(err.Error(), "inspect: "))
}

// cutOutsideQuotes is strings.Cut, but it does not find sep in a quoted text.
func cutOutsideQuotes(s, sep string) (before, after string, found bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], sep):
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// operators are the operators of comparisons. A longer operator, such as <=, comes before the operator that it
// begins with.
var operators = []string{"<=", ">=", "==", "!=", "<", ">"}

// parseComparison parses the comparison that begins and ends at two places of the text of a condition.
func parseComparison(text string, begin, end int) (c comparison, err error) {
	part := text[begin:end]
	if before, _, has := cutOutsideQuotes(part, "||"); has {
		return c, conditionError(text, begin+len(before), errors.New("there is no ||: all comparisons must be true, so write && between them"))
	}
	at := strings.IndexAny(part, `<>=!"`)
	if at >= 0 {
		if k := slices.IndexFunc(operators, func(op string) bool { return strings.HasPrefix(part[at:], op) }); k >= 0 {
			c.op = operators[k]
		}
	}
	if c.op == "" {
		return c, conditionError(text, begin, fmt.Errorf("%q is no comparison: write for example Health.Points < 10, or Health.Points == NaN to find NaN", clip(strings.TrimSpace(part), 60)))
	}
	if err := c.setField(strings.TrimSpace(part[:at])); err != nil {
		return c, conditionError(text, begin, err)
	}
	if err := c.checkOperator(part[at+len(c.op):]); err != nil {
		return c, conditionError(text, begin+at, err)
	}
	if err := c.setValue(strings.TrimSpace(part[at+len(c.op):])); err != nil {
		return c, conditionError(text, begin+at+len(c.op), err)
	}
	return c, nil
}

// checkOperator checks that a text is compared with == or !=.
func (c *comparison) checkOperator(value string) error {
	if c.number.kind == reflect.String && strings.HasPrefix(strings.TrimSpace(value), `"`) && c.op != "==" && c.op != "!=" {
		return fmt.Errorf("a text is compared with == or !=, not with %s", c.op)
	}
	return nil
}

// setValue sets the right side.
func (c *comparison) setValue(value string) error {
	isText := c.number.kind == reflect.String
	switch {
	case strings.HasPrefix(value, `"`):
		var s string
		if err := json.Unmarshal([]byte(value), &s); err != nil {
			return fmt.Errorf("%s is no text in quotes", clip(value, 60))
		}
		if isText {
			c.text = &s
			return nil
		}
		if !isEnum(c.number.goType) {
			return fmt.Errorf("%s is no text: compare it with a number", c.number.text)
		}
		n, err := enumNumber(c.number.goType, s)
		if err != nil {
			return fmt.Errorf("%s has no value %q: %w", c.number.text, clip(s, 60), err)
		}
		value = strconv.FormatInt(n, 10)
	case isText:
		return fmt.Errorf("%s is a text: compare it with a text in quotes", c.number.text)
	case value == "true":
		c.value = 1
		return nil
	case value == "false":
		return nil
	}
	c.setInteger(value)
	x, err := strconv.ParseFloat(value, 64)
	if err != nil && value == c.number.text {
		return fmt.Errorf("a number is not compared with itself: to find NaN, write %s == NaN", clip(value, 60))
	}
	if err != nil {
		return fmt.Errorf("%q is no number, no text in quotes, and neither true nor false", clip(value, 60))
	}
	if c.value = x; c.number.kind == reflect.Float32 {
		c.value = float64(float32(x)) // so that a number that a page shows is equal to the number in the component
	}
	return nil
}

// setInteger sets the right side for a comparison of 64-bit integers, if both sides are such integers.
func (c *comparison) setInteger(value string) {
	switch c.number.kind {
	case reflect.Int, reflect.Int64:
		if x, err := strconv.ParseInt(value, 10, 64); err == nil {
			c.signed = &x
		}
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		if x, err := strconv.ParseUint(value, 10, 64); err == nil {
			c.unsigned = &x
		}
	}
}

// setField sets the left side: a number in rows, or a field of a shared component.
func (c *comparison) setField(text string) error {
	n, err := parseNumbers(text)
	if err == nil {
		c.number = n
		return nil
	}
	parts := strings.Split(text, ".")
	for end := min(len(parts), 12); end > 0; end-- {
		if t, other := typeNamed(strings.Join(parts[:end], ".")); other == nil && t.Shared {
			c.number = numberField{text: text, typ: t.Type}
			return c.setSharedField(parts[end:])
		}
	}
	return err
}

// setSharedField follows a path in a shared component.
func (c *comparison) setSharedField(path []string) error {
	at := c.number.typ
	c.shared = []int{}
	for _, p := range path {
		f, ok := reflect.StructField{}, false
		if at.Kind() == reflect.Struct {
			f, ok = at.FieldByName(p)
		}
		if !ok || len(f.Index) != 1 {
			return fmt.Errorf("inspect: %s has no field %s", typeName(at), clip(p, 60))
		}
		c.shared, at = append(c.shared, f.Index[0]), f.Type
	}
	for at.Kind() == reflect.Struct { // a field that is the only one may be omitted
		only := -1
		for k := range at.NumField() {
			if at.Field(k).Type.Size() > 0 {
				if only >= 0 {
					return fmt.Errorf("inspect: %s has several fields: name one", c.number.text)
				}
				only = k
			}
		}
		if only < 0 {
			break
		}
		c.shared, at = append(c.shared, only), at.Field(only).Type
	}
	if at.Kind() != reflect.String && !isNumber(at.Kind()) {
		return fmt.Errorf("inspect: %s is neither a number nor a text", c.number.text)
	}
	c.number.kind, c.number.goType = at.Kind(), at
	return nil
}

// holds reports whether the comparison is true for a number.
func (c *comparison) holds(x float64) bool {
	if math.IsNaN(c.value) {
		return (c.op == "==") == math.IsNaN(x) && (c.op == "==" || c.op == "!=")
	}
	if math.IsNaN(x) {
		return c.op == "!="
	}
	return c.holdsOrder(cmp.Compare(x, c.value))
}

// holdsOrder reports whether the comparison is true for an order, as cmp.Compare returns it.
func (c *comparison) holdsOrder(order int) bool {
	switch c.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "==":
		return order == 0
	}
	return order != 0
}

// holdsRow reports whether the comparison is true for the number in the bytes of a row.
func (c *comparison) holdsRow(row []byte) bool {
	switch {
	case c.signed != nil:
		return c.holdsOrder(cmp.Compare(int64(c.number.bits64(row)), *c.signed))
	case c.unsigned != nil:
		return c.holdsOrder(cmp.Compare(c.number.bits64(row), *c.unsigned))
	}
	return c.holds(c.number.read(row))
}

// holdsShared reports whether the comparison is true for a shared value.
func (c *comparison) holdsShared(value any) bool {
	x := reflect.ValueOf(value)
	for _, k := range c.shared {
		x = x.Field(k)
	}
	switch {
	case c.text != nil:
		return (x.String() == *c.text) == (c.op == "==")
	case x.Kind() == reflect.Bool:
		if x.Bool() {
			return c.holds(1)
		}
		return c.holds(0)
	case c.signed != nil:
		return c.holdsOrder(cmp.Compare(x.Int(), *c.signed))
	case c.unsigned != nil:
		return c.holdsOrder(cmp.Compare(x.Uint(), *c.unsigned))
	case x.CanInt():
		return c.holds(float64(x.Int()))
	case x.CanUint():
		return c.holds(float64(x.Uint()))
	}
	return c.holds(x.Float())
}

// conditionPlan holds, for one archetype of an image, the positions of the values that a condition compares.
type conditionPlan struct {
	columns []int // for each comparison the index of the column
	lanes   []int // for each comparison the index of the lane in the column; -1 for a shared component
	sizes   []int // for each comparison the size of a row of the lane
}

// hiddenTypes are the components of entities that queries skip by default.
var hiddenTypes = []reflect.Type{reflect.TypeFor[ecs.Prefab](), reflect.TypeFor[ecs.Inactive](), reflect.TypeFor[ecs.Ghost]()}

// planFor returns the plan for an archetype with the given components. ok is false if no entity of the archetype
// can match.
func (c *condition) planFor(components []reflect.Type, all []ecs.ComponentType) (p conditionPlan, ok bool) {
	for _, t := range hiddenTypes {
		if !c.all && slices.Contains(components, t) {
			return p, false
		}
	}
	for i := range c.comparisons {
		own := &c.comparisons[i]
		at := slices.Index(components, own.number.typ)
		if at < 0 {
			return p, false
		}
		lane, size := -1, 0
		if own.shared == nil {
			t := all[slices.IndexFunc(all, func(t ecs.ComponentType) bool { return t.Type == own.number.typ })]
			lane = slices.IndexFunc(t.Lanes, func(l soa.Lane) bool { return l.Offset == own.number.lane })
			size = int(t.Lanes[lane].Type.Size())
		}
		p.columns, p.lanes, p.sizes = append(p.columns, at), append(p.lanes, lane), append(p.sizes, size)
	}
	return p, true
}

// match returns the first matching row of a chunk of an image, or -1. If the entity only is not null, no other entity
// matches.
func (c *condition) match(m *ecs.ImageChunk, p *conditionPlan, only ecs.Entity) int {
	for i, at := range p.columns {
		if p.lanes[i] < 0 && !c.comparisons[i].holdsShared(m.Columns[at].Value) {
			return -1
		}
	}
	for row, e := range m.Entities {
		if (only.IsZero() || e == only) && c.matchRow(m, p, row) {
			return row
		}
	}
	return -1
}

// matchRow reports whether the components of a row are enabled, unless all rows count, and the comparisons of numbers hold for it.
func (c *condition) matchRow(m *ecs.ImageChunk, p *conditionPlan, row int) bool {
	for i, at := range p.columns {
		column := &m.Columns[at]
		if !c.all && len(column.On) > 0 && column.On[row>>6]>>(row&63)&1 == 0 {
			return false
		}
		if p.lanes[i] < 0 {
			continue
		}
		own := &c.comparisons[i]
		if !own.holdsRow(column.Lanes[p.lanes[i]][row*p.sizes[i]:]) {
			return false
		}
	}
	return true
}
