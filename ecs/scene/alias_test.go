package scene

import (
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

type (
	// SpeedOf is as types of package transform are: for float32 it is called Speed.
	SpeedOf[T float32 | float64]        struct{ X T }
	TurnOf[T float32 | float64, O turn] struct{ Angle T }
	MassOf[T float32 | float64]         struct{ Grams T }
	XYZ                                 struct{}
	turn                                interface{ XYZ }
)

func init() {
	ecs.RegisterComponent[SpeedOf[float32]]()
	ecs.RegisterComponent[SpeedOf[float64]]()
	ecs.RegisterComponent[TurnOf[float32, XYZ]]()
	ecs.RegisterComponent[TurnOf[float64, XYZ]]()
	ecs.RegisterComponent[MassOf[float32]]()
}

// Types for one kind of numbers are called as their aliases in Go are, unless another type has that name.
func TestAlias(t *testing.T) {
	for name, want := range map[string]string{
		"TranslationOf[float32]": "Translation", "transform.TranslationOf[float64]": "transform.Translation64",
		"a.org/b/turns.TurnOf[float32,a.org/b/turns.XYZ]": "a.org/b/turns.TurnXYZ",
		"TurnOf[float64,XYZ]":                             "Turn64XYZ", "Of": "", "Position": "", "ListOf[int]": "", "ListOf[Buffer[float32]]": "",
	} {
		if got := alias(name); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
	}
	b := bake(t, `{"entities": {"a": {"Speed": {"X": 1}, "Speed64": {"X": 2}, "TurnXYZ": {"Angle": 3}, "scene.Turn64XYZ": {"Angle": 4}, "Mass": {"Kg": 5}}}}`)
	w := fork(t, b)
	if get[SpeedOf[float32]](t, w, b, "a").X != 1 || get[SpeedOf[float64]](t, w, b, "a").X != 2 || get[TurnOf[float32, XYZ]](t, w, b, "a").Angle != 3 ||
		get[TurnOf[float64, XYZ]](t, w, b, "a").Angle != 4 || get[Mass](t, w, b, "a").Kg != 5 {
		t.Error("other values")
	}
	text, err := b.Text()
	must(t, err)
	for _, name := range []string{`"Speed":`, `"Speed64":`, `"TurnXYZ":`, `"Mass":`} {
		if !strings.Contains(string(text), name) {
			t.Errorf("no %s in\n%s", name, text)
		}
	}
	_, err = Parse("a", []byte(`{"entities": {"a": {"MassOf[float32]": {"Grams": 1}, "Sped": {}}}}`))
	if err == nil || !strings.Contains(err.Error(), `there is "Speed"`) {
		t.Error(err)
	}
}
