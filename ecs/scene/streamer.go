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
	"github.com/lanewise/lanewise/ecs/plumbing"
	"github.com/lanewise/lanewise/ecs/rows"
)

// streamer is the sub-scenes of a world.
type streamer struct {
	world   *ecs.World
	config  Config
	query   *ecs.Query
	list    []*instance // in the order in which they were first seen
	byID    map[ecs.Entity]*instance
	own     map[string]fs.FS // of scenes that tools have opened
	update  uint64
	serial  uint64
	loads   int32
	ids     []ecs.Entity // scratch
	orphans bool         // there may be rows of scenes that were not loaded
	recount bool         // the world tells how many loads there were: it is another one than that of the last step
	saved   *saved       // what an image would keep; nil if it has to be made
	given   []byte       // what LoadState was given since the last step
	order   []*instance  // scratch
}

// instance is a sub-scene of a world.
type instance struct {
	entity   ecs.Entity
	path     string // that was wanted last
	serial   uint64
	priority int32
	wanted   bool
	turning  bool   // another path is wanted when this one has gone
	seen     uint64 // the update in which it was seen last
	due      uint64 // the update in which its rows may come
	number   int32  // of the load, among those of the world

	phase   Phase
	err     error
	load    *load  // that is under way
	baked   *Baked // nil of a scene that came with a world out of a file
	arrival *rows.Arrival
	sum     [sha256.Size]byte     // of the text that its entities are written as
	names   map[string]ecs.Entity // of what was loaded, if there is no baked
	outward []worldReference      // what leads out of what was loaded
	state   []byte                // of the arrival, which has still to be made; nil if there is none
	image   uint64                // the hash of the image whose rows that arrival lets come
	watched bool                  // its text was known when a file was written
	lost    bool                  // rows of it may be in the world, and it is not known which
	resume  bool                  // the world was restored since the arrival was used last
	kept    arrivalBytes
	added   map[string]ecs.Entity // by name: those that live link has made
	removed map[string]bool       // that live link has ended
	going   []ecs.Entity          // those of added that have still to end
	link    *link
	told    Status
	noticed Phase
}

// worldReference is a reference out of a scene, in a component of an entity of the world.
type worldReference struct {
	from ecs.Entity
	ref  Reference
}

type attachedKey struct{}

// streamerFor returns the sub-scenes of w, which must be open.
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
	s := &streamer{world: w, orphans: true, recount: true, byID: map[ecs.Entity]*instance{}, own: map[string]fs.FS{}}
	plumbing.Attach(w, attachedKey{}, s)
	plumbing.OnCapture(w, s.save)
	plumbing.OnRestore(w, s.restored)
	return s, nil
}

// checkOpen returns an error if w is closed. To remove no types only asks whether the world is open.
func checkOpen(w *ecs.World) error {
	if err := ecs.RemoveTypes(w, ecs.One(ecs.Entity{})); errors.Is(err, ecs.ErrDisposed) {
		return errorf("world %q is closed: %w", w.Name(), ecs.ErrDisposed)
	}
	return nil
}

// attachedTo returns the sub-scenes of w, which may be closed; nil if it has had none.
func attachedTo(w *ecs.World) *streamer {
	s, _ := plumbing.Attached(w, attachedKey{}).(*streamer)
	return s
}

// find returns the sub-scene that an entity stands for, or nil.
func find(w *ecs.World, e ecs.Entity) *instance {
	if w == nil {
		return nil
	}
	if s := attachedTo(w); s != nil {
		return s.byID[e]
	}
	return nil
}

// whole reports whether all of the scene is in the world.
func (in *instance) whole() bool { return in.phase == Loaded || in.phase == Live }

// named returns the id in the world of what has a name in the scene, or had.
func (in *instance) named(name string) ecs.Entity {
	if id, ok := in.added[name]; ok {
		return id
	}
	if in.removed[name] {
		return ecs.Entity{}
	}
	if in.baked == nil {
		return in.names[name]
	}
	if old, ok := in.baked.Find(name); ok {
		return in.arrival.Of(old)
	}
	return ecs.Entity{}
}

// step looks at what is wanted and does what can be done now; if it is to wait, also what has still to be read.
func (s *streamer) step(wait bool) error {
	if err := checkOpen(s.world); err != nil {
		return err
	}
	s.update++
	if s.recount {
		if err := s.count(); err != nil {
			return err
		}
	}
	if err := s.look(); err != nil {
		return err
	}
	s.rejoinAll()
	if err := s.endOrphans(); err != nil {
		return err
	}
	budget := s.config.Budget
	if budget <= 0 {
		budget = DefaultBudget
	}
	if len(s.list) == 0 {
		return nil
	}
	s.order = append(s.order[:0], s.list...)
	slices.SortFunc(s.order, func(a, b *instance) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.serial, b.serial))
	})
	var errs []error
	left := budget
	for _, in := range s.order { // first what goes: its ids are used again
		errs = append(errs, s.leave(in, &left))
	}
	left = budget
	for _, in := range s.order {
		errs = append(errs, s.come(in, &left, wait))
	}
	for _, in := range s.list {
		errs = append(errs, s.tell(in))
	}
	s.list = slices.DeleteFunc(s.list, func(in *instance) bool {
		over := in.seen != s.update && in.phase == Unloaded
		if over {
			delete(s.byID, in.entity)
			s.saved = nil
		}
		return over
	})
	return errors.Join(errs...)
}

// queryOf returns a query of this package's own: one of the program with the same terms is another one, so that either may be closed.
func (s *streamer) queryOf(terms ...ecs.Term) *ecs.Query {
	return plumbing.QueryFor(s.world, "package ecs/scene", terms...)
}

// look finds out which scenes are wanted.
func (s *streamer) look() error {
	w := s.world
	if s.query == nil {
		s.query = s.queryOf(ecs.With[SubScene]())
	}
	for _, in := range s.list {
		in.seen = 0
	}
	s.ids = s.query.AppendEntities(s.ids[:0])
	for _, e := range s.ids {
		sub, err := ecs.Get[SubScene](w, e)
		if err != nil {
			return err
		}
		in := s.byID[e]
		if in == nil {
			s.serial++
			s.saved = nil
			in = &instance{entity: e, path: sub.Path, serial: s.serial}
			s.byID[e] = in
			s.list = append(s.list, in)
		}
		before := *in
		in.seen, in.wanted = s.update, true
		if ecs.HasComponent[Request](w, e) {
			r, err := ecs.Get[Request](w, e)
			on, err2 := ecs.Enabled[Request](w, e)
			if err = errors.Join(err, err2); err != nil {
				return err
			}
			in.priority, in.wanted = r.Priority, on
		}
		in.turning = false
		if in.path != sub.Path {
			if in.phase != Unloaded {
				in.wanted, in.turning = false, true // first the other one goes
			} else {
				in.path = sub.Path
			}
		}
		if in.priority != before.priority || in.wanted != before.wanted || in.turning != before.turning || in.path != before.path {
			s.saved = nil
		}
	}
	for _, in := range s.list {
		if in.seen != s.update && (in.wanted || in.turning) {
			in.wanted, in.turning, s.saved = false, false, nil
		}
	}
	return nil
}

// leave goes a step on with what is not wanted any more.
func (s *streamer) leave(in *instance, left *int) error {
	if in.wanted && in.phase != Unloading {
		return nil
	}
	switch in.phase {
	case Unloaded:
		return nil
	case Requested:
		in.load = nil // the job that reads it finds that nothing waits
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
		s.retire(in)
	}
	if *left <= 0 {
		return nil
	}
	s.saved = nil
	n := min(*left, len(in.going))
	if err := ecs.DestroyAll(s.world, ecs.List(in.going[:n])); err != nil {
		return err
	}
	in.going = in.going[n:]
	if *left -= n; *left == 0 {
		return nil
	}
	before := len(in.arrival.Entities())
	rest, err := in.arrival.Withdraw(*left)
	if errors.Is(err, ecs.ErrState) {
		return s.lose(in, err)
	}
	if err != nil {
		return err
	}
	*left -= before - rest
	if rest == 0 {
		in.anew()
	}
	return nil
}

// lose makes a scene fail whose arrival the world refuses, as it would in every update from now on. What has its tag goes at once.
func (s *streamer) lose(in *instance, why error) error {
	in.err = errorf("%s: the world does not let its entities come and go any more, so that all that have its SceneTag are destroyed: "+
		"switch its Request off for an update and on again to load it anew: %w", in.path, why)
	in.anew()
	in.lost = true
	return s.endOrphans()
}

// retire begins to unload a scene.
func (s *streamer) retire(in *instance) {
	in.phase = Unloading
	in.link = nil
	s.saved = nil
	s.unresolve(in)
	for _, name := range slices.Sorted(maps.Keys(in.added)) {
		in.going = append(in.going, in.added[name])
	}
	in.added = nil
}

// come goes a step on with what is wanted.
func (s *streamer) come(in *instance, left *int, wait bool) error {
	if in.wanted && !ecs.HasComponent[SubScene](s.world, in.entity) {
		in.seen, in.wanted, s.saved = 0, false, nil // it was part of a scene that has gone in this step
	}
	if !in.wanted {
		return nil
	}
	if in.phase != Loaded && in.phase != Live {
		s.saved = nil
	}
	if in.phase == Unloaded {
		in.phase, in.due = Requested, s.update+uint64(max(s.config.Delay, 0))
		in.load = s.begin(in)
	}
	if in.phase == Requested {
		delayed := s.config.Delay > 0
		switch {
		case delayed && s.update < in.due && !wait:
			return nil
		case !delayed && !wait && !in.load.done():
			return nil
		}
		<-in.load.over
		l := in.load
		in.load = nil
		if l.err == nil {
			l.err = in.guarded(func() error { return l.arrival.Begin(s.world) })
		}
		if l.err != nil {
			in.phase, in.err = Failed, l.err
			return nil
		}
		in.joins(l)
		in.phase, in.sum = Coming, l.baked.sum
		s.loads++
		in.number = s.loads
	}
	if in.phase != Coming || *left <= 0 && in.arrival.Left() > 0 {
		return nil
	}
	n, err := s.admit(in, *left)
	if errors.Is(err, ecs.ErrState) {
		return s.lose(in, err)
	}
	if err != nil {
		in.err = err
		s.retire(in) // what came goes
		return nil
	}
	*left -= n
	if in.arrival.Left() > 0 {
		return nil
	}
	in.phase = Loaded
	s.resolve(in)
	return nil
}

// joins takes in what was read, when the arrival has begun.
func (in *instance) joins(l *load) {
	in.baked, in.arrival, in.link, in.outward, in.kept = l.baked, l.arrival, nil, nil, arrivalBytes{}
	for _, r := range l.baked.outward {
		in.outward = append(in.outward, worldReference{l.arrival.Of(r.From), r})
	}
	if l.doc != nil {
		in.link = &link{doc: l.doc}
	}
}

// admit lets rows come. Methods of shared values may panic: that is an error of this scene, not of others.
func (s *streamer) admit(in *instance, most int) (n int, err error) {
	err = in.guarded(func() (err error) {
		if n, err = in.arrival.Admit(most); err != nil && !errors.Is(err, ecs.ErrState) { // that one is told of by lose
			err = errorf("%s: %w", in.path, err)
		}
		return err
	})
	return n, err
}

// guarded calls what calls methods of shared values.
func (in *instance) guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errorf("%s: a method of a shared value has panicked: %v\n%s", in.path, v, debug.Stack())
		}
	}()
	return f()
}

// status is what the Status of a sub-scene says. That it is watched is not in it: since when depends on the disk, and is no part of the world.
func (in *instance) status() Status {
	now := Status{Phase: in.phase}
	if in.phase == Live {
		now.Phase = Loaded
	}
	if in.arrival != nil {
		now.Rows, now.Came, now.Load = int32(in.arrival.Len()), int32(len(in.arrival.Entities())), in.number
	}
	return now
}

// tell writes the status of a sub-scene, if it has changed.
func (s *streamer) tell(in *instance) error {
	now := in.status()
	if has := ecs.HasComponent[Status](s.world, in.entity); has || in.seen == s.update && s.world.Exists(in.entity) {
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
	if in.told != now {
		s.saved = nil
	}
	if in.noticed != in.phase && s.config.Notice != nil {
		s.config.Notice(Notice{Scene: in.entity, Path: in.path, Phase: in.phase, Err: in.err})
	}
	in.told, in.noticed = now, in.phase
	return nil
}

// busy reports whether there is something left to do.
func (s *streamer) busy() bool {
	s.ids = s.query.AppendEntities(s.ids[:0])
	for _, e := range s.ids {
		if s.byID[e] == nil {
			return true // it came with a scene in this step
		}
	}
	for _, in := range s.list {
		switch in.phase {
		case Requested, Coming, Unloading:
			return true
		case Unloaded:
			if in.wanted || in.turning {
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

// endOrphans ends what has the tag of a sub-scene that has nothing loaded: the world was restored, or came out of a file, and it is not known
// what was loaded. Sub-scenes may be among it.
func (s *streamer) endOrphans() error {
	var tags map[SceneTag]bool
	for _, in := range s.list {
		if s.orphans || in.lost {
			if tags == nil {
				tags = map[SceneTag]bool{}
			}
			tags[SceneTag{Scene: in.entity}] = true
			in.lost = false
		}
	}
	s.orphans = false
	if len(tags) == 0 {
		return nil
	}
	q := s.queryOf(ecs.With[SceneTag](), ecs.IncludePrefabs(), ecs.IncludeInactive())
	ids := slices.DeleteFunc(q.AppendEntities(nil), func(e ecs.Entity) bool {
		tag, err := ecs.Get[SceneTag](s.world, e)
		return err != nil || !tags[tag]
	})
	if err := ecs.DestroyAll(s.world, ecs.List(ids)); err != nil {
		return err
	}
	return s.look()
}

// load is a scene that is being read.
type load struct {
	over    chan struct{} // closed when the rest is there
	baked   *Baked
	doc     *Document // the text, if it is to be watched
	arrival *rows.Arrival
	err     error
}

// done reports whether the scene was read.
func (l *load) done() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// readers is how many scenes are read at once in the process: each has memory for a file.
var readers = make(chan struct{}, 4)

// begin has a scene read. Reading blocks, and a pool may have no worker but the owner of the world: it has a goroutine of its own.
func (s *streamer) begin(in *instance) *load {
	l := &load{over: make(chan struct{})}
	files, path, entity, opts, live := s.filesOf(in.path), in.path, in.entity, s.config.Options, s.config.Live
	go func() {
		readers <- struct{}{}
		defer func() {
			if v := recover(); v != nil { // of a codec, a method of a value, the file system
				l.err = errorf("%s: a panic while it was read: %v\n%s", path, v, debug.Stack())
			}
			<-readers
			close(l.over)
		}()
		if l.baked, l.err = ReadFile(files, path, opts...); l.err == nil {
			l.arrival, l.err = rows.NewArrival(l.baked.Image(), SceneTag{Scene: entity})
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

// filesOf returns where a scene is.
func (s *streamer) filesOf(path string) fs.FS {
	if own := s.own[path]; own != nil {
		return own
	}
	return s.config.files()
}
