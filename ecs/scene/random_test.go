package scene

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// writer makes random texts.
type writer struct {
	*rand.Rand
	out   strings.Builder
	names []string // names of all entities that the text makes
	later []string // names of entities that are still to be written; references may name them
	trees []string // names of prefabs
}

func (w *writer) put(text string, args ...any) { fmt.Fprintf(&w.out, text, args...) }

// gap writes spaces and comments.
func (w *writer) gap() string {
	return []string{"", " ", "\n", "\t", " // x\n", "/* } */"}[w.IntN(6)]
}

func (w *writer) number() string {
	return []string{"0", "-0", "1", "-17", "3.25", "1e-3", "0.1", "123456.789", "-2.5E2", `"NaN"`, `"+Inf"`, `"-Inf"`}[w.IntN(12)]
}

func (w *writer) ref() string {
	switch w.IntN(6) {
	case 0:
		return "null"
	case 1:
		return `"@other:x/1"`
	case 2:
		return `"@:hero"`
	}
	return fmt.Sprintf("%q", "@"+w.inner())
}

// inner returns the name of an entity of the scene, or "".
func (w *writer) inner() string { return w.later[w.IntN(len(w.later))] }

// someMembers returns some of the members, in random order.
func (w *writer) someMembers(members ...string) string {
	w.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
	members = members[:w.IntN(len(members)+1)]
	for i := range members {
		members[i] = w.gap() + members[i]
	}
	tail := ""
	if len(members) > 0 && w.IntN(3) == 0 {
		tail = ","
	}
	return "{" + strings.Join(members, ","+w.gap()) + tail + w.gap() + "}"
}

func (w *writer) point() string {
	return w.someMembers(fmt.Sprintf(`"X": %d`, w.IntN(100)-50), fmt.Sprintf(`"Y": %d`, w.IntN(1<<30)))
}

func (w *writer) list(n int, of func() string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = of()
	}
	return "[" + strings.Join(list, ",") + "]"
}

// components returns all components that an entity may have, each with a function that returns a
// random value.
func (w *writer) components() map[string]func() string {
	boolean := func() string { return []string{"true", "false"}[w.IntN(2)] }
	return map[string]func() string{
		"Position": func() string { return w.someMembers(`"X": `+w.number(), `"Y": `+w.number(), `"Z": `+w.number()) },
		"Velocity": func() string { return w.someMembers(`"X": `+w.number(), `"Y": `+w.number(), `"Z": `+w.number()) },
		"Health":   func() string { return fmt.Sprint(w.IntN(1<<16) - 1<<15) },
		"Mass":     func() string { return w.someMembers(`"Kg": ` + w.number()) },
		"Frozen":   func() string { return "{" + w.gap() + "}" },
		"Awake":    func() string { return "{}" },
		"Inactive": func() string { return "{}" },
		"Lit":      func() string { return w.someMembers(fmt.Sprintf(`"Lumen": %d`, w.Uint32())) },
		"Team": func() string {
			return w.someMembers(fmt.Sprintf(`"Name": "t%d"`, w.IntN(3)), fmt.Sprintf(`"No": %d`, w.IntN(2)))
		},
		"Buffer[Waypoint]": func() string {
			return w.list(w.IntN(20), func() string { return w.someMembers(`"At": `+w.point(), `"Goal": `+w.ref()) })
		},
		"PerChunk[Bounds]": func() string { return w.someMembers(fmt.Sprintf(`"Max": {"X": %d}`, w.IntN(3))) },
		"Grip":             func() string { return w.someMembers(`"Holder": ` + w.ref()) },
		"Graded":           func() string { return `{"Level": "` + []string{"low", "high"}[w.IntN(2)] + `"}` },
		"Deep": func() string {
			return w.someMembers(`"Flags": `+w.list(3, boolean), fmt.Sprintf(`"Big": %d`, w.Uint64()), fmt.Sprintf(`"Small": %d`, w.IntN(256)-128), `"Z": `+w.list(2, w.number),
				`"Pair": `+w.list(2, func() string { return w.someMembers(`"To": `+w.ref(), `"Weight": `+w.number()) }))
		},
		"Label": func() string {
			return w.someMembers(`"Text": "a\u00e9\n\"b"`, `"Tags": `+w.list(w.IntN(3), func() string { return `"x"` }), `"Counts": {"k": 3, "j": -1}`,
				`"Inner": `+[]string{"null", w.point()}[w.IntN(2)], fmt.Sprintf(`"Owner": "@%s"`, w.inner()), `"Until": "2027-03-01T12:00:00Z"`)
		},
	}
}

// entity writes an entity.
func (w *writer) entity(key, path string, depth int, prefab bool) {
	w.put("%s%q: {", w.gap(), key)
	w.names = append(w.names, path)
	all := w.components()
	names := slices.Sorted(func(yield func(string) bool) {
		for n := range all {
			if !yield(n) {
				return
			}
		}
	})
	w.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	names = names[:w.IntN(len(names)+1)]
	if len(w.trees) > 0 && w.IntN(2) == 0 {
		w.put(`"of": %q,`, w.trees[w.IntN(len(w.trees))])
	} else {
		var off []string
		for _, n := range names {
			if (n == "Lit" || n == "Awake") && w.IntN(2) == 0 {
				off = append(off, fmt.Sprintf("%q", n))
			}
		}
		if off != nil {
			w.put(`"disabled": [%s],`, strings.Join(off, ","))
		}
	}
	for _, n := range names {
		w.put("%s%q:%s%s,", w.gap(), n, w.gap(), all[n]())
	}
	if depth < 2 && w.IntN(3) == 0 {
		w.put(`"children": {`)
		for i := range w.IntN(3) {
			child := fmt.Sprintf("c%d-%d", len(w.names), i) // unique, even among children of prefabs
			w.entity(child, path+"/"+child, depth+1, prefab)
		}
		w.put("},")
	}
	w.put("},\n")
}

// randomText returns a text with all kinds of components.
func randomText(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 20))}
	n, m := w.IntN(5), 1+w.IntN(40)
	for i := range n {
		w.later = append(w.later, fmt.Sprintf("p%d", i))
	}
	for i := range m {
		w.later = append(w.later, fmt.Sprintf("e/%d", i))
	}
	w.put(`{%s"prefabs": {`, w.gap())
	for i := range n {
		w.entity(fmt.Sprintf("p%d", i), fmt.Sprintf("p%d", i), 0, true)
		w.trees = append(w.trees, fmt.Sprintf("p%d", i))
	}
	w.put(`}, "entities": {`)
	for i := range m {
		w.entity(fmt.Sprintf("e/%d", i), fmt.Sprintf("e/%d", i), 0, false)
	}
	w.put("}}")
	return w.out.String()
}

// Four forms must be the same scene: a text, its baked form after reading, its formatted form,
// and the text that is written from the scene.
func TestRandomScenes(t *testing.T) {
	n := 60
	if *full {
		n = 1000
	}
	kinds := map[reflect.Type]int{}
	for seed := range uint64(n) {
		text := randomText(seed)
		d, err := Parse("random", []byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		a, err := d.Bake()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		file := bytesOf(t, a)
		b, err := ReadBaked(bytes.NewReader(file))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same := func(what string, b *Baked) {
			x, y := fork(t, a), fork(t, b)
			if a.Image().Hash() != b.Image().Hash() || x.Hash() != y.Hash() || x.Hash() != a.Image().Hash() || !slices.Equal(a.Names(), b.Names()) || !reflect.DeepEqual(a.Outward(), b.Outward()) {
				t.Fatalf("seed %d: %s is another scene: hashes %x, %x, %x and %x, names %v, references %v\n%s", seed, what, a.Image().Hash(), b.Image().Hash(), x.Hash(), y.Hash(),
					slices.Equal(a.Names(), b.Names()), reflect.DeepEqual(a.Outward(), b.Outward()), text)
			}
			for i := range d.Entries {
				for k := range d.Entries[i].Parts {
					p := &d.Entries[i].Parts[k]
					kinds[p.Type]++
					u, err := x.Untyped().Get(entryID(int32(i)), p.Type)
					must(t, err)
					v, err := y.Untyped().Get(entryID(int32(i)), p.Type)
					must(t, err)
					if got, want := fmt.Sprint(deref(v)), fmt.Sprint(deref(u)); got != want { // DeepEqual does not take two NaN for equal
						t.Fatalf("seed %d: %s: %s of %q is %s, and was %s", seed, what, p.Type, d.Entries[i].Name, got, want)
					}
				}
			}
		}
		same("baked and read, it", b)
		if !bytes.Equal(bytesOf(t, b), file) {
			t.Fatalf("seed %d: written again it has other bytes", seed)
		}
		form, err := Format("random", []byte(text))
		must(t, err)
		same("the one form", bake(t, string(form)))
		if again, err := Format("random", form); err != nil || !bytes.Equal(again, form) {
			t.Fatalf("seed %d: formatted again it is\n%s\nand was\n%s", seed, again, form)
		}
		flat, err := a.Text()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		same("the text of the scene", bake(t, string(flat)))
		sameValues(t, seed, d, a)
	}
	if len(kinds) < 17 {
		t.Errorf("only %d types: %v", len(kinds), kinds)
	}
}

// deref returns the target of a Label.
func deref(v any) any {
	if l, ok := v.(Label); ok && l.Inner != nil {
		return fmt.Sprint(l.Text, l.Tags, l.Counts, *l.Inner, l.Owner, l.Until)
	}
	return v
}

// sameValues checks that Value, after its references are resolved, returns the same values as Bake.
func sameValues(t *testing.T, seed uint64, d *Document, b *Baked) {
	w := fork(t, b)
	for i := range d.Entries {
		for k := range d.Entries[i].Parts {
			p := &d.Entries[i].Parts[k]
			v, refs, err := d.Value(i, k)
			must(t, err)
			for r := range refs {
				to := ecs.Entity{}
				if refs[r].Own {
					to, _ = b.Find(refs[r].Name)
				}
				if v, err = refs[r].Put(v, to); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			want, err := w.Untyped().Get(entryID(int32(i)), p.Type)
			must(t, err)
			if x, y := fmt.Sprint(deref(v)), fmt.Sprint(deref(want)); x != y {
				t.Fatalf("seed %d: Value of %s of %q is %s, want %s", seed, p.Type, d.Entries[i].Name, x, y)
			}
			if !p.Same(p) {
				t.Fatal("a part is not the same as itself")
			}
		}
	}
}
