package scene

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// modelFile is a text with its contents: the masses of its entities by name.
type modelFile struct {
	path   string
	masses map[string]int
	next   int
}

func (f *modelFile) text() string {
	var b strings.Builder
	b.WriteString("{\"entities\": {\n")
	for i := range f.next {
		name := fmt.Sprint("e/", i)
		if kg, has := f.masses[name]; has {
			fmt.Fprintf(&b, "\"%s\": {\"Mass\": {\"Kg\": %d}, \"Grip\": {\"Holder\": \"@%s\"}},\n", name, kg, name)
		}
	}
	b.WriteString("}}")
	return b.String()
}

// edit changes, adds or removes an entity.
func (f *modelFile) edit(rng *rand.Rand) {
	name := fmt.Sprint("e/", rng.IntN(f.next))
	switch rng.IntN(3) {
	case 0:
		f.masses[fmt.Sprint("e/", f.next)] = rng.IntN(100)
		f.next++
	case 1:
		delete(f.masses, name)
	default:
		if _, has := f.masses[name]; has {
			f.masses[name] = rng.IntN(100)
		}
	}
}

// The test compares random loads, unloads, cancellations and live edits with a simple model: the
// world must contain the wanted scenes with the contents of their texts, and nothing else.
func TestStreamModel(t *testing.T) {
	steps := 600
	if *full {
		steps = 100_000
	}
	rng := rand.New(rand.NewPCG(20, 1))
	files := shelfOf()
	var texts []*modelFile
	for i := range 4 {
		f := &modelFile{path: fmt.Sprintf("f%d.scene", i), masses: map[string]int{}, next: 10 * (i + 1)}
		for k := range f.next {
			f.masses[fmt.Sprint("e/", k)] = k
		}
		texts = append(texts, f)
		files.write(f.path, f.text(), time.Unix(1, 0))
	}
	w := stage(t, Config{Files: files, Budget: 9})
	type sub struct {
		e    ecs.Entity
		file *modelFile
		on   bool
	}
	var subs []*sub
	mine := 0
	residue := w.Query(ecs.With[Grip](), ecs.Without[Mass]())
	for step := range steps {
		switch k := rng.IntN(10); {
		case k < 2 && len(subs) < 6:
			f := texts[rng.IntN(len(texts))]
			subs = append(subs, &sub{Load(w, f.path, int32(rng.IntN(3))), f, true})
		case k < 3 && len(subs) > 0:
			i := rng.IntN(len(subs))
			must(t, w.Destroy(subs[i].e))
			subs = append(subs[:i], subs[i+1:]...)
		case k < 6 && len(subs) > 0:
			s := subs[rng.IntN(len(subs))]
			s.on = !s.on
			must(t, ecs.SetEnabled[Request](w, s.e, s.on))
		case k < 7:
			w.Spawn(Velocity{})
			mine++
		case k < 8 && step%5 == 0: // edits scenes that are completely loaded
			must(t, Wait(w))
			must(t, Refresh(w)) // so that all know the text before
			must(t, Wait(w))
			f := texts[rng.IntN(len(texts))]
			f.edit(rng)
			files.write(f.path, f.text(), time.Unix(int64(step+2), 0))
			must(t, Refresh(w))
		default:
			must(t, system.Update(w))
		}
		if step%20 != 19 && step != steps-1 {
			continue
		}
		must(t, Wait(w))
		want := mine + len(subs)
		for _, s := range subs {
			if !s.on {
				if p := phaseOf(t, w, s.e); p != Unloaded {
					t.Fatalf("step %d: %s is %v", step, s.file.path, p)
				}
				continue
			}
			want += len(s.file.masses)
			for i := range s.file.next {
				name := fmt.Sprint("e/", i)
				kg, has := s.file.masses[name]
				e := Find(w, s.e, name)
				if e.IsZero() == has {
					t.Fatalf("step %d: %s of %s is %v", step, name, s.file.path, e)
				}
				if !has {
					continue
				}
				m, err := ecs.Get[Mass](w, e)
				g, err2 := ecs.Get[Grip](w, e)
				if err != nil || err2 != nil || m.Kg != float64(kg) || g.Holder != e {
					t.Fatalf("step %d: %s of %s is %v held by %v, want %d: %v %v", step, name, s.file.path, m, g, kg, err, err2)
				}
			}
		}
		ids := residue.AppendEntities(nil) // cleanup components remain, and the test removes them
		for _, e := range ids {
			if _, err := ecs.Remove[Grip](w, e); err != nil {
				t.Fatal(err)
			}
		}
		if w.Len() != want {
			t.Fatalf("step %d: %d entities, want %d", step, w.Len(), want)
		}
	}
	for _, s := range subs {
		must(t, w.Destroy(s.e))
	}
	must(t, Wait(w))
	for _, e := range residue.AppendEntities(nil) {
		if _, err := ecs.Remove[Grip](w, e); err != nil {
			t.Fatal(err)
		}
	}
	if s, _ := streamerFor(w); w.Len() != mine || len(s.instances) != 0 || len(s.byID) != 0 {
		t.Errorf("%d entities are left, want %d", w.Len(), mine)
	}
}
