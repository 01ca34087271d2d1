package golden

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/check"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// newKeptWorld creates a world with most kinds of components, and two images of the world. The world
// changes between the images.
func newKeptWorld(t *testing.T, pool *jobs.Pool) (before, after *ecs.Image) {
	w := ecs.NewWorld("golden", ecs.OnPool(pool))
	t.Cleanup(func() { ok(t, w.Close()) })
	d := draw(11)
	var ids []ecs.Entity
	for i := range 3_000 {
		e := w.Spawn(position{number[float32](&d), number[float32](&d), float32(i)}, velocity{Y: number[float64](&d)})
		switch ids = append(ids, e); d.intBelow(6) {
		case 0:
			ok(t, ecs.Add(w, e, look{Name: string(rune('a' + d.intBelow(3)))}))
		case 1:
			ok(t, ecs.Add(w, e, mixed{int8(d.next()), int64(d.next()), ids[d.intBelow(len(ids))]}))
		case 2:
			ok(t, ecs.Add(w, e, ecs.BufferOf(make([]stop, d.intBelow(9))...)))
		case 3:
			ok(t, ecs.Add(w, e, alert{Level: int32(i)}))
			ok(t, ecs.SetEnabled[alert](w, e, i%2 == 0))
		}
	}
	capture := func(before *ecs.Image) *ecs.Image {
		m, err := ecs.Capture(w, before)
		ok(t, err)
		return m
	}
	before = capture(nil)
	for i := range 60 {
		e := ids[d.intBelow(2_500)]
		ok(t, ecs.Set(w, e, position{Z: number[float32](&d)}))
		if i%9 == 0 {
			ok(t, w.Destroy(ids[2_500+i]))
			w.Spawn(mixed{Large: math.MinInt64, Link: e})
		}
	}
	return before, capture(before)
}

// imageBytes returns the bytes of an image.
func imageBytes(t *testing.T, m *ecs.Image, pool *jobs.Pool) []byte {
	var b bytes.Buffer
	_, err := snapshot.Write(&b, m, snapshot.OnPool(pool))
	ok(t, err)
	return b.Bytes()
}

// snapshotRow writes images and the changes between them. It reads all of these and writes them again.
func snapshotRow(t *testing.T, pool *jobs.Pool) uint64 {
	before, after := newKeptWorld(t, pool)
	s := newSum()
	var delta bytes.Buffer
	_, err := snapshot.Delta(&delta, before, after, snapshot.OnPool(pool))
	ok(t, err)
	s.Write(delta.Bytes())
	file := imageBytes(t, before, pool)
	read, err := snapshot.Read(bytes.NewReader(file), snapshot.OnPool(pool))
	ok(t, err)
	later, err := snapshot.Apply(&delta, read, snapshot.OnPool(pool))
	ok(t, err)
	for _, m := range []*ecs.Image{read, later} {
		s.Write(imageBytes(t, m, pool))
		s.add(m.Hash())
	}
	if !bytes.Equal(imageBytes(t, read, pool), file) || later.Hash() != after.Hash() {
		t.Error("what was read is something else")
	}
	return s.Sum64()
}

// untypedRow reads a snapshot without its Go types.
func untypedRow(t *testing.T, pool *jobs.Pool) uint64 {
	before, _ := newKeptWorld(t, pool)
	f, err := untyped.Read(bytes.NewReader(imageBytes(t, before, pool)))
	ok(t, err)
	s := newSum()
	s.add(f.Hash, uint64(f.Bytes), uint64(f.Frames), uint64(f.Entities()))
	for _, c := range f.Components {
		s.Write([]byte(c.Name + c.Kind.String()))
		for _, l := range c.Lanes {
			s.Write([]byte(l.Name + l.Shape.Text))
		}
	}
	for _, a := range f.Archetypes {
		for _, c := range a.Chunks {
			for _, column := range c.Columns {
				s.add(column.On...)
				for _, b := range append(column.Lanes, column.Rows...) {
					s.Write(b)
				}
			}
		}
	}
	return s.Sum64()
}

// diffRow compares images, and files of images.
func diffRow(t *testing.T, pool *jobs.Pool) uint64 {
	before, after := newKeptWorld(t, pool)
	s := newSum()
	s.Write([]byte(diff.Text(diff.Images(before, after), 1_000)))
	s.Write([]byte(diff.Text(diff.Images(after, before), 1_000)))
	var files [2]*untyped.File
	for i, m := range []*ecs.Image{before, after} {
		var err error
		files[i], err = untyped.Read(bytes.NewReader(imageBytes(t, m, pool)))
		ok(t, err)
	}
	s.Write([]byte(diff.Text(diff.Files(files[0], files[1]), 1_000)))
	return s.Sum64()
}

// spoil writes an infinity and a NaN in one frame, and changes a bit in another frame.
type spoil struct {
	moving *ecs.Query
	nan    bool
	bit    bool
	frames int
}

func (s *spoil) Create(setup *system.Setup) error {
	s.moving = setup.Query(ecs.Write[position](), ecs.Write[velocity]())
	return nil
}

func (s *spoil) Update(*system.Frame) error {
	s.frames++
	for c := range s.moving.Chunks() {
		pos, vel := ecs.Column[position](c), ecs.Column[velocity](c)
		for i := range pos.X {
			switch pos.X[i] += float32(vel.Y[i]); {
			case s.nan && pos.Z[i] == 77 && s.frames == 5:
				pos.X[i], vel.Z[i] = float32(math.Inf(-1)), math.NaN()
			case s.bit && pos.Z[i] == 78 && s.frames == 7:
				pos.Y[i] = math.Float32frombits(math.Float32bits(pos.Y[i]) ^ 1)
			}
		}
	}
	return nil
}

// newSpoiledWorld makes a world of 2,000 rows that a system moves.
func newSpoiledWorld(t *testing.T, pool *jobs.Pool, nan, bit bool) *ecs.World {
	w := newWorld(t, pool, system.Of[spoil]())
	t.Cleanup(func() { ok(t, w.Close()) })
	own := system.Find[spoil](w)
	own.nan, own.bit = nan, bit
	d := draw(12)
	for i := range 2_000 {
		w.Spawn(position{number[float32](&d), 1, float32(i)}, velocity{Y: number[float64](&d)})
	}
	return w
}

// checkRow finds the systems that wrote numbers that are not finite.
func checkRow(t *testing.T, pool *jobs.Pool) uint64 {
	w, s := newSpoiledWorld(t, pool, true, false), newSum()
	c := check.Finite(w, check.Report(func(f check.Fault) { s.add(uint64(f.Entity.Index)); s.Write([]byte(f.System + f.Lane)) }))
	defer c.Stop()
	s.add(step(t, w, 8))
	s.Write([]byte(c.String()))
	return s.Sum64()
}

// replayRow records a run and repeats it twice: unchanged, and with one changed bit. The second
// repetition must find the tick at which the runs diverge.
func replayRow(t *testing.T, pool *jobs.Pool) uint64 {
	s := newSum()
	run := func(bit bool) replay.Run {
		w := newSpoiledWorld(t, pool, false, bit)
		return replay.Run{World: w, Step: func(uint64) error {
			return app.Run(context.Background(), w, app.Frames(1), app.Step(1.0/64))
		}}
	}
	one := run(false)
	var file bytes.Buffer
	r, err := replay.Record(&file, one.World, replay.Every(2), replay.BySystem())
	ok(t, err)
	for tick := range uint64(10) {
		r.Input("golden", []byte{byte(tick)})
		ok(t, errors.Join(one.Step(tick), r.Tick()))
	}
	ok(t, r.Close())
	s.Write(file.Bytes())
	for _, bit := range []bool{false, true} {
		again := run(bit)
		d, err := replay.Replay(bytes.NewReader(file.Bytes()), again.World, func(tick *replay.Tick) error { return again.Step(tick.Number) })
		ok(t, err)
		if (d != nil) != bit {
			t.Errorf("a bit is changed: %v; found %v", bit, d)
		}
		if d != nil {
			s.Write([]byte(d.String()))
		}
	}
	d, err := replay.Compare(run(false), run(true), 20, 4)
	ok(t, err)
	s.Write([]byte(d.String()))
	return s.Sum64()
}
