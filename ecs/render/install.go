package render

import (
	"errors"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// Options say what a world is drawn with.
type Options struct {
	Renderer Renderer // nil: everything is computed, and nothing drawn
	Assets   *Assets  // nil: those that the world has

	// Width and Height are the size of every target while there is no Renderer; 0
	// counts as 1.
	Width, Height int
}

// Install adds the systems of this package to a world's Presentation, which it makes if
// there is none, and to its FixedStep, if there is one, and says what they draw with.
// Installed again it only does the latter, from the next frame on. The error is of category ecs.ErrArgument if w is nil, and that
// of system.Populate where systems cannot be made.
func Install(w *ecs.World, o Options) error {
	if w == nil {
		return fmt.Errorf("render: Install: the world is nil: %w", ecs.ErrArgument)
	}
	if o.Width < 0 || o.Height < 0 {
		return fmt.Errorf("render: Install: world %q: Width is %d and Height %d: they are numbers of pixels: %w", w.Name(), o.Width, o.Height, ecs.ErrArgument)
	}
	if err := system.Populate(w, append([]*system.Type{system.Of[system.Presentation]()}, shown...)...); err != nil {
		return err
	}
	if system.Find[system.FixedStep](w) != nil {
		if err := system.Populate(w, system.Of[KeepPrevious]()); err != nil {
			return err
		}
	}
	s := sceneOf(w)
	if o.Assets == nil {
		o.Assets = s.assets
	}
	s.assets, s.renderer, s.width, s.height = o.Assets, o.Renderer, max(o.Width, 1), max(o.Height, 1)
	s.forget()
	return nil
}

// AssetsOf returns the shapes and materials that a world is drawn with.
func AssetsOf(w *ecs.World) *Assets { return sceneOf(w).assets }

// ViewsOf returns what the cameras of a world saw in its last presentation, in their
// order, also where there is no Renderer. It is good until the next presentation, or
// until the world is changed.
func ViewsOf(w *ecs.World) []*View { return sceneOf(w).views }

// shown are the systems of the presentation.
var shown = []*system.Type{
	system.Of[MissingBounds](),
	system.Of[Interpolate](),
	system.Of[Bootstrap](),
	system.Of[UpdateBounds](),
	system.Of[ChooseLevels](),
	system.Of[FilterLevels](),
	system.Of[DrawMeshes](),
}

// systems is the set of this package.
var systems = &system.Set{
	Name:   "render",
	Types:  append([]*system.Type{system.Of[KeepPrevious]()}, shown...),
	Advise: advise,
}

// Systems returns the set of the systems of this package. It is not registered: a world
// has them if it is made with system.With(render.Systems()), or by [Install].
func Systems() *system.Set { return systems }

// advise says what is in the way of drawing the entities of a world.
func advise(w *ecs.World) (texts []string) {
	count := func(terms ...ecs.Term) int {
		q := w.Plumbing().QueryFor("render", terms...)
		defer q.Close()
		return q.CountUnfiltered()
	}
	looks := count(ecs.With[Look]())
	if looks == 0 {
		return nil
	}
	if n := count(ecs.With[Look](), ecs.Absent[matrices]()); n > 0 {
		texts = append(texts, fmt.Sprintf("%d entities have a render.Look and no LocalToWorld, and are not drawn: give them transform.LocalToWorld", n))
	}
	if count(ecs.Present[Camera]()) == 0 {
		texts = append(texts, fmt.Sprintf("%d entities have a render.Look, and no camera is there to see them: spawn a render.Camera", looks))
	}
	return texts
}

// scene is what the systems of one world share. All of it belongs to the world's owner;
// jobs write the parts of slots and eyes that are theirs.
type scene struct {
	world         *ecs.World
	assets        *Assets
	renderer      Renderer
	width, height int
	backs         uint32 // how often the world was restored

	frame   Frame
	turn    *system.Frame // of the system that is being updated
	slots   slots
	groups  groups
	feed    *feed   // nil: the scene shows its own world
	lends   bool    // another world shows this one
	sights  []sight // the cameras of this frame
	links   links
	reels   reels
	between fraction
	looks   looks
	eyes    []*eye              // of this frame's cameras, by Order
	views   []*View             // of the eyes
	spare   []*eye              // the eyes of the frame before, while this one's are made
	blind   map[ecs.Entity]bool // cameras that were reported
	unseen  map[Look]bool       // looks that were
	misfit  map[MaterialID]bool // materials that were, for cells that they have not
}

type sceneKey struct{}

func sceneOf(w *ecs.World) *scene {
	if s, ok := w.Plumbing().Attached(sceneKey{}).(*scene); ok {
		return s
	}
	s := &scene{world: w, assets: NewAssets(), width: 1, height: 1, blind: map[ecs.Entity]bool{}, unseen: map[Look]bool{}, misfit: map[MaterialID]bool{}}
	s.frame.scene, s.slots.scene, s.groups.scene, s.links.scene, s.reels.scene = s, s, s, s, s
	s.slots.build = 1 // 0 is the stamp of eyes that have seen nothing
	w.Plumbing().Attach(sceneKey{}, s)
	ecs.OnRestore(w, func(*ecs.Image) { s.back() })
	return s
}

// forget makes the next frame begin from nothing.
func (s *scene) forget() {
	s.slots.seen, s.slots.stale = 0, true
	s.groups.stale = true
	clear(s.unseen)
	clear(s.misfit)
	s.looks.version = 0
	for _, e := range s.eyes {
		e.stamp = 0
	}
}

// back makes the next frame look at all rows again: the world was put back where an image was taken, and what
// was seen of rows that have old versions now is of a time that has not happened.
func (s *scene) back() {
	s.slots.seen, s.slots.stale, s.groups.stale = 0, true, true
	s.backs++
}

// run runs a job over [0, n) and waits for it.
func (s *scene) run(job jobs.RangeJob, n, grain int) error {
	if n == 0 {
		return nil
	}
	return s.turn.ParallelRange(job, n, grain, nil).Wait()
}

// open notes whose turn it is, for run.
func (s *scene) open(f *system.Frame) { s.turn = f }

// guarded calls a method of the renderer, and makes an error of a panic.
func guarded(call func() error) (err error) {
	done := false
	defer func() {
		if done {
			return
		}
		if v := recover(); v != nil {
			err = panicked(v)
		} else { // runtime.Goexit: nobody sees what is returned
			err = errors.New("the renderer called runtime.Goexit")
		}
	}()
	err = call()
	done = true
	return err
}
