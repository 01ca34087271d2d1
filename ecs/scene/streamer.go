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
)

// streamer manages the sub-scenes of a world.
type streamer struct {
	world          *ecs.World
	config         Config
	query          *ecs.Query
	instances      []*instance // in the order in which they were first seen
	byID           map[ecs.Entity]*instance
	toolFiles      map[string]fs.FS // file systems of scenes that tools have opened, by path
	updateCount    uint64
	lastSerial     uint64
	loadCount      int32
	idBuffer       []ecs.Entity // reused in each step
	mayHaveOrphans bool         // the world may have rows of scenes that were not loaded here
	mustRecount    bool         // the number of loads must be found in the world, because the world was replaced since the last step
	savedState     *savedScenes // the state for the next image; nil if it must be made
	loadedState    []byte       // argument of LoadState since the last step
	instanceBuffer []*instance  // reused in each step
}

// instance is a sub-scene of a world.
type instance struct {
	entity      ecs.Entity
	path        string // the path that was wanted last
	serial      uint64
	priority    int32
	wanted      bool
	pathChanged bool   // another path is wanted when this scene is unloaded
	seenUpdate  uint64 // the update in which it was seen last
	dueUpdate   uint64 // the update in which its rows may be loaded
	loadNumber  int32  // number of the load in its world

	phase         Phase
	err           error
	load          *load  // the reading that is under way
	baked         *Baked // nil for a scene that came with a world from a file
	arrival       *ecs.ImageStream
	textSum       [sha256.Size]byte     // of the text of its entities
	names         map[string]ecs.Entity // names of the loaded entities, if baked is nil
	externalRefs  []worldReference      // references of the loaded entities to others
	arrivalState  []byte                // saved bytes from which the arrival is to be made; nil if there are none
	imageHash     uint64                // hash of the image whose rows the arrival loads
	textKnown     bool                  // its text was known when the file was written
	rowsUnknown   bool                  // the world may have rows of it that are not known
	mustResume    bool                  // the world was restored since the arrival was used last
	savedArrival  arrivalBytes
	liveCreated   map[string]ecs.Entity // by name: entities that live link has created
	liveDestroyed map[string]bool       // by name: entities that live link has destroyed
	toDestroy     []ecs.Entity          // entities of liveCreated that are still to be destroyed
	watch         *textWatch
	lastStatus    Status
	lastNotice    Phase
}

// worldReference is a reference out of a scene, in a component of an entity of the world.
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

// checkOpen returns an error if w is closed. Removing no types changes nothing, and fails in a
// closed world.
func checkOpen(w *ecs.World) error {
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); errors.Is(err, ecs.ErrDisposed) {
		return errorf("world %q is closed: %w", w.Name(), ecs.ErrDisposed)
	}
	return nil
}

// attachedTo returns the streamer of w, or nil if it has none. W may be closed.
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

// entityNamed returns the id in the world of the scene's entity with the given name, even if it was
// destroyed since.
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

// runUpdate reads the requests, and loads and unloads as many rows as the budget allows. If wait is
// true it waits for files that are being read.
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
	for _, in := range s.instanceBuffer { // unloads first, because loads use the ids again
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

// queryOf returns a query that only this package uses. A query of the program with the same terms
// is another one, so that the program can close its own.
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
				in.wanted, in.pathChanged = false, true // the scene of the old path is unloaded first
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

// unloadStep unloads at most left rows of a scene that is not wanted.
func (s *streamer) unloadStep(in *instance, left *int) error {
	if in.wanted && in.phase != Unloading {
		return nil
	}
	switch in.phase {
	case Unloaded:
		return nil
	case Requested:
		in.load = nil // the job that reads it will find that its result is not needed
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

// failRefused marks a scene as failed if the world refuses its arrival, because it would refuse it in
// every later update too. Entities with the scene's tag are destroyed at once.
func (s *streamer) failRefused(in *instance, why error) error {
	in.err = errorf("%s: the world does not let its entities come and go any more, so that all that have its SceneTag are destroyed: "+
		"switch its Request off for an update and on again to load it anew: %w", in.path, why)
	in.reset()
	in.rowsUnknown = true
	return s.destroyOrphans()
}

// beginUnload begins to unload a scene. It sets references of other scenes to this one to null
// first.
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
		in.seenUpdate, in.wanted, s.savedState = 0, false, nil // the entity was part of a scene that was unloaded in this step
	}
	if !in.wanted {
		return nil
	}
	if in.phase != Loaded && in.phase != Live {
		s.savedState = nil
	}
	if in.phase == Unloaded {
		in.phase, in.dueUpdate = Requested, s.updateCount+uint64(max(s.config.Delay, 0))
		in.load = s.beginLoad(in)
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
		s.beginUnload(in) // unloads the rows that were loaded
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

// takeLoad makes the scene that was read part of the instance, after its arrival has begun.
func (in *instance) takeLoad(l *load) {
	in.baked, in.arrival, in.watch, in.externalRefs, in.savedArrival = l.baked, l.arrival, nil, nil, arrivalBytes{}
	for _, r := range l.baked.externalRefs {
		in.externalRefs = append(in.externalRefs, worldReference{l.arrival.NewID(r.From), r})
	}
	if l.doc != nil {
		in.watch = &textWatch{doc: l.doc}
	}
}

// loadRows loads rows. A panic in a method of a shared value is an error of this scene only.
func (s *streamer) loadRows(in *instance, most int) (n int, err error) {
	err = in.callGuarded(func() (err error) {
		if n, err = in.arrival.Load(most); err != nil && !errors.Is(err, ecs.ErrState) { // failRefused reports errors of category ErrState
			err = errorf("%s: %w", in.path, err)
		}
		return err
	})
	return n, err
}

// callGuarded calls f and returns a panic as an error, because f calls methods of shared values.
func (in *instance) callGuarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errorf("%s: a method of a shared value has panicked: %w\n%s", in.path, panicValue(v), debug.Stack())
		}
	}()
	return f()
}

// currentStatus returns the Status of a sub-scene. It never says that the text is watched, because
// that depends on the disk and a component must not.
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

// hasWork reports whether a scene is still to be loaded or unloaded.
func (s *streamer) hasWork() bool {
	s.idBuffer = s.query.AppendEntities(s.idBuffer[:0])
	for _, e := range s.idBuffer {
		if s.byID[e] == nil {
			return true // it was loaded as part of a scene in this step
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

// destroyOrphans destroys the entities with the tag of a sub-scene that has nothing loaded. They
// are in the world because it was restored, or was read from a file, and the state of the sub-scene
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

// load is the reading of a scene.
type load struct {
	finished chan struct{} // closed when the other fields are set
	baked    *Baked
	doc      *Document // the text, if it is to be watched
	arrival  *ecs.ImageStream
	err      error
}

// isDone reports whether the scene was read.
func (l *load) isDone() bool {
	select {
	case <-l.finished:
		return true
	default:
		return false
	}
}

// readTokens limits the number of scenes that the process reads at once, because each takes memory for
// a whole file.
var readTokens = make(chan struct{}, 4)

// beginLoad starts to read a scene in a goroutine. A pool would not do, because reading blocks and
// the pool may have no worker but the owner of the world.
func (s *streamer) beginLoad(in *instance) *load {
	l := &load{finished: make(chan struct{})}
	files, path, entity, opts, live := s.filesOf(in.path), in.path, in.entity, s.config.Options, s.config.Live
	go func() {
		readTokens <- struct{}{}
		defer func() {
			if v := recover(); v != nil { // from a codec, a method of a value, or the file system
				l.err = errorf("%s: a panic while it was read: %w\n%s", path, panicValue(v), debug.Stack())
			}
			<-readTokens
			close(l.finished)
		}()
		if l.baked, l.err = ReadFile(files, path, opts...); l.err == nil {
			l.arrival, l.err = ecs.NewImageStream(l.baked.Image(), SceneTag{Scene: entity})
		}
		if !live || l.err != nil {
			return
		}
		if text, err := readText(files, path); err == nil {
			if doc, err := Parse(path, text, opts...); err == nil && doc.Sum() == l.baked.Sum() {
				l.doc = doc
			}
		}
	}()
	return l
}

// filesOf returns the file system of a scene.
func (s *streamer) filesOf(path string) fs.FS {
	if own := s.toolFiles[path]; own != nil {
		return own
	}
	return s.config.files()
}
