package scene

import (
	"reflect"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

const everything = `// A scene with everything.
{
	"prefabs": {
		"lamp": {
			"Mass": {"Kg": 2.5}, "Position": {"X": 1, "Y": 2},
			"Lit": {"Lumen": 800},
			"children": {
				"bulb": {"Health": 7, "Grip": {"Holder": "@lamp"}, "children": {"wire": {}}},
			},
		},
		"big": {"of": "lamp", "Mass": {"Kg": 10}, "disabled": ["Lit"]},
	},
	"entities": {
		"wheel": {"Position": {"X": 1.5, "Y": -0, "Z": 1e-3}, "Velocity": {"Y": "+Inf"}, "Frozen": {}},
		"lamp/1": {"of": "big", "Position": {"Y": 3}, "enabled": ["Lit"], "Team": {"Name": "red", "No": -1}},
		"lamp/2": {"of": "lamp", "remove": ["Lit"], "children": {"bulb": {"Health": -8}, "tag": {"Frozen": {}}}},
		"walker": {
			"Buffer[Waypoint]": [{"At": {"X": 1, "Y": 2}, "Goal": "@wheel"}, {"Goal": "@lamp/2/bulb"}, {"Goal": "@shore:crane"}, {"Goal": "@:hero"}],
			"PerChunk[Bounds]": {"Max": {"X": 5}},
			"Team": {"No": -1, "Name": "red"},
			"Label": {"Text": "caf\u00e9 \"x\"", "Tags": ["a", "b"], "Counts": {"k": 3}, "Inner": {"X": 4}, "Owner": "@wheel", "Until": "2027-03-01T12:00:00Z"},
			"Deep": {"Pair": [{"To": "@wheel", "Weight": 0.1}, {"To": null}], "Flags": [true, false, true], "Big": 18446744073709551615, "Small": -128, "Z": [1, -2]},
			"Awake": {}, "disabled": ["Awake"],
			"Graded": {"Level": "high"},
		},
	},
}`

func TestEverything(t *testing.T) {
	b := bake(t, everything)
	w := fork(t, b)
	at := func(name string) ecs.Entity {
		e, ok := b.Find(name)
		if !ok {
			t.Fatalf("no %q", name)
		}
		if got := w.EntityName(e); got != name {
			t.Errorf("%q is named %q", name, got)
		}
		return e
	}
	for name, c := range map[string][2]any{
		"wheel":    {get[Position](t, w, b, "wheel"), Position{1.5, 0, 1e-3}},
		"overlay":  {get[Position](t, w, b, "lamp/1"), Position{1, 3, 0}},
		"mass":     {get[Mass](t, w, b, "lamp/1"), Mass{10}},
		"prefab":   {get[Mass](t, w, b, "lamp"), Mass{2.5}},
		"team":     {get[Team](t, w, b, "lamp/1"), Team{Name: "red", No: -1}},
		"same":     {get[Team](t, w, b, "walker"), Team{Name: "red", No: -1}},
		"child":    {get[Health](t, w, b, "lamp/2/bulb"), Health(-8)},
		"inherits": {get[Health](t, w, b, "lamp/1/bulb"), Health(7)},
		"parent":   {get[Parent](t, w, b, "lamp/1/bulb"), Parent{at("lamp/1")}},
		"scoped":   {get[Grip](t, w, b, "lamp/1/bulb").Holder, at("lamp/1")},
		"deep": {get[Deep](t, w, b, "walker"), Deep{
			Pair: [2]Link{{at("wheel"), 0.1}, {}}, Flags: [3]bool{true, false, true}, Big: 1<<64 - 1, Small: -128, Z: complex(1, -2)}},
		"graded": {get[Graded](t, w, b, "walker"), Graded{2}},
	} {
		if !reflect.DeepEqual(c[0], c[1]) {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
	label := get[Label](t, w, b, "walker")
	want := Label{Text: `café "x"`, Tags: []string{"a", "b"}, Counts: map[string]int{"k": 3}, Inner: &Point{4, 0}, Owner: at("wheel"), Until: time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)}
	if !reflect.DeepEqual(label, want) {
		t.Errorf("label %+v", label)
	}
	points, err := ecs.GetBuffer[Waypoint](w, at("walker"))
	must(t, err)
	if got := points.Slice(); !reflect.DeepEqual(got, []Waypoint{{Point{1, 2}, at("wheel")}, {Goal: at("lamp/2/bulb")}, {}, {}}) {
		t.Errorf("waypoints %v", got)
	}
	for name, members := range map[string][]string{"lamp/2": {"lamp/2", "lamp/2/bulb", "lamp/2/bulb/wire", "lamp/2/tag"}, "lamp": {"lamp", "lamp/bulb", "lamp/bulb/wire"}} {
		group, err := ecs.GetBuffer[ecs.Linked](w, at(name))
		must(t, err)
		var got []string
		for _, l := range group.Slice() {
			got = append(got, w.EntityName(l.Entity))
		}
		if !reflect.DeepEqual(got, members) {
			t.Errorf("group of %s: %v", name, got)
		}
	}
	for _, name := range []string{"big", "big/bulb", "lamp/bulb/wire"} {
		if !ecs.Has[ecs.Prefab](w, at(name)) {
			t.Errorf("%s is no prefab", name)
		}
	}
	if ecs.Has[ecs.Prefab](w, at("lamp/1")) || ecs.Has[Lit](w, at("lamp/2")) {
		t.Error("a component of the prefab that is not wanted")
	}
	for name, want := range map[string]bool{"lamp": true, "big": false, "lamp/1": true} {
		if on, err := ecs.Enabled[Lit](w, at(name)); err != nil || on != want {
			t.Errorf("Lit of %s is %v, %v", name, on, err)
		}
	}
	if on, err := ecs.Enabled[Awake](w, at("walker")); err != nil || on {
		t.Error("Awake is on")
	}
	v, err := w.Untyped().Get(at("walker"), reflect.TypeFor[ecs.PerChunk[Bounds]]())
	must(t, err)
	if v != (ecs.PerChunk[Bounds]{Value: Bounds{Max: Point{5, 0}}}) {
		t.Errorf("bounds %v", v)
	}
	out := b.Outward()
	if len(out) != 2 || out[0].Scene != "shore" || out[0].Name != "crane" || out[1].Scene != "" || out[1].Name != "hero" || out[0].From != at("walker") || !reflect.DeepEqual(out[1].Path, []int{3, 1}) {
		t.Errorf("outward %+v", out)
	}
	if b.Prefabs() != 6 || b.Names()[0] != "lamp" || b.Names()[6] != "wheel" {
		t.Errorf("%d prefabs of %q", b.Prefabs(), b.Names())
	}
}
