package scene

import (
	"bytes"
	"testing"
)

// Any text is a scene or an error, and never a panic; a scene has the same bytes in its one form.
func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	for seed := range uint64(4) {
		f.Add([]byte(randomText(seed)))
	}
	f.Add([]byte(`{"prefabs": {"a": {"of": "a"}}, "entities": {"b": {"children": {"c": {"of": "a", "remove": ["Mass"]}}}}}`))
	maxMade = 1 << 10
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

// Any bytes are a baked scene or an error. Checksums hide the reader from most of them.
func FuzzReadBaked(f *testing.F) {
	f.Add(bytesOf(f, bake(f, everything)))
	f.Add(bytesOf(f, bake(f, `{}`)))
	f.Fuzz(func(t *testing.T, file []byte) {
		if b, err := ReadBaked(bytes.NewReader(file)); err == nil {
			_ = bytesOf(t, b)
		}
	})
}
