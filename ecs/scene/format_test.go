package scene

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/lanewise/lanewise/ecs"
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

// The schema is JSON, all references in it have targets, and it has every name that a text may use.
func TestSchema(t *testing.T) {
	var s struct {
		Defs map[string]any `json:"$defs"`
	}
	must(t, json.Unmarshal(Schema(), &s))
	known := map[string]bool{}
	for name := range s.Defs {
		known["#/$defs/"+escapePointer(name)] = true
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

var update = flag.Bool("lanewise.update", false, "write "+goldenFile+" anew: only with a new version of the format")

const goldenFile = "testdata/v1.baked"

// Files of version 1 can still be read, and writing the scene again produces the same bytes. So all
// machines write the same bytes.
func TestGolden(t *testing.T) {
	b := bake(t, everything)
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(goldenFile, bytesOf(t, b), 0o644))
	}
	file, err := os.ReadFile(goldenFile)
	must(t, err)
	old, err := ReadBaked(bytes.NewReader(file))
	must(t, err)
	const golden = 0xc51fe7449eb0baeb
	if old.Image().Hash() != b.Image().Hash() || old.Image().Hash() != golden {
		t.Errorf("the hash is %#x, of the text %#x, want %#x", old.Image().Hash(), b.Image().Hash(), uint64(golden))
	}
	own := bytesOf(t, b)
	head := bytes.Index(file, []byte{0x89, 'L', 'W', 'S'}) // the snapshot has its own version
	if head < 0 || len(own) < head || !bytes.Equal(own[:head], file[:head]) {
		t.Error("what is before the snapshot has other bytes")
	}
	if x, err := b.Text(); err != nil {
		t.Error(err)
	} else if y, err := old.Text(); err != nil || !bytes.Equal(x, y) {
		t.Errorf("its text is another one, %v", err)
	}
}

// Any text is a scene or an error, and never a panic. Formatting a formatted text does not change it,
// and a formatted scene has the same image.
func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	for seed := range uint64(4) {
		f.Add([]byte(randomText(seed)))
	}
	f.Add([]byte(`{"prefabs": {"a": {"of": "a"}}, "entities": {"b": {"children": {"c": {"of": "a", "remove": ["Mass"]}}}}}`))
	maxExpandedEntities = 1 << 10
	f.Fuzz(func(t *testing.T, text []byte) {
		form, wrong := Format("fuzz", text)
		d, err := Parse("fuzz", text)
		if err != nil {
			return
		}
		a, err := d.Bake()
		if err != nil {
			return
		}
		if wrong != nil {
			t.Fatalf("it is a scene, and has no form: %v", wrong)
		}
		if again, err := Format("fuzz", form); err != nil || !bytes.Equal(again, form) {
			t.Fatalf("formatted again it is\n%s\nand was\n%s", again, form)
		}
		file := bytesOf(t, a)
		b, err := ReadBaked(bytes.NewReader(file))
		must(t, err)
		if c := bake(t, string(form)); b.Image().Hash() != a.Image().Hash() || c.Image().Hash() != a.Image().Hash() {
			t.Fatal("the hashes differ")
		}
	})
}

// Any sequence of bytes must either be a baked scene or cause an error. Because of the checksums, most
// of the sequences do not reach the code that decodes a scene.
func FuzzReadBaked(f *testing.F) {
	f.Add(bytesOf(f, bake(f, everything)))
	f.Add(bytesOf(f, bake(f, `{}`)))
	f.Fuzz(func(t *testing.T, file []byte) {
		if b, err := ReadBaked(bytes.NewReader(file)); err == nil {
			_ = bytesOf(t, b)
		}
	})
}

// If an option is nil, the text of the panic contains the index of the option.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "scene: ReadBaked: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	_, _ = ReadBaked(bytes.NewReader(nil), nil)
}

// TestTemporaryWorlds checks that Parse, Bake and Text close the worlds that they make, also if they
// return an error.
func TestTemporaryWorlds(t *testing.T) {
	before, failed := ecs.OpenWorlds(), 0
	for _, text := range []string{
		`{"entities": {"a": {"Health": 1, "Team": {"Name": "red"}}, "b": {"Team": {"Name": "blue"}, "PerChunk[Bounds]": {}}}}`,
		`{"entities": {"a": {"nonesuch": {"Name": "equal"}}, "b": {"Team": {"Name": "red"}}}}`,
		`{"entities": {"a": {"Label": {"Text": "a"}, "Grip": {}, "Deep": {"Z": 1}}}}`,
		`{"entities": {"a": {"Health": "no number"}}}`,
	} {
		d, err := Parse("test.scene", []byte(text))
		if err == nil {
			var b *Baked
			if b, err = d.Bake(); err == nil {
				_, err = b.Text()
			}
		}
		if err != nil {
			failed++
		}
		if n := ecs.OpenWorlds(); n != before {
			t.Errorf("%s: %d worlds are open, and %d were before (error %v)", text, n, before, err)
		}
	}
	if failed == 0 {
		t.Error("no text fails")
	}
}
