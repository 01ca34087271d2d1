package render

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/kernels"
)

// Previous makes its entity appear between the places that it had after its last two fixed
// steps, according to the time of the frame. Therefore movement at a fixed rate looks smooth
// at any frame rate. Add it to entities that systems in [system.FixedStep] move. A Previous
// holds the translation, rotation and scale that LocalToWorld had before the last step.
// [KeepPrevious] writes it.
//
// With the zero Previous, the entity is drawn at its LocalToWorld. If a program moves an entity in
// one jump, it must reset Previous. Otherwise the entity would be drawn between the two points:
//
//	ecs.Set(w, e, transform.Translation{X: 1000})
//	ecs.Set(w, e, render.Previous{})
type Previous struct {
	X, Y, Z        float32 // translation
	QX, QY, QZ, QW float32 // rotation
	SX, SY, SZ     float32 // scale
}

// Column returns the lanes of a column of Previous.
func (Previous) Column() (c previousLanes) { return }

type previousLanes = struct {
	X, Y, Z, QX, QY, QZ, QW, SX, SY, SZ []float32
}

// kernelLanes returns the lanes as types that the kernels accept.
func kernelLanes(l *previousLanes) (pos kernels.Vec3s[float32], rot kernels.Quats[float32], scale kernels.Vec3s[float32]) {
	return kernels.Vec3s[float32]{X: l.X, Y: l.Y, Z: l.Z}, kernels.Quats[float32]{X: l.QX, Y: l.QY, Z: l.QZ, W: l.QW}, kernels.Vec3s[float32]{X: l.SX, Y: l.SY, Z: l.SZ}
}

// Drawn is the matrix with which an entity with [Previous] is drawn, in place of its LocalToWorld.
// [Interpolate] adds, writes and removes Drawn. Programs may read it.
type Drawn struct{ M [16]float32 }

// Column returns the lanes of a column of matrices.
func (Drawn) Column() (c kernels.Mat4s[float32]) { return }

// KeepPrevious records in [Previous] where entities are before each fixed step. KeepPrevious is the
// first system in FixedStep.
type KeepPrevious struct {
	_ system.First[system.FixedStep]
	_ system.After[system.BeginFixedStep]

	scene       *scene
	changedRows *ecs.Query
	movedRows   *ecs.Query // like the query of all rows, but only with entities that have moved
}

// stepTiming says where the time of a frame is relative to the last fixed steps.
type stepTiming struct {
	stepped bool    // a step has run after the last presentation
	stepAge int     // age of [Previous] in steps
	alpha   float32 // fraction of the way from Previous to LocalToWorld
}

// Create creates the queries.
func (s *KeepPrevious) Create(u *system.Setup) error {
	s.scene = sceneOf(u.World())
	s.changedRows = u.Query(ecs.Read[matrices](), ecs.Write[Previous](), ecs.Changed[matrices](), ecs.OrderChanged())
	s.movedRows = u.Query(ecs.With[Previous](), ecs.Read[matrices](), ecs.Changed[matrices]())
	return nil
}

// Update schedules the work. If several steps run in one frame, LocalToWorld is computed only once
// for all of them. Therefore Previous keeps the value from before the first step, and its age is
// the number of these steps.
func (s *KeepPrevious) Update(f *system.Frame) error {
	b := &s.scene.stepTiming
	if !b.stepped || !s.movedRows.Unchanged() {
		b.stepAge = 0
	}
	b.stepAge++
	b.stepped = true
	f.ParallelFor(s.changedRows, s)
	return nil
}

// Chunk writes the component Previous of the rows of a chunk.
func (s *KeepPrevious) Chunk(c *ecs.Chunk) {
	m, l := ecs.Column[matrices](c), ecs.Column[Previous](c)
	pos, rot, scale := kernelLanes(l)
	m.Decompose(&pos, &rot, &scale)
	for i := range m.M {
		if m.M[i][15] == 0 { // the matrix has never been computed
			pos.X[i], pos.Y[i], pos.Z[i] = 0, 0, 0
			rot.X[i], rot.Y[i], rot.Z[i], rot.W[i] = 0, 0, 0, 0
			scale.X[i], scale.Y[i], scale.Z[i] = 0, 0, 0
		}
	}
}

// Interpolate computes the matrices with which entities with [Previous] are drawn. The translation
// and the scale are linear between Previous and LocalToWorld. The rotation is Quats.Nlerp along the
// shorter way. The fraction is Frame.Alpha. If an entity has not moved, or its Previous is zero, it
// is drawn with its LocalToWorld. If a world has no fixed steps, all of its entities are drawn with
// their LocalToWorld. In an interpolated matrix, a shear is lost.
type Interpolate struct {
	_ system.In[system.Presentation]
	_ system.After[MissingBounds]

	scene        *scene
	instance     *system.Instance
	all          *ecs.Query
	withoutDrawn *ecs.Query // entities with Previous but without Drawn
	staleDrawn   *ecs.Query // entities with Drawn but without Previous
	chunkMotions []motion   // for each chunk index of the query all
	staleMotions bool       // chunkMotions belong to another time, after a Restore or a failure
	restoreCount uint32     // number of restores of the world at the last update
	lastAlpha    float32    // alpha of the last update; NaN if it is unknown
}

// unknownAlpha differs from every alpha.
var unknownAlpha = float32(math.NaN())

// Create creates the queries.
func (s *Interpolate) Create(u *system.Setup) error {
	s.scene, s.instance, s.lastAlpha = sceneOf(u.World()), u.Instance(), unknownAlpha
	s.all = u.Query(ecs.Read[matrices](), ecs.Read[Previous](), ecs.Write[Drawn]())
	s.withoutDrawn = u.Query(ecs.With[matrices](), ecs.With[Previous](), ecs.Absent[Drawn](), ecs.IncludeHidden())
	s.staleDrawn = u.Query(ecs.With[Drawn](), ecs.AnyOf(ecs.AllOf(ecs.Absent[Previous]()), ecs.AllOf(ecs.Absent[matrices]())), ecs.IncludeHidden())
	u.RequireAny(s.all, s.withoutDrawn, s.staleDrawn)
	return nil
}

// Update computes the matrices of entities that move.
func (s *Interpolate) Update(f *system.Frame) error {
	w, b := f.World(), &s.scene.stepTiming
	if !s.withoutDrawn.EmptyUnfiltered() {
		if err := ecs.AddTypes(w, ecs.Matching(s.withoutDrawn), ecs.With[Drawn]()); err != nil {
			return err
		}
	}
	if !s.staleDrawn.EmptyUnfiltered() {
		if err := ecs.RemoveTypes(w, ecs.Matching(s.staleDrawn), ecs.With[Drawn]()); err != nil {
			return err
		}
	}
	b.stepped = false
	n := float64(max(b.stepAge, 1))
	b.alpha = float32((n - 1 + f.Alpha()) / n)
	s.chunkMotions = grow(s.chunkMotions, s.all.ChunkCount())
	if s.restoreCount != s.scene.restoreCount {
		s.restoreCount, s.staleMotions = s.scene.restoreCount, true
	}
	err := waitFor(f, f.ParallelFor(s.all, s))
	s.staleMotions, s.lastAlpha = err != nil, b.alpha
	if err != nil {
		s.lastAlpha = unknownAlpha
	}
	return err
}

// motion holds the decomposed LocalToWorld of the rows of a chunk. A motion is valid until LocalToWorld
// is written, or until rows are added or removed.
type motion struct {
	firstEntity  ecs.Entity    // identifies the chunk
	laneMemory   []float32     // memory of current and interpolated
	current      previousLanes // the decomposed LocalToWorld
	interpolated previousLanes // the interpolated values
	allAtRest    bool          // all rows are at rest
	atRest       []uint64      // mask of the rows that are at rest or whose Previous is zero
}

// decompose decomposes the matrices of a chunk, and finds the rows at rest.
func (p *motion) decompose(c *ecs.Chunk) {
	n := c.Len()
	if len(p.laneMemory) < 20*n {
		p.laneMemory = make([]float32, 20*n)
	}
	lane := func(k int) []float32 { return p.laneMemory[k*n:][:n] }
	lanes := func(k int) previousLanes {
		return previousLanes{lane(k), lane(k + 1), lane(k + 2), lane(k + 3), lane(k + 4), lane(k + 5), lane(k + 6), lane(k + 7), lane(k + 8), lane(k + 9)}
	}
	p.current, p.interpolated = lanes(0), lanes(10)
	pos, rot, scale := kernelLanes(&p.current)
	ecs.Column[matrices](c).Decompose(&pos, &rot, &scale)
	was := ecs.Column[Previous](c)
	p.atRest = grow(p.atRest, kernels.MaskLen(n))
	clear(p.atRest)
	p.allAtRest = true
	for i := range n {
		if isUnmoved(was, &p.current, i) {
			p.atRest[i/64] |= 1 << (i % 64)
		} else {
			p.allAtRest = false
		}
	}
}

// Chunk computes the matrices of a chunk. If the matrices do not change, it writes nothing, even after a
// Restore. Therefore change filters show the same rows as without the Restore.
func (s *Interpolate) Chunk(c *ecs.Chunk) {
	t, p, ids, since := s.scene.stepTiming.alpha, &s.chunkMotions[c.Index()], c.Entities(), s.instance.LastVersion()
	changed := c.OrderChangedSince(since) || ecs.ChangedSince[matrices](c, since) || ecs.ChangedSince[Previous](c, since)
	if changed || s.staleMotions || p.firstEntity != ids[0] || len(p.current.X) != len(ids) {
		p.firstEntity = ids[0]
		p.decompose(c)
	}
	if !changed && (p.allAtRest || t == s.lastAlpha) {
		return
	}
	m, out := ecs.Column[matrices](c).M, ecs.Column[Drawn](c)
	if p.allAtRest || t >= 1 {
		copy(out.M, m)
		return
	}
	pos0, rot0, scale0 := kernelLanes(ecs.Column[Previous](c))
	pos1, rot1, scale1 := kernelLanes(&p.current)
	pos, rot, scale := kernelLanes(&p.interpolated)
	pos.Lerp(&pos0, &pos1, t)
	rot.Nlerp(&rot0, &rot1, t)
	scale.Lerp(&scale0, &scale1, t)
	out.Compose(&pos, &rot, &scale)
	for k, word := range p.atRest {
		for ; word != 0; word &= word - 1 {
			i := 64*k + bits.TrailingZeros64(word)
			out.M[i] = m[i]
		}
	}
}

// isUnmoved reports whether row i has not moved or has a zero Previous.
func isUnmoved(was, now *previousLanes, i int) bool {
	if was.QX[i] == 0 && was.QY[i] == 0 && was.QZ[i] == 0 && was.QW[i] == 0 {
		return true
	}
	return was.X[i] == now.X[i] && was.Y[i] == now.Y[i] && was.Z[i] == now.Z[i] &&
		was.QX[i] == now.QX[i] && was.QY[i] == now.QY[i] && was.QZ[i] == now.QZ[i] && was.QW[i] == now.QW[i] &&
		was.SX[i] == now.SX[i] && was.SY[i] == now.SY[i] && was.SZ[i] == now.SZ[i]
}

// AppendState implements system.Saver. It appends whether a fixed step has run after the last picture, the
// fraction alpha of that picture, and the age of Previous in fixed steps. It appends nothing if no step
// has run, alpha is unknown and the age is at most one.
func (s *Interpolate) AppendState(out []byte) []byte {
	b := &s.scene.stepTiming
	if b.stepAge <= 1 && !b.stepped && s.lastAlpha != s.lastAlpha {
		return out
	}
	flags := byte(2)
	if b.stepped {
		flags |= 1
	}
	out = binary.LittleEndian.AppendUint32(append(out, flags), math.Float32bits(s.lastAlpha))
	return binary.AppendUvarint(out, uint64(b.stepAge))
}

// LoadState implements system.Saver.
func (s *Interpolate) LoadState(in []byte) error {
	if len(in) == 0 {
		s.scene.stepTiming.stepped, s.scene.stepTiming.stepAge, s.lastAlpha = false, 0, unknownAlpha
		return nil
	}
	flags, rest, alpha := in[0], in[1:], unknownAlpha // older files have no alpha
	if flags&2 != 0 && len(rest) >= 4 {
		alpha, rest = math.Float32frombits(binary.LittleEndian.Uint32(rest)), rest[4:]
	}
	steps, n := binary.Uvarint(rest)
	if flags > 3 || n <= 0 || n != len(rest) || steps > math.MaxInt32 {
		return fmt.Errorf("render: Interpolate: LoadState: the state is not one of this version of the package: restore the image with the program that has written it: %w", ecs.ErrArgument)
	}
	s.scene.stepTiming.stepped, s.scene.stepTiming.stepAge, s.lastAlpha = flags&1 != 0, int(steps), alpha
	return nil
}
