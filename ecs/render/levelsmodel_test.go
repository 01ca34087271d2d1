package render

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// A random world with levels must be shown as a simple model says, for any number of workers. The
// model remembers the level of each camera and group.
func TestLevelsModel(t *testing.T) {
	seeds, frames := 3, 10
	if *full {
		seeds, frames = 20, 60
	}
	for seed := range seeds {
		var first uint64
		for _, workers := range []int{1, 2, 3, 8, 64} {
			if workers > 2 && seed != 0 && !*full {
				continue
			}
			t.Run(fmt.Sprintf("seed=%d/workers=%d", seed, workers), func(t *testing.T) {
				s := newStage(t, onWorkers(t, workers))
				p := &throng{stage: s, Rand: rand.New(rand.NewPCG(uint64(seed), 5)), memory: map[[2]ecs.Entity]int{}}
				p.start()
				digest := uint64(0)
				for k := range frames {
					if k > 0 {
						p.change()
					}
					err := system.Update(s.w)
					if err != nil && !errors.Is(err, ecs.ErrState) {
						t.Fatal(err)
					}
					p.compare(k)
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

// throng is a world of groups, their rows and cameras, with a simple model.
type throng struct {
	*stage
	*rand.Rand
	groups, rows, cameras []ecs.Entity
	memory                map[[2]ecs.Entity]int // level for a camera and a group
	cuts                  map[ecs.Entity]uint32
}

func (p *throng) any(list []ecs.Entity) ecs.Entity { return list[p.IntN(len(list))] }

func (p *throng) place() transform.LocalToWorld {
	return matrixAt(float32(p.IntN(60)), float32(p.IntN(60)), float32(p.IntN(60)))
}

func (p *throng) levels() Levels {
	l := Levels{Hysteresis: float32(p.IntN(4)) / 4}
	d := float32(0)
	for k := range p.IntN(9) {
		d += float32(p.IntN(20)) - 1
		l.Distances[k] = d
	}
	if p.IntN(3) == 0 && len(p.groups) > 0 {
		l.Parent = p.level()
	}
	return l
}

func (p *throng) level() Level {
	return Level{Group: p.any(p.groups), Min: uint8(p.IntN(4)), Max: uint8(p.IntN(6))}
}

func (p *throng) view() Camera {
	c := Camera{FOV: 1 + p.Float32(), LevelBias: float32(p.IntN(3)) / 2}
	if p.IntN(4) == 0 {
		c.FOV, c.Height = 0, float32(p.IntN(100))
	}
	return c
}

func (p *throng) start() {
	p.cuts = map[ecs.Entity]uint32{}
	for range 300 {
		p.groups = append(p.groups, p.w.Spawn(p.levels(), p.place()))
	}
	for k := range 500 {
		values := []any{square, p.place(), p.level()}
		if k%3 == 0 {
			values = append(values, Tint{})
		}
		if k%5 == 0 {
			values = append(values, Hidden{})
		}
		p.rows = append(p.rows, p.w.Spawn(values...))
	}
	for range 3 {
		p.cameras = append(p.cameras, p.w.Spawn(p.view(), p.place()))
	}
}

func (p *throng) change() {
	for range p.IntN(12) {
		switch p.IntN(10) {
		case 0, 1:
			p.ok(ecs.Set(p.w, p.any(p.cameras), p.place()))
		case 2:
			e := p.any(p.cameras)
			c := must(ecs.Get[Camera](p.w, e))
			v := p.view()
			v.Cut = c.Cut + uint32(p.IntN(2))
			p.ok(ecs.Set(p.w, e, v))
		case 3:
			p.ok(ecs.Set(p.w, p.any(p.groups), p.place()))
		case 4:
			p.ok(ecs.Set(p.w, p.any(p.groups), p.levels()))
		case 5:
			p.ok(ecs.Set(p.w, p.any(p.rows), p.level()))
		case 6:
			k := p.IntN(len(p.groups))
			p.ok(p.w.Destroy(p.groups[k]))
			p.groups = slices.Delete(p.groups, k, k+1)
		case 7:
			for range p.IntN(300) {
				p.groups = append(p.groups, p.w.Spawn(p.levels(), p.place()))
			}
		case 8:
			e := p.any(p.rows)
			if ecs.Has[Hidden](p.w, e) {
				p.ok(ecs.SetEnabled[Hidden](p.w, e, p.IntN(2) == 0))
			}
		case 9:
			p.ok(ecs.Set(p.w, p.any(p.rows), p.place()))
		}
	}
}

// levelAt returns the level of a group for a camera, or -1 if there is none.
func (p *throng) levelAt(camera, group ecs.Entity) int {
	l, err := ecs.Get[Levels](p.w, group)
	if err != nil {
		return -1
	}
	c, place := must(ecs.Get[Camera](p.w, camera)), must(ecs.Get[transform.LocalToWorld](p.w, camera))
	m := must(ecs.Get[transform.LocalToWorld](p.w, group))
	d := c.Height
	if c.FOV > 0 {
		x, y, z := m.M[12]-place.M[12], m.M[13]-place.M[13], m.M[14]-place.M[14]
		d = float32(math.Sqrt(float64((float32(x*x) + float32(y*y)) + float32(z*z))))
	} else if d == 0 {
		d = 2
	}
	if c.LevelBias != 0 {
		d *= c.LevelBias
	}
	n, last := 0, float32(0)
	for n < 8 && l.Distances[n] > last {
		last = l.Distances[n]
		n++
	}
	level, known := p.memory[[2]ecs.Entity{camera, group}]
	if !known {
		level = 0
		for level < n && d >= l.Distances[level] {
			level++
		}
		return level
	}
	for level > n || level > 0 && d < l.Distances[level-1] {
		level--
	}
	for {
		next := level
		for k := level; k < n; k++ { // over several levels at once
			if d >= l.Distances[k]*(1+l.Hysteresis) {
				next = k + 1
			}
		}
		if next == level {
			return level
		}
		level = next
	}
}

func (p *throng) compare(frame int) {
	p.Helper()
	for _, v := range ViewsOf(p.w) {
		if c := must(ecs.Get[Camera](p.w, v.Entity)); p.cuts[v.Entity] != c.Cut {
			p.cuts[v.Entity] = c.Cut
			for k := range p.memory {
				if k[0] == v.Entity {
					delete(p.memory, k)
				}
			}
		}
		levels := map[ecs.Entity]int{}
		for _, g := range p.groups {
			levels[g] = p.levelAt(v.Entity, g)
			p.memory[[2]ecs.Entity{v.Entity, g}] = levels[g]
		}
		in := func(l Level) bool {
			for range 300 {
				hi := int(l.Max)
				if hi == 0 {
					hi = int(l.Min) + 1
				}
				level, ok := levels[l.Group]
				if !ok || level < int(l.Min) || level >= hi {
					return false
				}
				if l = must(ecs.Get[Levels](p.w, l.Group)).Parent; l.Group.IsZero() {
					return true
				}
			}
			return false
		}
		port := v.Viewport
		planes, n := v.Camera.Planes(&v.Place, float32(port.Dx())/float32(port.Dy()))
		var want, got []ecs.Entity
		for _, e := range p.rows {
			hidden, err := ecs.Enabled[Hidden](p.w, e)
			m := must(ecs.Get[transform.LocalToWorld](p.w, e))
			box, ok := worldBox(&m.M, Bounds{HX: 1, HY: 1})
			if ok && (err != nil || !hidden) && isInside(planes[:n], box) && in(must(ecs.Get[Level](p.w, e))) {
				want = append(want, e)
			}
		}
		for i := range v.Batches {
			for part := range v.Batches[i].Parts() {
				k := 0
				for r, e := range part.Entities {
					if part.Mask[r/64]>>(r%64)&1 != 0 {
						got = append(got, e)
						k++
					}
				}
				if k != part.Count {
					p.Fatalf("frame %d: a part counts %d, its mask %d", frame, part.Count, k)
				}
			}
		}
		slices.SortFunc(got, ecs.Entity.Compare)
		slices.SortFunc(want, ecs.Entity.Compare)
		if !equal(got, want) || v.Seen != len(want) {
			p.Fatalf("frame %d: camera %v: drawn %d %v, want %d %v", frame, v.Entity, v.Seen, got, len(want), want)
		}
	}
}
