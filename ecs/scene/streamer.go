package scene

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/panics"
)

// streamer manages the sub-scenes of a world.
type streamer struct {
	world          *ecs.World
	config         Config
	query          *ecs.Query
	instances      []*instance // in the order in which they were first seen
	byID           map[ecs.Entity]*instance
	toolFiles      map[string]fs.FS // file system of each scene that a tool has opened, by path
	updateCount    uint64
	lastSerial     uint64
	loadCount      int32
	idBuffer       []ecs.Entity // reused in each step
	mayHaveOrphans bool         // the world may contain rows of scenes that this streamer has not loaded
	mustRecount    bool         // the number of loads must be counted again, because the world was replaced after the last step
	savedState     *savedScenes // state for the next image; nil if it must be computed
	loadedState    []byte       // argument of the last LoadState after the last step
	instanceBuffer []*instance  // reused in each step
}

// instance is a sub-scene of a world.
type instance struct {
	entity      ecs.Entity
	path        string // the path that was last requested
	serial      uint64
	priority    int32
	wanted      bool
	pathChanged bool   // another path was requested, and is loaded after this scene was unloaded
	seenUpdate  uint64 // the last update in which the sub-scene was found
	dueUpdate   uint64 // the first update in which its rows may be loaded
	loadNumber  int32  // number of this load in its world

	phase         Phase
	err           error
	load          *load  // the read of the file that is in progress; may be nil
	readAgain     bool   // the file has changed since it was first read for this load, so it is read again
	baked         *Baked // nil if the scene came with a world from a file
	arrival       *ecs.ImageStream
	textSum       [sha256.Size]byte     // sum of the text from which its entities were loaded
	names         map[string]ecs.Entity // names of the loaded entities, if baked is nil
	externalRefs  []worldReference      // references from the loaded entities to entities outside of the scene
	arrivalState  []byte                // saved bytes from which the arrival must be created; nil if there are none
	imageHash     uint64                // hash of the image whose rows the arrival loads
	textKnown     bool                  // its text was known when the world was written to a file
	rowsUnknown   bool                  // the world may contain rows of the scene that are not known
	mustResume    bool                  // the world was restored after the arrival was last used
	savedArrival  arrivalBytes
	liveCreated   map[string]ecs.Entity // entities that live link has created, by name
	liveDestroyed map[string]bool       // names of the entities that live link has destroyed
	toDestroy     []ecs.Entity          // entities of liveCreated that must still be destroyed
	watch         *textWatch
	lastStatus    Status
	lastNotice    Phase
}

// worldReference is a reference from an entity of the world to an entity outside of its scene. The
// entity from contains the reference in one of its components.
type worldReference struct {
	from ecs.Entity
	ref  Reference
}

type attachedKey struct{}

// streamerFor returns the streamer of w, and an error if w is closed.
func streamerFor(w *ecs.World) (*streamer, error) {
	if w == nil {
		return nil, errorf("the world is nil: %w", ecs.ErrArgument)
	}
	if err := checkOpen(w); err != nil {
		return nil, err
	}
	if s := attachedTo(w); s != nil {
		return s, nil
	}
	s := &streamer{world: w, mayHaveOrphans: true, mustRecount: true, byID: map[ecs.Entity]*instance{}, toolFiles: map[string]fs.FS{}}
	w.Hooks().Attach(attachedKey{}, s)
	w.Hooks().OnCapture(s.onCapture)
	w.Hooks().OnRestore(s.onRestore)
	return s, nil
}

// checkOpen returns an error if w is closed. To find out whether w is closed, it removes an empty list
// of types from the null entity. The removal call changes nothing, and returns an error if the world is
// closed.
func checkOpen(w *ecs.World) error {
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); errors.Is(err, ecs.ErrDisposed) {
		return errorf("world %q is closed: %w", w.Name(), ecs.ErrDisposed)
	}
	return nil
}

// attachedTo returns the streamer of w, or nil if w has none. The world may be closed.
func attachedTo(w *ecs.World) *streamer {
	s, _ := w.Hooks().Attached(attachedKey{}).(*streamer)
	return s
}

// instanceOf returns the sub-scene of an entity, or nil.
func instanceOf(w *ecs.World, e ecs.Entity) *instance {
	if w == nil {
		return nil
	}
	if s := attachedTo(w); s != nil {
		return s.byID[e]
	}
	return nil
}

// isLoaded reports whether all rows of the scene are in the world.
func (in *instance) isLoaded() bool { return in.phase == Loaded || in.phase == Live }

// entityNamed returns the id that an entity of the scene has in the world, given its name. The
// entity may have been destroyed since.
func (in *instance) entityNamed(name string) ecs.Entity {
	if id, ok := in.liveCreated[name]; ok {
		return id
	}
	if in.liveDestroyed[name] {
		return ecs.Entity{}
	}
	if in.baked == nil {
		return in.names[name]
	}
	if old, ok := in.baked.Find(name); ok {
		return in.arrival.NewID(old)
	}
	return ecs.Entity{}
}

// runUpdate reads the requests. After that, runUpdate loads and unloads as many rows as the budget
// allows. If wait is true, it waits for files that are being read.
func (s *streamer) runUpdate(wait bool) error {
	if err := checkOpen(s.world); err != nil {
		return err
	}
	s.updateCount++
	if s.mustRecount {
		if err := s.recountLoads(); err != nil {
			return err
		}
	}
	if err := s.readRequests(); err != nil {
		return err
	}
	s.resumeAll()
	if err := s.destroyOrphans(); err != nil {
		return err
	}
	budget := s.config.Budget
	if budget <= 0 {
		budget = DefaultBudget
	}
	if len(s.instances) == 0 {
		return nil
	}
	s.instanceBuffer = append(s.instanceBuffer[:0], s.instances...)
	slices.SortFunc(s.instanceBuffer, func(a, b *instance) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.serial, b.serial))
	})
	var errs []error
	left := budget
	for _, in := range s.instanceBuffer { // unload first, because loads reuse the ids
		errs = append(errs, s.unloadStep(in, &left))
	}
	left = budget
	for _, in := range s.instanceBuffer {
		errs = append(errs, s.loadStep(in, &left, wait))
	}
	for _, in := range s.instances {
		errs = append(errs, s.writeStatus(in))
	}
	s.instances = slices.DeleteFunc(s.instances, func(in *instance) bool {
		over := in.seenUpdate != s.updateCount && in.phase == Unloaded
		if over {
			delete(s.byID, in.entity)
			s.savedState = nil
		}
		return over
	})
	return errors.Join(errs...)
}

// queryOf returns a query that only this package uses. It is a separate query even if the program has a
// query with the same terms, so that the program can close its own query.
func (s *streamer) queryOf(terms ...ecs.Term) *ecs.Query {
	return s.world.Scheduler().Query("package ecs/scene", terms...)
}

// readRequests finds the wanted scenes.
func (s *streamer) readRequests() error {
	w := s.world
	if s.query == nil {
		s.query = s.queryOf(ecs.With[SubScene]())
	}
	for _, in := range s.instances {
		in.seenUpdate = 0
	}
	s.idBuffer = s.query.AppendEntities(s.idBuffer[:0])
	for _, e := range s.idBuffer {
		sub, err := ecs.Get[SubScene](w, e)
		if err != nil {
			return err
		}
		in := s.byID[e]
		if in == nil {
			s.lastSerial++
			s.savedState = nil
			in = &instance{entity: e, path: sub.Path, serial: s.lastSerial}
			s.byID[e] = in
			s.instances = append(s.instances, in)
		}
		before := *in
		in.seenUpdate, in.wanted = s.updateCount, true
		if ecs.Has[Request](w, e) {
			r, err := ecs.Get[Request](w, e)
			on, err2 := ecs.Enabled[Request](w, e)
			if err = errors.Join(err, err2); err != nil {
				return err
			}
			in.priority, in.wanted = r.Priority, on
		}
		in.pathChanged = false
		if in.path != sub.Path {
			if in.phase != Unloaded {
				in.wanted, in.pathChanged = false, true // first unload the scene of the old path
			} else {
				in.path = sub.Path
			}
		}
		if in.priority != before.priority || in.wanted != before.wanted || in.pathChanged != before.pathChanged || in.path != before.path {
			s.savedState = nil
		}
	}
	for _, in := range s.instances {
		if in.seenUpdate != s.updateCount && (in.wanted || in.pathChanged) {
			in.wanted, in.pathChanged, s.savedState = false, false, nil
		}
	}
	return nil
}

// unloadStep unloads at most left rows of a scene that is no longer wanted.
func (s *streamer) unloadStep(in *instance, left *int) error {
	if in.wanted && in.phase != Unloading {
		return nil
	}
	switch in.phase {
	case Unloaded:
		return nil
	case Requested:
		in.load = nil // the goroutine that reads the file will find that its result is not needed
		in.phase = Unloaded
		return nil
	case Failed:
		in.err = nil
		if in.arrival == nil {
			in.phase = Unloaded
			return nil
		}
	}
	if in.phase != Unloading {
		s.beginUnload(in)
	}
	if *left <= 0 {
		return nil
	}
	s.savedState = nil
	n := min(*left, len(in.toDestroy))
	if err := ecs.DestroyAll(s.world, ecs.Entities(in.toDestroy[:n])); err != nil {
		return err
	}
	in.toDestroy = in.toDestroy[n:]
	if *left -= n; *left == 0 {
		return nil
	}
	before := len(in.arrival.Entities())
	rest, err := in.arrival.Unload(*left)
	if errors.Is(err, ecs.ErrState) {
		return s.failRefused(in, err)
	}
	if err != nil {
		return err
	}
	*left -= before - rest
	if rest == 0 {
		in.reset()
	}
	return nil
}

// failRefused marks a scene as failed if the world refuses the scene's arrival, because the world
// would also refuse it in every later update. failRefused destroys all entities with the scene's tag at
// once.
func (s *streamer) failRefused(in *instance, why error) error {
	in.err = errorf("%s: the world does not let its entities come and go any more, so that all that have its SceneTag are destroyed: "+
		"switch its Request off for an update and on again to load it anew: %w", in.path, why)
	in.reset()
	in.rowsUnknown = true
	return s.destroyOrphans()
}

// beginUnload begins unloading a scene. It first sets the references from other scenes to null.
func (s *streamer) beginUnload(in *instance) {
	in.phase = Unloading
	in.watch = nil
	s.savedState = nil
	s.clearReferencesTo(in)
	for _, name := range slices.Sorted(maps.Keys(in.liveCreated)) {
		in.toDestroy = append(in.toDestroy, in.liveCreated[name])
	}
	in.liveCreated = nil
}

// loadStep loads at most left rows of a wanted scene.
func (s *streamer) loadStep(in *instance, left *int, wait bool) error {
	if in.wanted && !ecs.Has[SubScene](s.world, in.entity) {
		in.seenUpdate, in.wanted, s.savedState = 0, false, nil // the entity belonged to a scene that was unloaded in this step
	}
	if !in.wanted {
		return nil
	}
	if in.phase != Loaded && in.phase != Live {
		s.savedState = nil
	}
	if in.phase == Unloaded {
		in.phase, in.dueUpdate = Requested, s.updateCount+uint64(max(s.config.Delay, 0))
		in.load, in.readAgain = s.beginLoad(in), false
	}
	if in.phase == Requested {
		delayed := s.config.Delay > 0
		switch {
		case delayed && s.updateCount < in.dueUpdate && !wait:
			return nil
		case !delayed && !wait && !in.load.isDone():
			return nil
		}
		<-in.load.finished
		if !in.readAgain && in.load.isOutdated() {
			in.load, in.readAgain = s.beginLoad(in), true
			if !delayed && !wait {
				return nil
			}
			<-in.load.finished
		}
		l := in.load
		in.load = nil
		if l.err == nil {
			l.err = in.callGuarded(func() error { return l.arrival.Begin(s.world) })
		}
		if l.err != nil {
			in.phase, in.err = Failed, l.err
			return nil
		}
		in.takeLoad(l)
		in.phase, in.textSum = Coming, l.baked.textSum
		s.loadCount++
		in.loadNumber = s.loadCount
	}
	if in.phase != Coming || *left <= 0 && in.arrival.Left() > 0 {
		return nil
	}
	n, err := s.loadRows(in, *left)
	if errors.Is(err, ecs.ErrState) {
		return s.failRefused(in, err)
	}
	if err != nil {
		in.err = err
		s.beginUnload(in) // unload the rows that were loaded
		return nil
	}
	*left -= n
	if in.arrival.Left() > 0 {
		return nil
	}
	in.phase = Loaded
	s.resolveReferences(in)
	return nil
}

// takeLoad copies the scene that was read to the instance. The scene's arrival has begun.
func (in *instance) takeLoad(l *load) {
	in.baked, in.arrival, in.watch, in.externalRefs, in.savedArrival = l.baked, l.arrival, nil, nil, arrivalBytes{}
	for _, r := range l.baked.externalRefs {
		in.externalRefs = append(in.externalRefs, worldReference{l.arrival.NewID(r.From), r})
	}
	if l.doc != nil {
		in.watch = &textWatch{doc: l.doc}
	}
}

// loadRows loads rows. If a method of a shared value panics, only this scene gets the error.
func (s *streamer) loadRows(in *instance, most int) (n int, err error) {
	err = in.callGuarded(func() (err error) {
		if n, err = in.arrival.Load(most); err != nil && !errors.Is(err, ecs.ErrState) { // failRefused reports the errors of category ErrState
			err = errorf("%s: %w", in.path, err)
		}
		return err
	})
	return n, err
}

// callGuarded calls f, which calls methods of shared values. If f panics, callGuarded returns the
// panic as an error.
func (in *instance) callGuarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errorf("%s: a method of a shared value has panicked: %w\n%s", in.path, &panics.Error{Value: v}, debug.Stack())
		}
	}()
	return f()
}

// currentStatus returns the Status of a sub-scene. The Status never says that the text is watched.
// Whether a text is watched depends on the disk, and components must not depend on the disk.
func (in *instance) currentStatus() Status {
	now := Status{Phase: in.phase}
	if in.phase == Live {
		now.Phase = Loaded
	}
	if in.arrival != nil {
		now.Rows, now.Came, now.Load = int32(in.arrival.Len()), int32(len(in.arrival.Entities())), in.loadNumber
	}
	return now
}

// writeStatus writes the status of a sub-scene if it has changed.
func (s *streamer) writeStatus(in *instance) error {
	now := in.currentStatus()
	if has := ecs.Has[Status](s.world, in.entity); has || in.seenUpdate == s.updateCount && s.world.Exists(in.entity) {
		old := Status{}
		if has {
			var err error
			if old, err = ecs.Get[Status](s.world, in.entity); err != nil {
				return err
			}
		}
		if !has || old != now {
			if err := ecs.Add(s.world, in.entity, now); err != nil {
				return err
			}
		}
	}
	if in.lastStatus != now {
		s.savedState = nil
	}
	if in.lastNotice != in.phase && s.config.Notice != nil {
		s.config.Notice(Notice{Scene: in.entity, Path: in.path, Phase: in.phase, Err: in.err})
	}
	in.lastStatus, in.lastNotice = now, in.phase
	return nil
}

// hasWork reports whether a scene must still be loaded or unloaded.
func (s *streamer) hasWork() bool {
	s.idBuffer = s.query.AppendEntities(s.idBuffer[:0])
	for _, e := range s.idBuffer {
		if s.byID[e] == nil {
			return true // the sub-scene itself was loaded in this step, as part of another scene
		}
	}
	for _, in := range s.instances {
		switch in.phase {
		case Requested, Coming, Unloading:
			return true
		case Unloaded:
			if in.wanted || in.pathChanged {
				return true
			}
		case Loaded, Live:
			if !in.wanted {
				return true
			}
		}
	}
	return false
}

// destroyOrphans destroys the entities that have the tag of a sub-scene of which nothing is loaded.
// Such entities exist if the world was restored or read from a file, and the state of the sub-scene
// was unknown. They may include sub-scenes.
func (s *streamer) destroyOrphans() error {
	var tags map[SceneTag]bool
	for _, in := range s.instances {
		if s.mayHaveOrphans || in.rowsUnknown {
			if tags == nil {
				tags = map[SceneTag]bool{}
			}
			tags[SceneTag{Scene: in.entity}] = true
			in.rowsUnknown = false
		}
	}
	s.mayHaveOrphans = false
	if len(tags) == 0 {
		return nil
	}
	q := s.queryOf(ecs.With[SceneTag](), ecs.IncludePrefabs(), ecs.IncludeInactive())
	ids := slices.DeleteFunc(q.AppendEntities(nil), func(e ecs.Entity) bool {
		tag, err := ecs.Get[SceneTag](s.world, e)
		return err != nil || !tags[tag]
	})
	if err := ecs.DestroyAll(s.world, ecs.Entities(ids)); err != nil {
		return err
	}
	return s.readRequests()
}
