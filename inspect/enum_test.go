package inspect

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// Temper is an integer with names for 0, 1 and 2; its method String panics for other values.
type Temper uint8

func (p Temper) String() string { return [...]string{"calm", "angry", "asleep"}[p] }

// Mood has numbers with names and others. Herd is a shared component with such a number.
type (
	Mood struct {
		Temper Temper
		Since  time.Duration
		inner  Temper
		Plain  int16
	}
	Herd struct {
		ecs.Shared
		Temper Temper
	}
)

// record has numbers whose names are numbers too, negative, or durations.
type (
	lap    int16
	level  int8
	record struct {
		Lap   lap
		Level level
		Took  time.Duration
	}
)

func (l lap) String() string {
	if l == 50 {
		return "3"
	}
	return fmt.Sprintf("lap %d", int(l)+1)
}

func (l level) String() string { return map[level]string{-4: "DEBUG", 0: "INFO"}[l] }

// TestEnum checks that an integer with a method String is shown, described, found and edited by its name.
func TestEnum(t *testing.T) {
	shown, err := json.Marshal(show(reflect.ValueOf(Mood{1, 1500 * time.Millisecond, 2, 3}), nil))
	if want := `[{"name":"Temper","value":{"number":1,"text":"angry"}},{"name":"Since","value":{"number":"1500000000","text":"1.5s"}},{"name":"inner","value":{"number":2,"text":"asleep"}},{"name":"Plain","value":3}]`; string(shown) != want || err != nil {
		t.Errorf("%s, %v\nwant %s", shown, err, want)
	}
	if got, want := describe(reflect.ValueOf(Mood{1, time.Second, 2, 3}), 3), "{Temper: angry, Since: 1s, inner: asleep, Plain: 3}"; got != want {
		t.Errorf("described as %s, want %s", got, want)
	}
	if got := showScalar(reflect.ValueOf(Temper(9))); show(reflect.ValueOf(Temper(9)), nil) != got {
		t.Errorf("a number whose String panics is shown as %v, want %v", show(reflect.ValueOf(Temper(9)), nil), got)
	}
	var m Mood
	for _, c := range []struct {
		value string
		want  Temper
		fault string
	}{{"asleep", 2, ""}, {"1", 1, ""}, {" calm ", 0, ""}, {"happy", 0, `"happy" is no inspect.Temper`}, {"300", 0, `"300" is no inspect.Temper`}} {
		m.Temper = 0
		err := assign(reflect.ValueOf(&m).Elem().Field(0), c.value)
		if fault := fmt.Sprint(err); m.Temper != c.want || (err != nil) != (c.fault != "") || !strings.Contains(fault, c.fault) {
			t.Errorf("%q: temper %d, %v; want %d, %q", c.value, uint8(m.Temper), err, uint8(c.want), c.fault)
		}
	}

	var r record
	for field, list := range map[string][][2]string{
		"Lap":   {{"3", "3"}, {"lap 3", "2"}, {"lap 0", "-1"}, {"0x10", "16"}, {"lap 1002", `no number from -128 to 1000 has the name "lap 1002"`}},
		"Level": {{"DEBUG", "-4"}, {"-4", "-4"}, {"INFO", "0"}, {"ERROR", "no number from -128 to 127 has the name"}, {"128", "value out of range"}},
		"Took":  {{"1.5s", "1500000000"}, {"-2ms", "-2000000"}, {"7", "7"}, {"1.5 seconds", "is no duration: write for example 1.5s"}},
	} { //lanewise:inexact each field is checked on its own
		for _, c := range list {
			at := reflect.ValueOf(&r).Elem().FieldByName(field)
			at.SetInt(99)
			if err := assign(at, c[0]); err == nil && fmt.Sprint(at.Int()) != c[1] || err != nil && !strings.Contains(err.Error(), c[1]) {
				t.Errorf("%s = %q: %d, %v; want %s", field, c[0], at.Int(), err, c[1])
			}
		}
	}

	w := ecs.NewWorld("moods")
	defer w.Close()
	for k := range 12 {
		w.Spawn(Mood{Temper: Temper(k % 3), Since: time.Duration(k%2) * 1500 * time.Millisecond}, Herd{Temper: Temper(k % 2)})
	}
	for when, want := range map[string]int{`Mood.Temper == "asleep"`: 4, `Mood.Temper != "calm"`: 8, `Herd == "angry"`: 6, `Herd.Temper == "calm" && Mood.Temper == "angry"`: 2, `Mood.Temper == 2`: 4, `Mood.Since == "1.5s"`: 6, `Mood.Since == "1500ms" && Mood.Temper == "calm"`: 2} {
		if n := len(filteredRows(t, w, "Mood", when)); n != want {
			t.Errorf("%s: %d entities, want %d", when, n, want)
		}
	}
	for when, want := range map[string]string{`Mood.Temper == "happy"`: `character 16 ("happy"): Mood.Temper has no value "happy": no number from 0 to 255 has the name "happy"`, `Mood.Plain == "calm"`: "Mood.Plain is no text: compare it with a number"} {
		if _, err := parseCondition(when); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", when, err, want)
		}
	}
}

// TestAxisOdd checks that an axis tells the first value that is not finite, and leaves such values out of its range.
func TestAxisOdd(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want Axis
	}{
		{[]float64{1, math.Inf(-1), 3, math.NaN()}, Axis{Lane: "L", Min: 1, Max: 3, Mean: 2, Low: 1, High: 3, Odd: "-Inf"}},
		{[]float64{1, 3, math.NaN()}, Axis{Lane: "L", Min: 1, Max: 3, Mean: 2, Low: 1, High: 3, Odd: "NaN"}},
		{[]float64{1, 3}, Axis{Lane: "L", Min: 1, Max: 3, Mean: 2, Low: 1, High: 3}},
	} {
		if got := axisOf("L", c.list); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.list, got, c.want)
		}
	}
}
