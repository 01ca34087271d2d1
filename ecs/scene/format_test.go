package scene

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

func TestFormat(t *testing.T) {
	const in = `// lamps and wheels


	{ "entities" : {
  /* first */ "a":{"Health":1,"Mass":{"Kg":2.50}}, // of the house

	// the second
	"b" : {
	"Health": 2, // weak
	"Mass": {
		"Kg": 1 // light
	}
	// nothing more
	},
	"long": {"Position": {"X": 100000000, "Y": 100000000, "Z": 100000000}, "Velocity": {"X": 100000000, "Y": 100000000, "Z": 1}},
	"tree": {"children": {"c": {"Health": 3}}, "Health": 4}, "none": {} }
	// the end
	}
// really`
	const want = `// lamps and wheels

{
	"entities": {
		/* first */
		"a": {"Health": 1, "Mass": {"Kg": 2.50}}, // of the house

		// the second
		"b": {
			"Health": 2, // weak
			"Mass": {
				"Kg": 1, // light
			},
			// nothing more
		},
		"long": {
			"Position": {"X": 100000000, "Y": 100000000, "Z": 100000000},
			"Velocity": {"X": 100000000, "Y": 100000000, "Z": 1},
		},
		"tree": {
			"children": {"c": {"Health": 3}},
			"Health": 4,
		},
		"none": {},
	},
	// the end
}
// really
`
	got, err := Format("a.scene", []byte(in))
	must(t, err)
	if string(got) != want {
		t.Errorf("formatted:\n%s", got)
	}
	again, err := Format("a.scene", got)
	must(t, err)
	if !bytes.Equal(again, got) {
		t.Errorf("formatted again:\n%s", again)
	}
	if bake(t, in).Image().Hash() != bake(t, want).Image().Hash() {
		t.Error("it means something else")
	}
	for text, want := range map[string]string{
		`{"a" 1}`:         `a.scene:1:6: a colon is expected behind "a"; there is a number`,
		`{"a": 1 "b": 2}`: `a.scene:1:9: a comma or } is expected; there is a string`,
		`{"a": [1, /*]}`:  `a.scene:1:11: the comment has no end: write */`,
		`{} x`:            `a.scene:1:4: behind the scene comes 'x'`,
		``:                `a.scene:1:1: a value is expected; there is the end of the text`,
	} {
		_, err := Format("a.scene", []byte(text))
		var e *Error
		if !errors.As(err, &e) || e.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The schema is JSON, all references in it lead somewhere, and it has every name that a text may use.
func TestSchema(t *testing.T) {
	var s struct {
		Defs map[string]any `json:"$defs"`
	}
	must(t, json.Unmarshal(Schema(), &s))
	known := map[string]bool{}
	for name := range s.Defs {
		known["#/$defs/"+pointer(name)] = true
	}
	var walk func(v any)
	refs := 0
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if to, ok := v["$ref"].(string); ok {
				if refs++; !known[to] {
					t.Errorf("nothing is at %s", to)
				}
			}
			for _, m := range v {
				walk(m)
			}
		case []any:
			for _, m := range v {
				walk(m)
			}
		}
	}
	walk(s.Defs)
	entity := s.Defs["entity"].(map[string]any)["properties"].(map[string]any)
	for _, name := range []string{"Mass", "scene.Mass", "github.com/lanewise/lanewise/ecs/scene.Mass", "Buffer[Waypoint]", "PerChunk[Bounds]", "LinkedGroup", "Prefab", "of", "children"} {
		if entity[name] == nil {
			t.Errorf("an entity has no %q", name)
		}
	}
	if refs < 40 {
		t.Errorf("%d references", refs)
	}
	if !bytes.Equal(Schema(), Schema()) {
		t.Error("twice it is not the same")
	}
}
