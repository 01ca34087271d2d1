package zoo

import (
	"fmt"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/blob"
	"github.com/lanewise/lanewise/ecs/system"
)

// Route is the content of a blob.
type Route struct {
	Name  blob.String
	Steps blob.Array[float32]
	Far   blob.Ptr[float32]
}

// Guide refers to a blob and to a position in the blob.
type Guide struct {
	Route blob.Ref[Route]
	At    int32
	Sum   float32
}

// Column names the lanes.
func (Guide) Column() (c struct {
	Route []blob.Ref[Route]
	At    []int32
	Sum   []float32
}) {
	return
}

// routes returns the blobs, which the process makes once: no world owns a blob.
var routes = sync.OnceValue(func() (list [2]blob.Ref[Route]) {
	for k := range list {
		list[k] = blob.New(func(b *blob.Builder, r *Route) {
			r.Name.Set(b, fmt.Sprint("route ", k))
			steps := r.Steps.Make(b, 5+2*k)
			for i := range steps {
				steps[i] = float32(i*i+k) / 4
			}
			r.Far.Set(b, &steps[len(steps)-1])
		})
	}
	return list
})

var blobs = Feature{
	Name:  "blobs",
	About: "references to blobs",
	Types: listTypes(ecs.With[Guide]()),
	Give: func(_ *Keeper, animal int, e []any) []any {
		v := Guide{At: int32(animal % 3)}
		if animal%4 != 3 {
			v.Route = routes()[animal%2]
		}
		return append(e, v)
	},
	Systems: []*system.Type{system.Of[Walk]()},
}

// Walk schedules a job that reads blobs. It first checks that values which share a blob still share it.
type Walk struct {
	guides *ecs.Query
	seen   []blob.Ref[Route]
}

// Create makes the query.
func (s *Walk) Create(u *system.Setup) error {
	s.guides = u.Query(ecs.Write[Guide]())
	return nil
}

// Update schedules the job.
func (s *Walk) Update(f *system.Frame) error {
	s.seen = s.seen[:0]
	for c := range s.guides.Chunks() {
		for _, ref := range ecs.ReadColumn[Guide](c).Route {
			if ref != (blob.Ref[Route]{}) && !slices.Contains(s.seen, ref) {
				s.seen = append(s.seen, ref)
			}
		}
	}
	if len(s.seen) > len(routes()) {
		return fmt.Errorf("zoo: Walk: the world has %d blobs, and %d are enough for its values", len(s.seen), len(routes()))
	}
	f.ParallelFor(s.guides, s)
	return nil
}

// Chunk is the job.
func (s *Walk) Chunk(c *ecs.Chunk) {
	g := ecs.Column[Guide](c)
	for i, ref := range g.Route {
		if ref == (blob.Ref[Route]{}) {
			g.Sum[i]--
			continue
		}
		r := ref.Get()
		g.At[i] = (g.At[i] + 1) % int32(r.Steps.Len())
		g.Sum[i] = float32(g.Sum[i]*0.5) + *r.Steps.At(int(g.At[i])) + *r.Far.Get() + float32(r.Name.Len())
	}
}
