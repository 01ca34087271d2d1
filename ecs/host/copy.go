package host

import (
	"errors"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// WriteGroups makes the transform systems skip entities with this tag, because this package writes
// their LocalToWorld.
func (CopyTransformFrom) WriteGroups() []ecs.Term {
	return []ecs.Term{ecs.With[transform.LocalToWorld](), ecs.With[transform.LocalToWorld64]()}
}

// These are the systems for float32.
type (
	CopyInitial = CopyInitialOf[float32]
	CopyFrom    = CopyFromOf[float32]
	CopyTo      = CopyToOf[float32]
)

// These are the systems for float64.
type (
	CopyInitial64 = CopyInitialOf[float64]
	CopyFrom64    = CopyFromOf[float64]
	CopyTo64      = CopyToOf[float64]
)

// systems is the plugin of this package. If a program imports the package, every default world runs
// its systems.
var systems = &system.Plugin{Name: "host", Types: append(systemsOf[float32](), systemsOf[float64]()...)}

func init() { systems.Register() }

// Systems returns the plugin with the systems of this package. The plugin is registered, so default
// worlds have it. To add it to a world with system.Only, use system.WithPlugins. Add the plugin of
// package transform too, because the systems of each plugin have an order relative to the systems
// of the other:
//
//	w, err := system.NewWorld("test", system.Only(), system.WithPlugins(transform.Systems(), host.Systems()))
func Systems() *system.Plugin { return systems }

func systemsOf[T kernels.Float]() []*system.Type {
	return []*system.Type{system.Of[CopyInitialOf[T]](), system.Of[CopyFromOf[T]](), system.Of[CopyToOf[T]]()}
}

// copier is the common part of the three systems.
type copier[T kernels.Float] struct {
	bindings      *bindings[T]
	otherWidth    widthBindings // bindings to objects of the other width
	currentRow    int           // row of the current chunk
	calledMethod  method        // the method that was called last, for the report of a panic
	panics        []Panic       // panics of objects in this update
	goneObjects   []ecs.Entity  // entities whose objects this update found not to be alive
	withoutMatrix []ecs.Entity  // entities with an object but without a matrix, found in this update
}

// setWorld finds the bindings of a world.
func (c *copier[T]) setWorld(w *ecs.World) {
	c.bindings, c.otherWidth = bindingsOf[T](w), otherWidthOf[T](w)
}

// livingObject returns the object of e if e has an object that is alive. If the object is not
// alive any more, livingObject records this once. It also records an object of the other width,
// unless the chunk has matrices of the other width.
func (c *copier[T]) livingObject(ch *ecs.Chunk, e ecs.Entity) ObjectOf[T] {
	b := c.bindings.bindingOf(e)
	if b == nil {
		if !bothWidths(ch) && c.otherWidth.noteMatrixless(e) {
			c.withoutMatrix = append(c.withoutMatrix, e)
		}
		return nil
	}
	if c.askAlive(b) {
		c.bindings.noteAlive(b)
		return b.object
	}
	if !b.reportedGone {
		b.reportedGone = true
		c.bindings.goneEntities = append(c.bindings.goneEntities, e)
		c.goneObjects = append(c.goneObjects, e)
	}
	return nil
}

// bothWidths reports whether the entities of a chunk have matrices of both widths.
func bothWidths(c *ecs.Chunk) bool {
	return ecs.HasColumn[transform.LocalToWorld](c) && ecs.HasColumn[transform.LocalToWorld64](c)
}

// reportErrors returns an error about the objects that panicked, are not alive any more, or have no
// matrix of their width. It returns nil if there are no such objects.
func (c *copier[T]) reportErrors() error {
	var errs []error
	if len(c.panics) > 0 {
		errs = append(errs, &PanicError{c.panics})
		c.panics = nil
	}
	if len(c.goneObjects) > 0 {
		errs = append(errs, &GoneError{slices.Clone(c.goneObjects)})
	}
	if len(c.withoutMatrix) > 0 {
		errs = append(errs, &WidthError{slices.Clone(c.withoutMatrix)})
	}
	c.goneObjects, c.withoutMatrix = c.goneObjects[:0], c.withoutMatrix[:0]
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// CopyFromOf copies the matrices of objects to LocalToWorld of their entities with the tag
// [CopyTransformFrom]. It marks a chunk as changed only if a matrix has changed.
type CopyFromOf[T kernels.Float] struct {
	_ system.In[transform.Group]
	_ system.After[transform.Parents]
	_ system.Before[transform.TRSToLocalToWorldOf[T]]
	_ system.Before[transform.LocalTransformToWorldOf[T]]
	_ system.MatchingOnly

	tagged *ecs.Query
	copier copier[T]
}

// Create creates the query.
func (s *CopyFromOf[T]) Create(u *system.Setup) error {
	s.copier.setWorld(u.World())
	s.tagged = u.Query(ecs.Write[transform.LocalToWorldOf[T]](), ecs.With[CopyTransformFrom](), ecs.With[Bound]())
	return nil
}

// Update copies the matrices on the calling goroutine.
func (s *CopyFromOf[T]) Update(f *system.Frame) error {
	if err := f.Run(s.tagged, s); err != nil {
		return err
	}
	return s.copier.reportErrors()
}

// Chunk copies matrices to the rows of one chunk.
func (s *CopyFromOf[T]) Chunk(c *ecs.Chunk) { s.copier.copyChunk(c, s) }

func (s *CopyFromOf[T]) copyRows(c *ecs.Chunk) {
	list := c.Entities()
	world, written := ecs.ReadColumn[transform.LocalToWorldOf[T]](c).M, false
	for i := s.copier.currentRow; i < len(list); i++ {
		s.copier.currentRow = i
		o := s.copier.livingObject(c, list[i])
		if o == nil {
			continue
		}
		s.copier.calledMethod = worldMatrixMethod
		m := o.WorldMatrix()
		if world[i] == m {
			continue
		}
		if !written {
			world, written = ecs.Column[transform.LocalToWorldOf[T]](c).M, true
		}
		world[i] = m
	}
}

// CopyToOf copies LocalToWorld of entities with the tag [CopyTransformTo] to their objects, in
// chunks in which LocalToWorld was written. It also copies the matrix once to an object that
// has replaced another object, is alive again, or has panicked.
type CopyToOf[T kernels.Float] struct {
	_ system.In[transform.Group]
	_ system.After[transform.HierarchyOf[float32]]
	_ system.After[transform.HierarchyOf[float64]] // this system waits for jobs, so those of both widths are scheduled before it
	_ system.MatchingOnly

	changedRows *ecs.Query
	tagged      *ecs.Query // matches entities with the tag, whether they have moved or not
	copier      copier[T]
	incomplete  bool // a job that the last update waited for failed, or the current update has not finished
}

// Create creates the queries.
func (s *CopyToOf[T]) Create(u *system.Setup) error {
	s.copier.setWorld(u.World())
	s.tagged = u.Query(ecs.Read[transform.LocalToWorldOf[T]](), ecs.With[CopyTransformTo](), ecs.With[Bound]())
	s.changedRows = u.Query(ecs.Read[transform.LocalToWorldOf[T]](), ecs.With[CopyTransformTo](), ecs.With[Bound](),
		ecs.Changed[transform.LocalToWorldOf[T]](), ecs.OrderChanged())
	return nil
}

// Update copies the matrices on the calling goroutine. If an object panics, Update skips it and
// copies its matrix in the next update. If a job that writes the matrices has failed, Update copies
// all matrices in the next update.
func (s *CopyToOf[T]) Update(f *system.Frame) error {
	if s.incomplete {
		s.changedRows.SetSince(0)
	}
	s.incomplete = true
	if err := f.Run(s.changedRows, s); err != nil {
		return err
	}
	s.copier.setNeedsMatrix(false) // for objects that panicked in this update
	if t := s.copier.bindings; t.anyNeedsMatrix {
		if err := f.Run(s.tagged, &lateCopier[T]{&s.copier}); err != nil {
			return err
		}
		t.anyNeedsMatrix = false // other objects that need a matrix get it when their entities match the query
	}
	s.copier.setNeedsMatrix(true)
	s.incomplete = false
	return s.copier.reportErrors()
}

// Chunk copies matrices from the rows of one chunk.
func (s *CopyToOf[T]) Chunk(c *ecs.Chunk) { s.copier.copyChunk(c, s) }

func (s *CopyToOf[T]) copyRows(c *ecs.Chunk) {
	list := c.Entities()
	world := ecs.Column[transform.LocalToWorldOf[T]](c).M
	for i := s.copier.currentRow; i < len(list); i++ {
		s.copier.currentRow = i
		e := list[i]
		if o := s.copier.livingObject(c, e); o != nil {
			s.copier.calledMethod = setWorldMatrixMethod
			o.SetWorldMatrix(world[i])
			s.copier.bindings.byIndex[e.Index].needsMatrix = false
		}
	}
}

// lateCopier copies matrices to the objects that need their matrix although no system has written
// their chunks.
type lateCopier[T kernels.Float] struct{ copier *copier[T] }

// Chunk copies matrices from the rows of one chunk.
func (l *lateCopier[T]) Chunk(c *ecs.Chunk) { l.copier.copyChunk(c, l) }

func (l *lateCopier[T]) copyRows(c *ecs.Chunk) {
	list := c.Entities()
	world := ecs.Column[transform.LocalToWorldOf[T]](c).M
	for i := l.copier.currentRow; i < len(list); i++ {
		l.copier.currentRow = i
		e := list[i]
		b := l.copier.bindings.bindingOf(e)
		if b == nil || !b.needsMatrix {
			continue
		}
		if o := l.copier.livingObject(c, e); o != nil {
			l.copier.calledMethod = setWorldMatrixMethod
			o.SetWorldMatrix(world[i])
		}
		b.needsMatrix = false
	}
}
