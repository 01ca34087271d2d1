package design

import (
	"fmt"
	"strings"

	"github.com/lanewise/lanewise/study/table"
)

// An Axis defines the values of one parameter: the texts in Values, the numbers of Steps, or random
// numbers between Low and High.
type Axis struct {
	Param  string   `json:"param"`
	Values []string `json:"values,omitempty"`
	Steps  string   `json:"steps,omitempty"` // from:to:step
	Low    string   `json:"low,omitempty"`
	High   string   `json:"high,omitempty"`

	first, step decimal // of Steps
	valueCount  int     // number of values; 0 if values are drawn
	paramIndex  int     // index of its parameter
}

// Drawn reports whether the values of the axis are drawn at random.
func (a *Axis) Drawn() bool { return a.valueCount == 0 }

// ParseAxis parses one parameter of a command line:
//
//	beta=0.2            one value
//	beta=0.1,0.2,0.4    a list of values
//	beta=0.1:0.5:0.1    from, to, step: in decimal arithmetic; includes 0.5
//	beta=0.1..0.5       random values of an interval
//	beta                the values of its tags: its range, its choices, or false and true
func ParseAxis(ps []Param, text string) (Axis, error) {
	name, spec, given := strings.Cut(text, "=")
	a := Axis{Param: name}
	i, err := Find(ps, name)
	if err != nil {
		return a, err
	}
	p := &ps[i]
	switch {
	case !given && p.Low != "":
		a.Low, a.High = p.Low, p.High
	case !given && p.Range() != "":
		a.Values = strings.Split(p.Range(), ",")
	case !given:
		return a, fmt.Errorf("%s: its tags give it no range: say %s=low..high, or %s=a,b,c", name, name, name)
	case p.number() && strings.Contains(spec, ".."):
		a.Low, a.High, _ = strings.Cut(spec, "..")
	case p.number() && strings.Contains(spec, ":"):
		if strings.Count(spec, ":") != 2 {
			return a, fmt.Errorf("%s=%s: say from:to:step", name, spec)
		}
		a.Steps = spec
	default:
		a.Values = strings.Split(spec, ",")
	}
	return a, a.bind(ps)
}

// bind prepares the axis for use. It returns an error if the axis is not valid.
func (a *Axis) bind(ps []Param) (err error) {
	if a.paramIndex, err = Find(ps, a.Param); err != nil {
		return err
	}
	p := &ps[a.paramIndex]
	switch {
	case a.Steps != "":
		return a.bindSteps(p)
	case len(a.Values) > 0:
		a.valueCount = len(a.Values)
		return checkAll(p, a.Values...)
	}
	if err := checkAll(p, a.Low, a.High); err != nil {
		return err
	}
	if !p.number() || p.isGreater(a.Low, a.High) {
		return fmt.Errorf("%s=%s..%s: the lower end comes first", a.Param, a.Low, a.High)
	}
	return nil
}

// bindSteps does the work of bind for an axis with steps.
func (a *Axis) bindSteps(p *Param) (err error) {
	if a.first, a.step, a.valueCount, err = parseSteps(a.Steps); err != nil {
		return fmt.Errorf("%s=%s: %w", a.Param, a.Steps, err)
	}
	if p.Kind == table.KindInt && a.first.places > 0 {
		return fmt.Errorf("%s=%s: it takes whole numbers", a.Param, a.Steps)
	}
	return checkAll(p, a.value(0), a.value(a.valueCount-1))
}

// checkAll checks values of a parameter, and returns the first error.
func checkAll(p *Param, values ...string) error {
	for _, v := range values {
		if err := p.Check(v); err != nil {
			return err
		}
	}
	return nil
}

// value returns the value at index i of an axis that is not drawn.
func (a *Axis) value(i int) string {
	if a.Steps != "" {
		return a.first.addSteps(a.step, i).String()
	}
	return a.Values[i]
}

// drawValue returns the value of an axis at the fraction u of its interval or of its list.
func (a *Axis) drawValue(p *Param, u float64) string {
	if a.valueCount > 0 {
		return a.value(min(int(float64(u*float64(a.valueCount))), a.valueCount-1))
	}
	return p.valueBetween(u, a.Low, a.High)
}

// Short returns the last value of an axis and its end if no step reaches the end, such as 0.30 and 0.4 for
// 0:0.4:0.15. Otherwise, both texts are empty.
func (a *Axis) Short() (last, end string) {
	if a.Steps == "" {
		return "", ""
	}
	last, end = a.value(a.valueCount-1), strings.TrimSpace(strings.Split(a.Steps, ":")[1])
	if equalDecimals(last, end) {
		return "", ""
	}
	return last, end
}

// Single reports whether the axis has exactly one value, which was given explicitly.
func (a *Axis) Single() bool { return len(a.Values) == 1 }
