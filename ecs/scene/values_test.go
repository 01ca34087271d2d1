package scene

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/system"
)

// Rail refers to a course, which is a blob. A text cannot contain it.
type Rail struct {
	Course uint32
	Curve  blob.Ref[int32]
}

// A reference to a blob in a text is refused with its place. If the text omits the reference, it is
// null. If a system sets the reference, it sets it again after the text was edited, as the guide
// describes.
func TestBlobBeside(t *testing.T) {
	ecs.RegisterComponent[Rail]()
	const text = `{"entities": {
	"north": {"Rail": {"Course": 1}},
}}`
	_, err := parsedAndBaked(strings.Replace(text, "1}", `1, "Curve": {}}`, 1))
	want := `test.scene:2:43: blob.Ref[int32] refers to a blob, which no scene has: write its name in a field beside it, and let a system set it`
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v, want\n%s", err, want)
	}
	again := bake(t, text)
	written, err := again.Text()
	must(t, err)
	if _, err := parsedAndBaked(string(written)); err != nil || !strings.Contains(string(written), `"Course": 1`) {
		t.Errorf("its text is %s, which is %v", written, err)
	}

	curve := blob.New(func(_ *blob.Builder, root *int32) { *root = 7 })
	defer curve.Dispose()
	w := stage(t, Config{Files: fstest.MapFS{"a.scene": {Data: []byte(text)}}})
	e := Load(w, "a.scene", 0)
	updateUntil(t, w, e, Loaded)
	id := Find(w, e, "north")
	for range 2 {
		rail, err := ecs.Get[Rail](w, id)
		must(t, err)
		if rail.Course != 1 || rail.Curve.Exists() {
			t.Fatalf("%+v", rail)
		}
		rail.Curve = curve
		must(t, ecs.Set(w, id, rail))
		must(t, ecs.SetEnabled[Request](w, e, false))
		must(t, Wait(w))
		must(t, ecs.SetEnabled[Request](w, e, true))
		must(t, Wait(w))
		must(t, system.Update(w))
		id = Find(w, e, "north")
	}
}

// Yard has several blobs; a text has none of them.
type Yard struct {
	Tracks uint32
	Curves [2]blob.Ref[int32]
	Spare  [2][1]blob.Ref[int32]
	Ways   [2]Rail
}

// Arrays of null blobs are left out of the text too.
func TestBlobArrays(t *testing.T) {
	ecs.RegisterComponent[Yard]()
	made := bake(t, `{"entities": {"yard": {"Yard": {"Tracks": 3, "Ways": [{"Course": 1}, {"Course": 2}]}}}}`)
	written, err := made.Text()
	must(t, err)
	again, err := parsedAndBaked(string(written))
	if err != nil || again.Image().Hash() != made.Image().Hash() || strings.Contains(string(written), "Cur") || strings.Contains(string(written), "Spare") {
		t.Errorf("its text is %s, which is %v", written, err)
	}
	_, err = parsedAndBaked(`{"entities": {"yard": {"Yard": {"Curves": [{}, {}]}}}}`)
	if err == nil || !strings.Contains(err.Error(), "refers to a blob") {
		t.Error(err)
	}
}

func parsedAndBaked(text string) (*Baked, error) {
	d, err := Parse("test.scene", []byte(text))
	if err != nil {
		return nil, err
	}
	return d.Bake()
}

type (
	// SpeedOf is like the types of package transform: for float32 it is called Speed.
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

// A generic type with one type of number has the name of its alias in Go, unless another type already
// has that name.
func TestAlias(t *testing.T) {
	for name, want := range map[string]string{
		"TranslationOf[float32]": "Translation", "transform.TranslationOf[float64]": "transform.Translation64",
		"a.org/b/turns.TurnOf[float32,a.org/b/turns.XYZ]": "a.org/b/turns.TurnXYZ",
		"TurnOf[float64,XYZ]":                             "Turn64XYZ", "Of": "", "Position": "", "ListOf[int]": "", "ListOf[Buffer[float32]]": "",
	} {
		if got := shortAlias(name); got != want {
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
