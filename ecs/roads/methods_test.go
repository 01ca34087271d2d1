package roads_test

import (
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/pack"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// These are components whose methods and codecs call armed: a name whose case does not matter, a
// note with pointers, a list of friends, and a grave that outlives its animal.
type (
	Kind struct {
		ecs.Shared
		Name string
	}
	Note struct {
		ecs.Managed
		Lines []string
		About ecs.Entity
	}
	Friend struct{ Entity ecs.Entity }
	Grave  struct {
		ecs.Cleanup
		Kg float64
	}
	Bounds struct{ Max float64 }
)

func (Grave) Column() (c []float64)  { return }
func (Bounds) Column() (c []float64) { return }

// armed is called by the methods below. A road may let it panic.
var armed atomic.Pointer[func()]

func called() {
	if f := armed.Load(); f != nil {
		(*f)()
	}
}

func (b Kind) Equal(o Kind) bool { called(); return strings.EqualFold(b.Name, o.Name) }

func (b Kind) Hash() uint64 {
	called()
	h := fnv.New64()
	fmt.Fprint(h, strings.ToLower(b.Name))
	return h.Sum64()
}

func encodeNote(out []byte, n *Note) ([]byte, error) {
	called()
	return fmt.Appendf(out, "%d %d %s", n.About.Index, n.About.Version, strings.Join(n.Lines, "|")), nil
}

func decodeNote(in []byte, n *Note) error {
	called()
	head, text := strings.SplitN(string(in), " ", 3), ""
	if len(head) == 3 {
		text = head[2]
	}
	n.Lines = strings.Split(text, "|")
	_, err := fmt.Sscan(head[0]+" "+head[1], &n.About.Index, &n.About.Version)
	return err
}

// Rebreed gives animals another breed, destroys one with a grave, and buries the oldest grave.
type Rebreed struct {
	_      system.After[Walk]
	all    *ecs.Query
	graves *ecs.Query
}

func (s *Rebreed) Create(u *system.Setup) error {
	s.all = u.Query(ecs.With[Kind](), ecs.Write[ecs.PerChunk[Bounds]](), ecs.Read[Place](), ecs.Write[ecs.Buffer[Friend]]())
	s.graves = u.Query(ecs.Read[Grave](), ecs.Absent[Place]())
	return nil
}

func (s *Rebreed) Update(f *system.Frame) error {
	w := f.World()
	for c := range s.all.Chunks() {
		friends := ecs.Column[ecs.Buffer[Friend]](c)
		for i, e := range c.Entities() {
			friends.At(i).Append(Friend{e})
			if friends.At(i).Len() > 20 {
				friends.At(i).Remove(0, 15)
			}
		}
		bounds := ecs.ChunkValue[Bounds](c)
		bounds.Max = max(bounds.Max, ecs.Column[Place](c).X[0])
		ecs.SetChunkValue(c, bounds)
	}
	ids := s.all.AppendEntities(nil)
	if dead := s.graves.AppendEntities(nil); len(dead) > 3 {
		if _, err := ecs.Remove[Grave](w, dead[0]); err != nil {
			return err
		}
	}
	if len(ids) < 10 {
		return nil
	}
	breeds := []string{"Merino", "MERINO", "Texel", "Suffolk", "texel"}
	tick := int(f.Elapsed()*60 + 0.5)
	if err := ecs.Set(w, ids[tick%len(ids)], Kind{Name: breeds[tick%len(breeds)]}); err != nil {
		return err
	}
	if tick%4 == 3 {
		return w.Destroy(ids[len(ids)-1])
	}
	return nil
}

// estate is a herd with the components above.
func estate(n int) roads.Subject {
	s := herd(n, system.Of[Rebreed]())
	plain := s.New
	s.New = func(pool *jobs.Pool) (*ecs.World, error) {
		w, err := plain(pool)
		if err != nil {
			return w, err
		}
		var mother ecs.Entity
		for i := range n {
			e := w.Spawn(Place{float64(i), 1}, Speed{1, 2}, Seen{}, Size{}, Kind{Name: []string{"Merino", "texel"}[i%2]}, Note{Lines: []string{"born", fmt.Sprint(i)}, About: mother},
				ecs.BufferOf(Friend{mother}), Grave{Kg: float64(i)}, ecs.PerChunk[Bounds]{})
			if i%10 == 0 {
				mother = e
			}
		}
		return w, nil
	}
	s.Arm = func(f func()) (disarm func()) {
		armed.Store(&f)
		return func() { armed.Store(nil) }
	}
	s.Snapshot = []snapshot.Option{snapshot.Codec(encodeNote, decodeNote)}
	s.Pack = []pack.Option{pack.Codec(encodeNote, decodeNote)}
	return s
}

// TestMethods sends a world down the roads whose values have methods and codecs.
func TestMethods(t *testing.T) {
	roads.Test(t, estate(40), roads.Options{Seed: 1, Programs: 6})
}

// TestSystems sends a fork on with systems of its own.
func TestSystems(t *testing.T) {
	s := herd(90)
	s.Systems = func(w *ecs.World) error {
		return system.AddSystems(w, system.Of[system.Simulation](), system.Of[system.EndSimulation](), system.Of[Walk](), system.Of[Breed](), system.Of[Look]())
	}
	roads.Test(t, s, roads.Options{Only: []string{"fork", "restore", "save", "twin", "panic"}, Seed: 4})
}
