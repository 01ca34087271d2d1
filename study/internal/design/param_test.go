package design

import (
	"reflect"
	"strings"
	"testing"
)

// wantError makes the test fail unless the error contains the text.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%v, want %q", err, text)
	} else if heard != nil {
		heard.Err(err)
	}
}

// TestTags checks the messages about wrong tags: they name the type, the field and a remedy.
func TestTags(t *testing.T) {
	type inner struct {
		Depth int `default:"1"`
	}
	for _, c := range []struct {
		model any
		want  string
	}{
		{1, "int is no struct"},
		{struct {
			A int `range:"1..2"`
		}{}, ".A has a range and no default"},
		{struct {
			A string `choices:"a"`
		}{}, ".A has a choices and no default"},
		{struct {
			a int `default:"1"`
		}{}, ".a: a parameter is an exported field"},
		{struct {
			A []int `default:"1"`
		}{}, "a parameter of type []int is not possible"},
		{struct {
			A int `default:"1" name:"a b"`
		}{}, `a parameter cannot be named "a b"`},
		{struct {
			A int `default:"1" choices:"1,2"`
		}{}, "choices are of strings, this is of type int"},
		{struct {
			A int `default:"1" range:"1"`
		}{}, `range "1": a range is low..high`},
		{struct {
			A bool `default:"true" range:"0..1"`
		}{}, `range "0..1": a range is low..high, of numbers`},
		{struct {
			A int `default:"1" range:"1..x"`
		}{}, `range "1..x": a=x: "x" is no whole number`},
		{struct {
			A int `default:"1" range:"3..1"`
		}{}, `range "3..1": the lower end comes first`},
		{struct {
			A int `default:"x"`
		}{}, `default: a=x: "x" is no whole number`},
		{struct {
			A int8 `default:"200"`
		}{}, "default: a=200: too large for its type, int8"},
		{struct {
			A uint8 `default:"-1"`
		}{}, "default: a=-1: too large for its type, uint8"},
		{struct {
			A float64 `default:"Inf"`
		}{}, "default: a=Inf: not a finite number"},
		{struct {
			A int `default:"5" range:"1..3"`
		}{}, "default: a=5: outside of its range, 1 to 3"},
		{struct {
			A string `default:"c" choices:"a,b"`
		}{}, "default: a=c: it is one of a, b"},
		{struct {
			A int `default:"5"`
			B int `default:"5" name:"a"`
		}{}, ".B: another parameter is named a too"},
	} {
		_, err := Params(reflect.TypeOf(c.model))
		wantError(t, err, c.want)
	}
	type outer struct {
		inner
		Side int `default:"2"`
	}
	if ps, err := Params(reflect.TypeFor[outer]()); err != nil || len(ps) != 2 || ps[0].Name != "depth" {
		t.Errorf("%v, %v", ps, err)
	}
}

// TestSet checks that values reach their fields, and that errors list the valid values.
func TestSet(t *testing.T) {
	ps, m := params(t), reflect.New(reflect.TypeFor[model]()).Elem()
	for i, text := range []string{"0.25", "1.5", "-0", "255", "true", "c", "any"} {
		if text == "-0" {
			text = "7"
		}
		if err := ps[i].Set(m, text); err != nil {
			t.Error(err)
		}
	}
	if got, want := m.Interface(), (model{Beta: 0.25, Half: 1.5, Side: 7, Count: 255, On: true, Kind: "c", Free: "any"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	wantError(t, ps[0].Set(m, "2"), "beta=2: outside of its range, 0 to 1")
	for i, want := range []string{"0..1", "0..3", "1..100", "", "false,true", "a,b,c", ""} {
		if got := ps[i].Range(); got != want {
			t.Errorf("%s takes %q, want %q", ps[i].Name, got, want)
		}
	}
	_, err := Find(ps, "bta")
	wantError(t, err, "bta: the model has no such parameter: is it beta? It has beta, half, side, count, on, kind, free")
	_, err = Find(ps, "temperature")
	wantError(t, err, "temperature: the model has no such parameter: it has beta,")
	_, err = Find(nil, "x")
	wantError(t, err, "the model has no parameters")
}

// TestAxes checks that the messages about wrong axes name a remedy.
func TestAxes(t *testing.T) {
	for _, c := range []struct{ axis, want string }{
		{"gamma=1", "gamma: the model has no such parameter"},
		{"free", "free: its tags give it no range: say free=low..high, or free=a,b,c"},
		{"beta=0:1", "beta=0:1: say from:to:step"},
		{"beta=0:1:x", `"x" is no decimal number`},
		{"beta=0:1:0", "the step is 0"},
		{"beta=0:1:-0.1", "steps of -0.1 lead from 0 away from 1"},
		{"beta=1:0:0.1", "steps of 0.1 lead from 1 away from 0"},
		{"beta=0:1:1e-12", "a study has at most 2147483647 runs"},
		{"beta=0:1e18:1e-18", "is too large for as many digits"},
		{"beta=0:1:1e99", `"1e99" is no decimal number`},
		{"beta=0:1:1e-18e", "is no decimal number"},
		{"beta=0:1:0.01e-18", "is no decimal number"},
		{"beta=99999999999999e9:1:1", "is no decimal number"},
		{"side=1:2:0.5", ""},
		{"beta=0:2:0.5", "beta=2.0: outside of its range"},
		{"beta=0.1,7", "beta=7: outside of its range"},
		{"beta=0..7", "beta=7: outside of its range"},
		{"beta=0.7..0.1", "beta=0.7..0.1: the lower end comes first"},
	} {
		_, err := ParseAxis(params(t), c.axis)
		if c.axis == "side=1:2:0.5" {
			wantError(t, err, "side=1:2:0.5: it takes whole numbers")
			continue
		}
		wantError(t, err, c.want)
	}
}

// TestDesigns checks that a wrong design is reported before the first run.
func TestDesigns(t *testing.T) {
	ps := params(t)
	axis := func(text string) Axis {
		a, err := ParseAxis(ps, text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, c := range []struct {
		d    Design
		want string
	}{
		{Design{Kind: "other", Replicates: 1}, `a design of kind "other" is unknown`},
		{Design{Kind: Grid}, "0 replicates: take 1 or more"},
		{Design{Kind: Grid, Replicates: 1, Axes: []Axis{axis("beta")}}, "beta=0..1 has no steps: say beta=from:to:step, or draw points with -random n or -latin n"},
		{Design{Kind: Grid, Replicates: 1, Axes: []Axis{axis("beta=0.1,0.2"), axis("beta=0.1,0.2")}}, "beta is given twice"},
		{Design{Kind: Grid, Replicates: 1, Fixed: []Setting{{"beta", "0.1"}}, Axes: []Axis{axis("beta=0.1,0.2")}}, "beta is given twice"},
		{Design{Kind: Grid, Replicates: 1, Fixed: []Setting{{"beta", "3"}}}, "beta=3: outside of its range"},
		{Design{Kind: Grid, Replicates: 1, Axes: []Axis{{Param: "beta", Values: []string{"3"}}}}, "beta=3: outside of its range"},
		{Design{Kind: Grid, Replicates: 1 << 30, Axes: []Axis{axis("beta=0.1,0.2,0.3")}}, "are more than 2147483647 runs"},
		{Design{Kind: Grid, Replicates: 1, Axes: []Axis{axis("beta=0:1:1e-8"), axis("half=0:3:1e-8")}}, "the grid has more than 2147483647 points"},
		{Design{Kind: Latin, Points: 3, Replicates: 1}, "a latin design draws parameters"},
		{Design{Kind: Random, Replicates: 1, Axes: []Axis{axis("beta")}}, "the design has no points"},
		{Design{Kind: Rows, Replicates: 1, Columns: []string{"bta"}, List: [][]string{{"1"}}}, "the list's first line: bta: the model has no such parameter: is it beta?"},
		{Design{Kind: Rows, Replicates: 1, Columns: []string{"beta", "beta"}, List: [][]string{{"1", "1"}}}, "the list's first line: beta is given twice"},
		{Design{Kind: Rows, Replicates: 1, Columns: []string{"beta"}, List: [][]string{{"1"}, {"1", "2"}}}, "row 2 of the list has 2 values for 1 parameters"},
		{Design{Kind: Rows, Replicates: 1, Columns: []string{"beta"}, List: [][]string{{"1"}, {"2"}}}, "row 2 of the list: beta=2: outside of its range"},
	} {
		wantError(t, c.d.Bind(ps), c.want)
	}
}

// TestList checks that a list is read from CSV with its rows as points.
func TestList(t *testing.T) {
	columns, rows, err := ReadList(strings.NewReader("\ufeffbeta, kind\n0.1, a\n0.2 ,\"b\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	d := newDesign(t, Design{Kind: Rows, Columns: columns, List: rows, Replicates: 2, Fixed: []Setting{{"side", "9"}}})
	values, _ := d.At(nil, 3)
	if d.Runs() != 4 || strings.Join(values, " ") != "0.2 1 9 3 false b " {
		t.Errorf("%d runs, run 3 has %q", d.Runs(), values)
	}
	if v := d.Varied(); len(v) != 2 || v[0] != 0 || v[1] != 5 {
		t.Errorf("parameters %v vary", v)
	}
	for text, want := range map[string]string{"": "the list is empty", "beta\n": "the list has no points: below its first line, beta, come their values", "a\n1,2\n": "wrong number of fields", "\"": "extraneous or missing"} {
		_, _, err := ReadList(strings.NewReader(text))
		wantError(t, err, want)
	}
	if a := (Axis{Values: []string{"1"}}); !a.Single() || !a.Drawn() {
		t.Error("an axis of one value that is not bound")
	}
}
