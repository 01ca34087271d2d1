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

	w := ecs.NewWorld("moods")
	defer w.Close()
	for k := range 12 {
		w.Spawn(Mood{Temper: Temper(k % 3)}, Herd{Temper: Temper(k % 2)})
	}
	for when, want := range map[string]int{`Mood.Temper == "asleep"`: 4, `Mood.Temper != "calm"`: 8, `Herd == "angry"`: 6, `Herd.Temper == "calm" && Mood.Temper == "angry"`: 2, `Mood.Temper == 2`: 4} {
		if n := len(filteredRows(t, w, "Mood", when)); n != want {
			t.Errorf("%s: %d entities, want %d", when, n, want)
		}
	}
	for when, want := range map[string]string{`Mood.Temper == "happy"`: `character 16 ("happy"): Mood.Temper has no value "happy"`, `Mood.Plain == "calm"`: "Mood.Plain is no text: compare it with a number"} {
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
