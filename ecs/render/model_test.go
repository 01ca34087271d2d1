package render

import (
	"cmp"
	"flag"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

var full = flag.Bool("lanewise.full", false, "try many more worlds")

// wanted is a batch of the simple model.
type wanted struct {
	look     Look
	entities []ecs.Entity
	matrices [][16]float32
	tints    []color.NRGBA
}

// model returns the view of a camera by looking at every entity. Of the culling data it uses only the
// order of the chunks.
func (s *stage) model(camera ecs.Entity) (list []wanted, seen, culled int) {
	w := s.w
	eye := must(ecs.Get[Camera](w, camera))
	place := transform.LocalToWorld{M: transform.IdentityMatrix[float32]()}
	if ecs.Has[transform.LocalToWorld](w, camera) {
		place = must(ecs.Get[transform.LocalToWorld](w, camera))
	}
	port := eye.viewport(s.pen.width, s.pen.height)
	aspect := float32(port.Dx()) / float32(port.Dy())
	planes, n := eye.Planes(&place.M, aspect)
	type row struct {
		e      ecs.Entity
		look   Look
		blend  Blend
		at     int
		matrix [16]float32
		tint   color.NRGBA
		key    float32
	}
	var rows []row
	q := w.Scheduler().Query("model", ecs.With[Look](), ecs.With[transform.LocalToWorld](), ecs.With[WorldBounds](), ecs.IgnoreEnabled())
	defer q.Close()
	for i, e := range q.AppendEntities(nil) {
		m, b := must(ecs.Get[transform.LocalToWorld](w, e)), must(ecs.Get[Bounds](w, e))
		r := row{e: e, at: i, matrix: m.M, tint: white}
		for c := range q.Chunks() {
			if slices.Contains(c.Entities(), e) {
				r.look = ecs.SharedValue[Look](c)
			}
		}
		shape, material := s.assets.FindShape(r.look.Shape), s.assets.FindMaterial(r.look.Material)
		layers := eye.Layers
		if layers == 0 {
			layers = math.MaxUint32
		}
		if shape == nil || material == nil || layers>>r.look.Layer&1 == 0 || !(b.HX >= 0 && b.HY >= 0 && b.HZ >= 0) {
			continue
		}
		if ecs.Has[Hidden](w, e) && must(ecs.Enabled[Hidden](w, e)) {
			continue
		}
		box, ok := worldBox(&m.M, b)
		if !ok {
			continue
		}
		if !isInside(planes[:n], box) {
			culled++
			continue
		}
		seen++
		if ecs.Has[Tint](w, e) {
			r.tint = must(ecs.Get[Tint](w, e)).Color
		}
		r.blend = material.Blend
		if r.blend != Opaque && eye.Sort != SortNone {
			d := eye.depthCoefficients(&place.M)
			if eye.Sort == SortY {
				d = eye.heightCoefficients(&place.M)
			}
			r.key = ((float32(float32(d[0])*m.M[12]) + float32(float32(d[1])*m.M[13])) + float32(float32(d[2])*m.M[14])) + float32(d[3])
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		opaque := func(r row) int { return min(int(r.blend), 1) }
		if c := cmp.Or(cmp.Compare(a.look.Layer, b.look.Layer), cmp.Compare(opaque(a), opaque(b))); c != 0 {
			return c
		}
		if a.blend != Opaque && eye.Sort != SortNone {
			return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.at, b.at))
		}
		return cmp.Or(cmp.Compare(a.look.Material, b.look.Material), cmp.Compare(a.look.Shape, b.look.Shape), cmp.Compare(a.at, b.at))
	})
	for i, r := range rows {
		if i == 0 || rows[i-1].look != r.look {
			list = append(list, wanted{look: r.look})
		}
		l := &list[len(list)-1]
		l.entities, l.matrices, l.tints = append(l.entities, r.e), append(l.matrices, r.matrix), append(l.tints, r.tint)
	}
	return list, seen, culled
}

// worldBox returns the box of a transformed box, by the formula.
func worldBox(m *[16]float32, b Bounds) (box kernels.Box[float32], ok bool) {
	at := func(k int) float32 {
		return ((float32(m[k]*b.X) + float32(m[4+k]*b.Y)) + float32(m[8+k]*b.Z)) + m[12+k]
	}
	size := func(k int) float32 {
		return (float32(abs(m[k])*b.HX) + float32(abs(m[4+k])*b.HY)) + float32(abs(m[8+k])*b.HZ)
	}
	box = kernels.Box[float32]{X: at(0), Y: at(1), Z: at(2), HX: size(0), HY: size(1), HZ: size(2)}
	if !finite(box.X) || !finite(box.Y) || !finite(box.Z) {
		return box, false
	}
	if !finite(box.HX) || !finite(box.HY) || !finite(box.HZ) || !finite(b.HX) || !finite(b.HY) || !finite(b.HZ) {
		box = kernels.Box[float32]{HX: math.MaxFloat32, HY: math.MaxFloat32, HZ: math.MaxFloat32}
	}
	return box, true
}

// isInside tests a row.
func isInside(planes []kernels.Plane[float32], b kernels.Box[float32]) bool {
	for _, p := range planes {
		d := ((float32(p.X*b.X) + float32(p.Y*b.Y)) + float32(p.Z*b.Z)) + p.D
		r := (float32(abs(p.X)*b.HX) + float32(abs(p.Y)*b.HY)) + float32(abs(p.Z)*b.HZ)
		if !(d+r >= 0) {
			return false
		}
	}
	return true
}

// compare compares the views of the world with the model.
func (s *stage) compare(when string) {
	s.Helper()
	for _, v := range ViewsOf(s.w) {
		want, seen, culled := s.model(v.Entity)
		if v.Seen != seen || v.Culled != culled || len(v.Batches) != len(want) {
			s.Fatalf("%s: camera %v: seen %d, culled %d in %d batches; want %d, %d, %d", when, v.Entity, v.Seen, v.Culled, len(v.Batches), seen, culled, len(want))
		}
		all, colours := make([][16]float32, seen), make([]color.NRGBA, seen)
		s.ok(v.Gather(all, colours, nil))
		for i := range want {
			b := &v.Batches[i]
			var got wanted
			got.look = b.Look
			for p := range b.Parts() {
				n := 0
				for k, e := range p.Entities {
					if p.Mask[k/64]>>(k%64)&1 == 0 {
						continue
					}
					n++
					tint := white
					if p.Tints != nil {
						tint = p.Tints[k]
					}
					got.entities, got.matrices, got.tints = append(got.entities, e), append(got.matrices, p.Matrices[k]), append(got.tints, tint)
				}
				if n != p.Count {
					s.Fatalf("%s: camera %v, batch %d: a part counts %d, its mask %d", when, v.Entity, i, p.Count, n)
				}
			}
			dst, tints := make([][16]float32, b.Count+1), make([]color.NRGBA, b.Count+1)
			s.ok(b.Gather(dst, tints, nil))
			w := &want[i]
			switch {
			case got.look != w.look || b.Shape.Name == "" || ShapeNamed(b.Shape.Name) != w.look.Shape || MaterialNamed(b.Material.Name) != w.look.Material:
				s.Fatalf("%s: camera %v, batch %d: looks like %v, want %v", when, v.Entity, i, got.look, w.look)
			case !equal(got.entities, w.entities):
				s.Fatalf("%s: camera %v, batch %d of %v: %v, want %v", when, v.Entity, i, w.look, got.entities, w.entities)
			case !sameMatrices(got.matrices, w.matrices) || !equal(got.tints, w.tints):
				s.Fatalf("%s: camera %v, batch %d of %v: other matrices or tints than the entities have", when, v.Entity, i, w.look)
			case b.Count != len(w.entities) || !sameMatrices(dst[:b.Count], w.matrices) || !equal(tints[:b.Count], w.tints) || dst[b.Count] != [16]float32{},
				!sameMatrices(all[b.First:b.First+b.Count], w.matrices), !equal(colours[b.First:b.First+b.Count], w.tints):
				s.Fatalf("%s: camera %v, batch %d of %v: Gather gives other rows than Parts", when, v.Entity, i, w.look)
			}
		}
	}
}

// sameMatrices compares matrices bit for bit.
func sameMatrices(a, b [][16]float32) bool {
	return slices.EqualFunc(a, b, func(x, y [16]float32) bool {
		for k := range x {
			if math.Float32bits(x[k]) != math.Float32bits(y[k]) {
				return false
			}
		}
		return true
	})
}

// The test changes a random world in each frame. The world must show what the simple model says, for
// any number of workers.
//
// Conformance: 414
// Conformance: 427
// Conformance: 430
func TestModel(t *testing.T) {
	seeds, frames := 6, 12
	if checked {
		seeds, frames = 2, 6
	}
	if *full {
		seeds, frames = 12, 60
	}
	for seed := range seeds {
		var first uint64
		for _, workers := range []int{1, 2, 3, 8, 64} {
			if workers != 1 && workers != 2 && seed%4 != 0 && !*full {
				continue
			}
			t.Run(fmt.Sprintf("seed=%d/workers=%d", seed, workers), func(t *testing.T) {
				s := newStage(t, onWorkers(t, workers))
				r := &play{stage: s, Rand: rand.New(rand.NewPCG(uint64(seed), 4))}
				r.start()
				digest := uint64(0)
				for k := range frames {
					if k > 0 {
						r.change()
					}
					s.frame()
					s.compare(fmt.Sprintf("frame %d", k))
					digest = digest*31 + s.digest()
				}
				if digest += s.w.Hash(); workers == 1 {
					first = digest
				} else if digest != first {
					t.Errorf("%d workers draw something else than one", workers)
				}
			})
		}
	}
}

// digest returns a hash of the contents of the views.
func (s *stage) digest() (h uint64) {
	add := func(v uint64) { h = (h ^ v) * 0x100000001b3 }
	for _, v := range ViewsOf(s.w) {
		add(uint64(v.Entity.Index))
		for i := range v.Batches {
			b := &v.Batches[i]
			add(uint64(b.Look.Shape) + uint64(b.Look.Material) + uint64(b.Look.Layer))
			for p := range b.Parts() {
				for k, e := range p.Entities {
					if p.Mask[k/64]>>(k%64)&1 != 0 {
						add(uint64(e.Index))
						for _, x := range p.Matrices[k] {
							add(uint64(math.Float32bits(x)))
						}
					}
				}
			}
		}
	}
	return h
}

// play makes random changes to a world.
type play struct {
	*stage
	*rand.Rand
	things  []ecs.Entity
	cameras []ecs.Entity
}

func (p *play) look() Look {
	shapes, materials := []string{"square", "sprite", "square", "unknown"}, []string{"red", "glass", "red", "smoke"}
	k := p.IntN(20)
	l := Look{Shape: ShapeNamed(shapes[k%3]), Material: MaterialNamed(materials[p.IntN(4)]), Layer: int32(p.IntN(3))}
	return l
}

func (p *play) num(size float32) float32 { return (p.Float32()*2 - 1) * size }

func (p *play) move() transform.LocalTransform {
	l := transform.At(p.num(40), p.num(40), p.num(40))
	switch p.IntN(12) {
	case 0:
		l.Scale = 0
	case 1:
		l.Scale = -p.Float32() * 3
	case 2:
		l.X = float32(math.NaN())
	case 3:
		l.X = float32(math.Inf(1))
	case 4:
		l.Scale = 1e30
	}
	return l
}

func (p *play) spawn(n int) {
	look := p.look()
	for range n {
		values := []any{look, p.move(), transform.LocalToWorld{}}
		switch p.IntN(8) {
		case 0:
			values = append(values, Hidden{})
		case 1:
			values = append(values, Tint{color.NRGBA{uint8(p.IntN(256)), 1, 2, 3}})
		case 2:
			h := []float32{-1, 0, 1, float32(math.Inf(1)), float32(math.NaN()), 1e38}
			values = append(values, Bounds{p.num(2), p.num(2), p.num(2), h[p.IntN(6)], h[p.IntN(6)], h[p.IntN(6)]})
		}
		p.things = append(p.things, p.w.Spawn(values...))
	}
}

func (p *play) camera() Camera {
	c := Camera{Height: 10 + p.Float32()*60, Layers: uint32(p.IntN(8)), Order: int32(p.IntN(3)), Sort: Sort(p.IntN(3))}
	switch p.IntN(3) {
	case 0:
		c.FOV = 0.5 + p.Float32()
	case 1:
		c.Near, c.Far = -20, 20
	}
	return c
}

func (p *play) start() {
	p.assets.Material(Material{Name: "smoke", Blend: Add})
	for range 10 {
		p.spawn(1 + p.IntN(60))
	}
	for range 3 {
		p.cameras = append(p.cameras, p.w.Spawn(p.camera(), transform.At[float32](0, 0, 30), transform.LocalToWorld{}))
	}
	p.cameras = append(p.cameras, p.w.Spawn(Camera{}))
}

// change makes some changes to the world.
func (p *play) change() {
	for range p.IntN(4) {
		e := p.things[p.IntN(len(p.things))]
		switch p.IntN(11) {
		case 0, 1:
			p.ok(ecs.Set(p.w, e, p.move()))
		case 2:
			p.ok(ecs.Add(p.w, e, Hidden{}))
		case 3:
			if ecs.Has[Hidden](p.w, e) {
				p.ok(ecs.SetEnabled[Hidden](p.w, e, p.IntN(2) == 0))
			}
		case 4:
			p.ok(ecs.Add(p.w, e, p.look()))
		case 5:
			p.ok(ecs.Add(p.w, e, Tint{color.NRGBA{R: uint8(p.IntN(256))}}))
		case 6:
			p.spawn(1 + p.IntN(20))
		case 7:
			if len(p.things) > 100 {
				k := p.IntN(len(p.things))
				p.ok(p.w.Destroy(p.things[k]))
				p.things = slices.Delete(p.things, k, k+1)
			}
		case 8:
			p.ok(p.w.SetActive(e, p.IntN(2) == 0))
		case 9:
			c := p.cameras[p.IntN(3)]
			l := transform.At(p.num(20), p.num(20), 30+p.num(5))
			p.ok(ecs.Set(p.w, c, l))
		case 10:
			c := p.cameras[p.IntN(len(p.cameras))]
			p.ok(ecs.Set(p.w, c, p.camera()))
		}
	}
	if p.IntN(6) == 0 { // all entities of a look
		q := p.w.Query(ecs.Write[transform.LocalTransform](), ecs.With[Look]())
		for c := range q.Chunks() {
			if p.IntN(3) == 0 {
				x := ecs.Column[transform.LocalTransform](c).X
				for i := range x {
					x[i]++
				}
			}
		}
	}
	if p.IntN(6) == 0 { // whole chunks get another look
		q := p.w.Query(ecs.WithShared(p.look()))
		p.ok(ecs.AddAll(p.w, ecs.Matching(q), p.look()))
		q.Close()
	}
}
