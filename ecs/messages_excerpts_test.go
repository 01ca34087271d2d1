package ecs

import (
	"errors"
	"reflect"

	"github.com/lanewise/lanewise/ecs/blob"
)

// misuseExcerpts makes mistakes with excerpts: it copies entities that cannot be copied, and inserts invalid bytes.
func (c *collector) misuseExcerpts() {
	type loaded struct{ B blob.Ref[int32] }
	w := newWorld(c.t, 1)
	a, b := w.Spawn(A{1}), w.Spawn(Ref{})
	must(c.t, Set(w, b, Ref{To: a}))
	var x Excerpt
	c.err(x.DestroySource())
	c.err(x.Extract(nil, nil, nil))
	c.err(x.Extract(w, []Entity{a, a}, nil))
	c.err(x.Extract(w, []Entity{{9, 9}}, nil))
	stays := errors.New("it stays")
	c.err(x.Extract(w, []Entity{b}, func(Entity) (uint64, error) { return 0, stays }))
	ref := blob.New(func(_ *blob.Builder, root *int32) { *root = 5 })
	c.t.Cleanup(func() { must(c.t, ref.Dispose()) })
	e := w.Spawn(loaded{ref})
	c.err(x.Extract(w, []Entity{e}, nil))
	must(c.t, x.Extract(w, []Entity{b}, func(Entity) (uint64, error) { return 7, nil }))
	to := newWorld(c.t, 1)
	collectError[[]Entity](c)(x.Insert(nil, nil))
	collectError[[]Entity](c)(x.Insert(to, func(uint64) (Entity, error) { return Entity{}, stays }))
	collectError[[]Entity](c)(x.Insert(to, func(uint64) (Entity, error) { return Entity{3, 3}, nil }))
	must(c.t, w.Destroy(b))
	c.err(x.DestroySource())
	must(c.t, x.Extract(w, []Entity{a}, nil))
	must(c.t, Restore(w, mustCapture(c.t, w, nil)))
	c.err(x.DestroySource())
	must(c.t, x.Extract(w, []Entity{w.Spawn(heard{N: 1, held: &map[int]int{}})}, nil))
	trap.calls, trap.at = 0, 1
	must(c.t, x.DestroySource())
	trap.at = 0
	c.err(w.Sync().(interface{ Unwrap() []error }).Unwrap()[0])
	collectError[*ExcerptPart](c)(x.AddPart(nil, 1))
	one := func(n int, fill func(p *ExcerptPart), types ...reflect.Type) {
		x.Reset(n)
		p, err := x.AddPart(types, n)
		if err != nil {
			c.err(err)
			return
		}
		for i := range p.Places {
			p.Places[i] = int32(i)
		}
		fill(p)
		collectError[[]Entity](c)(x.Insert(to, nil))
	}
	none := func(*ExcerptPart) {}
	one(1, none, reflect.TypeFor[*A]())
	one(0, none, reflect.TypeFor[A]())
	one(1, none, reflect.TypeFor[A](), reflect.TypeFor[A]())
	one(1, none, reflect.TypeFor[cleanupEntity]())
	one(1, none, reflect.TypeFor[ChunkHeader]())
	one(2, func(p *ExcerptPart) { p.Places[1] = 0 }, reflect.TypeFor[A]())
	one(1, func(p *ExcerptPart) { p.Columns = nil }, reflect.TypeFor[A]())
	one(1, func(p *ExcerptPart) { p.Columns[0].Component = ComponentType{} }, reflect.TypeFor[A]())
	one(1, func(*ExcerptPart) { x.Reset(1) }, reflect.TypeFor[A]())
	one(1, func(*ExcerptPart) { x.Names = make([]string, 2) }, reflect.TypeFor[A]())
	one(1, func(p *ExcerptPart) { p.Columns[0].On[0] = 3 }, reflect.TypeFor[En]())
	one(1, func(p *ExcerptPart) { p.Columns[0].Value = 1 }, reflect.TypeFor[Sh]())
	one(1, func(p *ExcerptPart) { p.Columns[0].Value = []Obj{} }, reflect.TypeFor[Obj]())
	one(1, func(p *ExcerptPart) { p.Columns[0].Counts[0] = -1 }, reflect.TypeFor[Buf]())
	one(1, func(p *ExcerptPart) { p.Columns[0].Counts[0] = 1 }, reflect.TypeFor[Buf]())
	one(1, func(p *ExcerptPart) { p.Columns[0].Lanes[0] = nil }, reflect.TypeFor[A]())
	one(1, func(p *ExcerptPart) { p.Columns[0].Lanes[1][0] = 9 }, reflect.TypeFor[Ref]())
}

// rowSets creates row sets with types that are not valid as columns or keys.
func (c *collector) rowSets() {
	type yes struct{ B bool }
	w := newWorld(c.t, 1)
	e, other := w.Spawn(A{1}, yes{}), w.Spawn(A{2})
	collectError[[]byte](c)((&RowSet{}).Gather(nil, nil))
	collectError[*RowSet](c)(NewRowSet(nil))
	collectError[*RowSet](c)(NewRowSet(w, reflect.TypeFor[Sh]()))
	collectError[*RowSet](c)(NewRowSet(w, reflect.TypeFor[Ref]()))
	collectError[*RowSet](c)(NewRowSet(w, reflect.TypeFor[A](), reflect.TypeFor[A]()))
	s, err := NewRowSet(w, reflect.TypeFor[yes]())
	must(c.t, err)
	collectError[[]byte](c)(s.Gather(nil, []Entity{other}))
	collectError[[]byte](c)(s.Gather(nil, []Entity{{9, 9}}))
	c.err(s.Scatter([]Entity{e}, nil))
	c.err(s.Scatter([]Entity{e}, []byte{2}))
	q := w.Query(With[A]())
	collectError[uint64](c)((*Query)(nil).HashRows(reflect.TypeFor[A]()))
	collectError[uint64](c)(q.HashRows(reflect.TypeFor[Sh]()))
	collectError[uint64](c)(q.HashRows(reflect.TypeFor[yes]()))
	collectError[uint64](c)(q.HashRows(reflect.TypeFor[Link]()))
	collectError[uint64](c)(q.HashRows(reflect.TypeFor[A](), reflect.TypeFor[A]()))
}
