package design

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lanewise/lanewise/internal/spell"
	"github.com/lanewise/lanewise/study/table"
)

// A Param is a parameter of a model: an exported field with a tag "default".
type Param struct {
	Name    string     `json:"name"`
	Kind    table.Kind `json:"kind"`
	Unit    string     `json:"unit,omitempty"`
	Help    string     `json:"help,omitempty"`
	Default string     `json:"default"`
	Low     string     `json:"low,omitempty"` // of a number with a range; so is High
	High    string     `json:"high,omitempty"`
	Choices []string   `json:"choices,omitempty"` // the allowed values of a text; all are allowed if it is empty

	field []int
	typ   reflect.Type
}

// Params returns the parameters of a model in the order of its fields. A parameter is an exported
// field with a tag "default"; fields of embedded structs count too. Params returns an error if a
// tag is invalid.
func Params(model reflect.Type) ([]Param, error) {
	if model.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is no struct: the parameters of a model are fields of a struct", model)
	}
	var ps []Param
	for _, f := range reflect.VisibleFields(model) {
		text, ok := f.Tag.Lookup("default")
		if !ok {
			for _, tag := range []string{"range", "choices"} {
				if _, stray := f.Tag.Lookup(tag); stray {
					return nil, fmt.Errorf("%s.%s has a %s and no default: a parameter is a field with a tag, default:\"…\"", model, f.Name, tag)
				}
			}
			continue
		}
		p, err := param(f, text)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", model, f.Name, err)
		}
		if i := slices.IndexFunc(ps, func(q Param) bool { return q.Name == p.Name }); i >= 0 {
			return nil, fmt.Errorf("%s.%s: another parameter is named %s too: give one of them a tag, name:\"…\"", model, f.Name, p.Name)
		}
		ps = append(ps, p)
	}
	return ps, nil
}

func param(f reflect.StructField, text string) (Param, error) {
	p := Param{Name: table.NameOf(f), Default: text, Unit: f.Tag.Get("unit"), Help: f.Tag.Get("help"), field: f.Index, typ: f.Type}
	kind, ok := table.KindOf(f.Type)
	switch {
	case !f.IsExported():
		return p, fmt.Errorf("a parameter is an exported field")
	case !ok:
		return p, fmt.Errorf("a parameter of type %s is not possible: take a whole number of at most 63 bits, a float, a bool or a string", f.Type)
	case strings.ContainsAny(p.Name, "=,: \t\"") || p.Name == "":
		return p, fmt.Errorf("a parameter cannot be named %q: leave out = , : \" and spaces", p.Name)
	}
	p.Kind = kind
	if c, ok := f.Tag.Lookup("choices"); ok {
		if p.Choices = strings.Split(c, ","); kind != table.KindText {
			return p, fmt.Errorf("choices are of strings, this is of type %s: give it a range", f.Type)
		}
	}
	if r, ok := f.Tag.Lookup("range"); ok {
		var found bool
		if p.Low, p.High, found = strings.Cut(r, ".."); !found || !p.number() {
			return p, fmt.Errorf("range %q: a range is low..high, of numbers", r)
		}
		for _, end := range []string{p.Low, p.High} {
			if err := p.checkText(end); err != nil {
				return p, fmt.Errorf("range %q: %w", r, err)
			}
		}
		if p.isGreater(p.Low, p.High) {
			return p, fmt.Errorf("range %q: the lower end comes first", r)
		}
	}
	if err := p.Check(text); err != nil {
		return p, fmt.Errorf("default: %w", err)
	}
	return p, nil
}

// number reports whether the parameter is a number.
func (p *Param) number() bool {
	return p.Kind == table.KindInt || p.Kind == table.KindFloat || p.Kind == table.KindFloat32
}

// isGreater reports whether one number is greater than another; both must be valid values. It
// compares integers exactly.
func (p *Param) isGreater(text, than string) bool {
	a, _ := p.Kind.Parse(text)
	b, _ := p.Kind.Parse(than)
	if p.Kind == table.KindInt {
		return a.Int() > b.Int()
	}
	return a.Float() > b.Float()
}

// checkText returns an error if a text is not a value of the parameter's type.
func (p *Param) checkText(text string) error {
	v, err := p.Kind.Parse(text)
	if err != nil {
		return fmt.Errorf("%s=%s: %w", p.Name, text, err)
	}
	switch {
	case p.Kind == table.KindText && !utf8.ValidString(text): // study.json would contain a different text
		return fmt.Errorf("%s=%q: not UTF-8: convert it, for example with iconv", p.Name, text)
	case p.Kind == table.KindInt && p.typ != nil:
		if z := reflect.Zero(p.typ); z.CanInt() && z.OverflowInt(v.Int()) || z.CanUint() && (v.Int() < 0 || z.OverflowUint(uint64(v.Int()))) {
			return fmt.Errorf("%s=%s: too large for its type, %s", p.Name, text, p.typ)
		}
	case p.number() && p.Kind != table.KindInt && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)):
		return fmt.Errorf("%s=%s: not a finite number", p.Name, text)
	}
	return nil
}

// Check returns an error if a text is not an allowed value of the parameter.
func (p *Param) Check(text string) error {
	if err := p.checkText(text); err != nil {
		return err
	}
	if len(p.Choices) > 0 && !slices.Contains(p.Choices, text) {
		return fmt.Errorf("%s=%s: it is one of %s", p.Name, text, strings.Join(p.Choices, ", "))
	}
	if p.Low != "" {
		if p.isGreater(p.Low, text) || p.isGreater(text, p.High) {
			return fmt.Errorf("%s=%s: outside of its range, %s to %s", p.Name, text, p.Low, p.High)
		}
	}
	return nil
}

// Set sets the parameter's field of a model from a text. The text must pass
// Check.
func (p *Param) Set(model reflect.Value, text string) error {
	if err := p.Check(text); err != nil {
		return err
	}
	v, _ := p.Kind.Parse(text)
	f := model.FieldByIndex(p.field)
	switch {
	case p.Kind == table.KindText:
		f.SetString(text)
	case p.Kind == table.KindBool:
		f.SetBool(v.Bool())
	case p.Kind != table.KindInt:
		f.SetFloat(v.Float())
	case f.CanUint():
		f.SetUint(uint64(v.Int()))
	default:
		f.SetInt(v.Int())
	}
	return nil
}

// Range describes the allowed values of the parameter.
func (p *Param) Range() string {
	switch {
	case p.Low != "":
		return p.Low + ".." + p.High
	case len(p.Choices) > 0:
		return strings.Join(p.Choices, ",")
	case p.Kind == table.KindBool:
		return "false,true"
	}
	return ""
}

// valueBetween returns the value at the fraction u of the interval lo..hi. The fraction u is in
// [0, 1).
func (p *Param) valueBetween(u float64, low, high string) string {
	switch p.Kind {
	case table.KindBool:
		return strconv.FormatBool(u >= 0.5)
	case table.KindText:
		return p.Choices[int(float64(u*float64(len(p.Choices))))]
	}
	a, _ := p.Kind.Parse(low)
	b, _ := p.Kind.Parse(high)
	if p.Kind == table.KindInt {
		span := b.Int() - a.Int()
		if span < 0 { // the span exceeds an int64: take u as a fraction of 2^64, times span+1
			f := uint64(u*(1<<53)) << 11
			hi, lo := bits.Mul64(f, uint64(span))
			_, carry := bits.Add64(lo, f, 0)
			return strconv.FormatInt(int64(uint64(a.Int())+hi+carry), 10)
		}
		n := float64(span) + 1
		return strconv.FormatInt(min(a.Int()+int64(float64(u*n)), b.Int()), 10)
	}
	x := a.Float() + float64((b.Float()-a.Float())*u)
	if math.IsInf(b.Float()-a.Float(), 0) {
		x = float64(a.Float()*(1-u)) + float64(b.Float()*u)
	}
	return string(table.FloatValue(min(x, b.Float())).AppendText(nil, p.Kind))
}

// Find returns the index of the parameter with this name. If there is none, Find returns an error
// that lists all names and the most similar one.
func Find(ps []Param, name string) (int, error) {
	best, at := 3, ""
	var all []string
	for i := range ps {
		if ps[i].Name == name {
			return i, nil
		}
		if d := spell.Distance(strings.ToLower(name), ps[i].Name); d < best {
			best, at = d, ps[i].Name
		}
		all = append(all, ps[i].Name)
	}
	switch {
	case len(ps) == 0:
		return 0, fmt.Errorf("%s: the model has no parameters: give fields of its struct a tag, default:\"…\"", name)
	case at != "":
		return 0, fmt.Errorf("%s: the model has no such parameter: is it %s? It has %s", name, at, strings.Join(all, ", "))
	}
	return 0, fmt.Errorf("%s: the model has no such parameter: it has %s", name, strings.Join(all, ", "))
}
