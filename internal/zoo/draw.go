package zoo

import (
	"image"
	"image/color"
	"math"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

// Views is the singleton with the number of rows that the cameras saw in all frames, and with a hash of the pictures.
type Views struct {
	Rows, Batches int64
	Picture       uint64
}

// Dolly moves a camera to and fro, so that groups of levels come near and go away.
type Dolly struct{ Near, Step float32 }

// Step moves an entity in each fixed step.
type Step struct{ X float32 }

// Column names the lane.
func (Step) Column() (c []float32) { return }

// Column names the lanes.
func (Dolly) Column() (c struct{ Near, Step []float32 }) { return }

// assets returns the shapes and materials, which all zoos share.
var assets = sync.OnceValue(func() *render.Assets {
	a := render.NewAssets()
	a.Shape(render.Shape{Name: "fin", Positions: [][3]float32{{0, 1, 0}, {-0.4, -1, 0}, {0.4, -1, 0}}})
	a.Shape(render.Shape{Name: "card", Kind: render.Sprite})
	cells := image.NewRGBA(image.Rect(0, 0, 64, 24))
	a.Material(render.Material{Name: "coat", Color: color.NRGBA{200, 40, 30, 255}})
	a.Material(render.Material{Name: "letters", Image: cells, Columns: 16, Rows: 6, Blend: render.Over})
	return a
})

// drawing is the feature with everything that is drawn.
var drawing = Feature{
	Name:  "drawing",
	About: "cameras, levels of detail, labels, animated images, bounds, interpolated places",
	Types: listTypes(ecs.With[render.Look](), ecs.With[render.Tint](), ecs.With[render.Hidden](), ecs.With[render.Bounds](), ecs.With[render.WorldBounds](),
		ecs.With[ecs.PerChunk[render.ChunkBounds]](), ecs.With[render.Camera](), ecs.With[render.Levels](), ecs.With[render.Level](), ecs.With[render.Label](),
		ecs.With[render.Flipbook](), ecs.With[render.Previous](), ecs.With[render.Drawn](), ecs.With[Views](), ecs.With[Step](), ecs.With[Dolly]()),
	Give: func(_ *Keeper, animal int, e []any) []any {
		l := render.Look{Shape: render.ShapeNamed("fin"), Material: render.MaterialNamed("coat")}
		return append(e, l, render.Tint{Color: color.NRGBA{uint8(animal), 1, 2, 255}}, render.Hidden{}, render.Level{})
	},
	Link:  linkDrawn,
	Spawn: spawnDrawn,
	Install: func(k *Keeper) error {
		return render.Install(k.World, render.Options{Assets: assets(), Width: 64, Height: 48})
	},
	Systems: []*system.Type{system.Of[StepAll](), system.Of[Roll](), system.Of[Film](), system.Of[Hide]()},
	Plugins: []*system.Plugin{transform.Systems(), render.Systems()},
}

// linkDrawn shows most animals, and puts them into a group of levels.
func linkDrawn(k *Keeper, animal int) error {
	if animal == 0 {
		for range 2 {
			k.levels = append(k.levels, k.World.Spawn(transform.Translation{X: 3}, transform.LocalToWorld{}, render.Levels{Distances: [8]float32{15, 40}, Hysteresis: 0.5}))
		}
		outer := render.Levels{Distances: [8]float32{20}, Hysteresis: 0.25, Parent: render.Level{Group: k.levels[0], Max: 2}}
		if err := ecs.Set(k.World, k.levels[1], outer); err != nil {
			return err
		}
	}
	e := k.Animals[animal]
	if !ecs.Has[render.Level](k.World, e) {
		return nil
	}
	if err := ecs.SetEnabled[render.Hidden](k.World, e, animal%5 == 4); err != nil {
		return err
	}
	return ecs.Set(k.World, e, render.Level{Group: k.levels[animal%2], Max: 1 + uint8(animal%2)})
}

// spawnDrawn makes two cameras, texts, animated images, and entities that move in fixed steps.
func spawnDrawn(k *Keeper) error {
	w := k.World
	w.Spawn(render.Camera{Height: 30}, transform.Translation{X: cage / 2, Y: cage / 2}, transform.LocalToWorld{}, Sway{3}, transform.Rotation{W: 1})
	w.Spawn(render.Camera{FOV: 1, Far: 100, Order: 1, Sort: render.SortY, W: 0.5, Cut: 7}, transform.Translation{X: 5, Y: 5, Z: 30}, transform.LocalToWorld{}, Dolly{Near: 8, Step: 3})
	if _, err := ecs.CreateSingleton(w, Views{}); err != nil {
		return err
	}
	for i := range k.countFor(5, 50) {
		text, err := render.LabelOf(string(rune('a'+i%26))+" zoo", render.ASCII)
		if err != nil {
			return err
		}
		l := render.Look{Shape: render.ShapeNamed("card"), Material: render.MaterialNamed("letters")}
		w.Spawn(l, text, transform.Translation{Y: float32(i % 9)}, transform.LocalToWorld{})
		w.Spawn(l, render.Flipbook{Count: 5, Rate: 3}, transform.Translation{Z: float32(i % 9)}, transform.LocalToWorld{}, render.Bounds{HX: 1, HY: 1, HZ: 2})
		w.Spawn(l, Step{X: 0.25}, render.Previous{}, transform.Translation{X: float32(i % 9)}, transform.Rotation{W: 1}, transform.LocalToWorld{})
	}
	return nil
}

// StepAll moves and turns entities in fixed steps. In one tick of three they rest.
type StepAll struct {
	_ system.In[system.FixedStep]
	reader
	steps *ecs.Query
}

// Create makes the query.
func (s *StepAll) Create(u *system.Setup) error {
	s.steps = u.Query(ecs.Write[transform.Translation](), ecs.Write[transform.Rotation](), ecs.Write[Step]())
	return nil
}

// Update schedules the job.
func (s *StepAll) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%3 != 0 {
		f.ParallelFor(s.steps, s)
	}
	return nil
}

// Chunk is the job.
func (s *StepAll) Chunk(c *ecs.Chunk) {
	x, step := ecs.Column[transform.Translation](c).X, *ecs.Column[Step](c)
	r := ecs.Column[transform.Rotation](c)
	for i := range x {
		r.Z[i], r.W[i] = r.W[i], -r.Z[i]
		x[i] += step[i]
		if x[i] < 0 || x[i] > cage {
			step[i] = -step[i]
		}
	}
}

// Roll moves the cameras that have a Dolly.
type Roll struct {
	_ system.Before[transform.Group]
	reader
	cameras *ecs.Query
}

// Create makes the query.
func (s *Roll) Create(u *system.Setup) error {
	s.cameras = u.Query(ecs.Write[transform.Translation](), ecs.Read[Dolly]())
	return nil
}

// Update loops and writes.
func (s *Roll) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	for c := range s.cameras.Chunks() {
		z, d := ecs.Column[transform.Translation](c).Z, ecs.ReadColumn[Dolly](c)
		for i := range z {
			z[i] = d.Near[i] + float32(d.Step[i]*float32(min(s.Tick%16, 16-s.Tick%16)))
		}
	}
	return nil
}

// Film counts the rows that the cameras saw, and hashes the pictures.
type Film struct {
	_        system.Last[system.Presentation]
	_        system.After[render.DrawMeshes]
	views    *ecs.Query
	matrices [][16]float32
	tints    []color.NRGBA
	cells    []int32
}

// Create makes the query.
func (s *Film) Create(u *system.Setup) error {
	s.views = u.Query(ecs.Write[Views]())
	u.Require(s.views)
	return nil
}

// Update counts and hashes.
func (s *Film) Update(f *system.Frame) error {
	v, err := ecs.Singleton[Views](s.views)
	if err != nil {
		return err
	}
	now, err := s.picture(render.ViewsOf(f.World()))
	if err != nil {
		return err
	}
	return ecs.SetSingleton(s.views, Views{v.Rows + now.Rows, v.Batches + now.Batches, 31*v.Picture + now.Picture})
}

// picture returns the counts and the hash of all views of a frame.
func (s *Film) picture(views []*render.View) (v Views, err error) {
	for i, view := range views {
		v.Batches += int64(len(view.Batches) * (i + 1))
		for _, b := range view.Batches {
			v.Rows += int64(b.Count) * int64(i+1)
		}
		h, err := s.hash(view)
		if err != nil {
			return v, err
		}
		v.Picture = 31*v.Picture + h
	}
	return v, nil
}

// hash returns a hash of the rows that a view has, with their matrices, tints and cells.
func (s *Film) hash(view *render.View) (h uint64, err error) {
	n := view.Seen
	s.matrices, s.tints, s.cells = slices.Grow(s.matrices[:0], n)[:n], slices.Grow(s.tints[:0], n)[:n], slices.Grow(s.cells[:0], n)[:n]
	if err := view.Gather(s.matrices, s.tints, s.cells); err != nil {
		return 0, err
	}
	for i, m := range s.matrices {
		t := s.tints[i]
		h = (h ^ uint64(t.R)<<24 ^ uint64(t.G)<<16 ^ uint64(t.B)<<8 ^ uint64(t.A) ^ uint64(s.cells[i])<<32) * 1099511628211
		for _, x := range [...]float32{m[0], m[5], m[10], m[12], m[13], m[14]} {
			h = (h ^ uint64(math.Float32bits(x))) * 1099511628211
		}
	}
	return h, nil
}

// Hide hides animals and shows them again, and switches a camera.
type Hide struct {
	reader
	hidden, cameras *ecs.Query
}

// Create makes the queries.
func (s *Hide) Create(u *system.Setup) error {
	s.hidden = u.Query(ecs.Write[render.Hidden](), ecs.Read[ID](), ecs.IgnoreEnabled())
	s.cameras = u.Query(ecs.Write[render.Camera](), ecs.IgnoreEnabled())
	return nil
}

// Update loops and writes.
func (s *Hide) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	if s.Tick%4 != 0 {
		return nil
	}
	for c := range s.hidden.Chunks() {
		for i, id := range *ecs.ReadColumn[ID](c) {
			if s.isDrawn(streamDraw, id, 3) {
				ecs.SetEnabledAt[render.Hidden](c, i, !ecs.EnabledAt[render.Hidden](c, i))
			}
		}
	}
	for c := range s.cameras.Chunks() {
		ecs.SetEnabledAt[render.Camera](c, c.Len()-1, s.Tick%8 == 0)
	}
	return nil
}
