package scene

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/frames"
	"github.com/lanewise/lanewise/ecs/system"
)

// savedScenes is the state of a world's sub-scenes that is saved in images: the numbers of loads,
// the delays that are running, and the ids of the loaded entities. Because of this state, the world
// does the same after a Restore as it did after the image was taken. An image in memory contains
// the structure itself. A file contains the bytes that [Streaming] saves.
type savedScenes struct {
	streamer     *streamer
	loadCount    int32
	recountLoads bool
	lastSerial   uint64
	instances    []instance
	delaysLeft   []uint64 // for each scene, the number of updates until its rows may be loaded
	encoded      []byte   // the encoded state; nil until it is needed
}

// saveScenes returns the state of the sub-scenes that an image must contain. If nothing has
// changed, it returns the state of the previous image.
func (s *streamer) saveScenes() *savedScenes {
	if s.savedState != nil {
		return s.savedState
	}
	k := &savedScenes{streamer: s, loadCount: s.loadCount, recountLoads: s.mustRecount, lastSerial: s.lastSerial}
	for _, in := range s.instances {
		left := uint64(0)
		if in.dueUpdate > s.updateCount {
			left = in.dueUpdate - s.updateCount
		}
		k.instances, k.delaysLeft = append(k.instances, in.copyForImage()), append(k.delaysLeft, left)
	}
	s.savedState = k
	return k
}

// onCapture attaches the state of the sub-scenes to an image.
func (s *streamer) onCapture(m *ecs.Image) { m.Attach(attachedKey{}, s.saveScenes()) }

// copyForImage returns a copy of the sub-scene without its goroutines.
func (in *instance) copyForImage() instance {
	own := *in
	own.load, own.readAgain = nil, false
	own.liveCreated, own.liveDestroyed, own.toDestroy = maps.Clone(in.liveCreated), maps.Clone(in.liveDestroyed), slices.Clone(in.toDestroy)
	if in.arrival != nil {
		own.arrival = in.arrival.Clone()
	}
	if in.watch != nil {
		own.watch = &textWatch{doc: in.watch.doc, externalRefs: slices.Clone(in.watch.externalRefs), lastStamp: in.watch.lastStamp}
	}
	return own
}

// onRestore restores the sub-scenes from the state in an image. If the world of the image did not
// have the systems of this package, the image does not say which scenes were loaded. Then all
// wanted scenes are loaded again.
func (s *streamer) onRestore(m *ecs.Image) {
	if k, _ := m.Attached(attachedKey{}).(*savedScenes); k != nil && k.streamer == s {
		s.restoreScenes(k)
		s.savedState = k
		return
	}
	given := s.loadedState
	s.loadedState = nil
	if all := system.StateOf(m); all != nil {
		for i := range all.Systems {
			own := &all.Systems[i]
			switch {
			case own.Name != streamingName || len(own.Own) == 0:
				continue
			case bytes.Equal(own.Own, given) && s.arrivalsBegun(): // [Streaming.LoadState] has already restored this state
				return
			}
			if k, err := s.decodeState(own.Own); err == nil { // if there is an error, LoadState reports it
				s.restoreScenes(k)
				s.savedState = k
				return
			}
		}
	}
	s.restoreScenes(&savedScenes{recountLoads: true}) // the image belongs to another history than that of this world
}

// arrivalsBegun reports whether the arrivals of all loaded scenes can be continued in the current
// contents of the world. Arrivals cannot be continued if the world was restored again after they were
// created.
func (s *streamer) arrivalsBegun() bool {
	return !slices.ContainsFunc(s.instances, func(in *instance) bool { return in.isLoaded() && in.arrival.Resume() != nil })
}

// streamingName is the name of the system that saves the sub-scenes.
var streamingName = system.Of[Streaming]().String()

// restoreScenes restores the sub-scenes from a saved state.
func (s *streamer) restoreScenes(k *savedScenes) {
	s.mayHaveOrphans, s.savedState, s.loadedState = k.streamer == nil, nil, nil
	s.loadCount, s.mustRecount, s.lastSerial = k.loadCount, k.recountLoads, k.lastSerial
	before := s.byID
	s.instances, s.byID = nil, map[ecs.Entity]*instance{}
	for i := range k.instances {
		own := k.instances[i].copyForImage()
		in := &own
		in.dueUpdate, in.seenUpdate, in.mustResume = s.updateCount+k.delaysLeft[i], s.updateCount, true
		in.lastStatus = in.currentStatus()
		old := before[in.entity]
		switch {
		case in.needsLoad():
			if old != nil && old.path == in.path {
				in.load = old.load // the file may already be in the process of being read
			}
		case in.isLoaded() && in.arrival.Resume() != nil: // the ids cannot be reserved again, so load the scene again
			in.reset()
			in.rowsUnknown = true
		case in.isLoaded() && old != nil && old.isLoaded() && in.watch != nil && old.watch != nil:
			in.err, in.watch.faultSince, in.watch.reportedFault = old.err, old.watch.faultSince, old.watch.reportedFault // these fields depend on the real time, and not on the world
		}
		s.instances = append(s.instances, in)
		s.byID[in.entity] = in
	}
}

// needsLoad reports whether the sub-scene must read its file before it can continue.
func (in *instance) needsLoad() bool {
	return in.phase == Requested || in.phase == Coming && in.arrivalState != nil
}

// resumeAll resumes all arrivals after the world was restored. resumeAll starts reading all files
// before it waits for the first one.
func (s *streamer) resumeAll() {
	s.loadedState = nil
	for _, in := range s.instances {
		switch {
		case !in.mustResume:
		case in.needsLoad() && in.load == nil:
			in.load = s.beginLoad(in)
		case in.isLoaded() && in.baked == nil && (in.textKnown || s.config.Live):
			if in.watch == nil {
				in.watch = &textWatch{}
			}
			in.watch.currentCheck = s.beginCheck(in, true)
		}
	}
	for _, in := range s.instances {
		s.resumeArrival(in)
	}
}

// resumeArrival resumes the arrival of a sub-scene after the world was restored. If the world
// was loaded from a file, resumeArrival creates the arrival from its saved bytes and from the
// remaining rows of the scene. If the scene cannot be read, the rows in the world are unloaded,
// and the whole scene is loaded again.
func (s *streamer) resumeArrival(in *instance) {
	if !in.mustResume {
		return
	}
	in.mustResume, s.savedState = false, nil
	if in.watch != nil && in.watch.doc == nil && in.watch.currentCheck != nil {
		s.adoptText(in)
	}
	if in.arrivalState == nil {
		if in.arrival != nil && in.arrival.Resume() != nil {
			in.reset()
			in.rowsUnknown = true
		}
		return
	}
	from := in.arrivalState
	in.arrivalState = nil
	if in.phase == Coming {
		<-in.load.finished
		l := in.load
		in.load = nil
		if l.err == nil && l.baked.image.Hash() == in.imageHash && l.arrival.LoadState(s.world, from) == nil {
			out := in.externalRefs
			in.takeLoad(l)
			in.externalRefs = out
			return
		}
		if l.err != nil {
			in.err = fmt.Errorf("%w: the scene was coming when the world was saved, and the rest of it cannot be read, so that what had come goes: "+
				"call scene.Configure with its Files before snapshot.Load; or now, and switch its Request off for an update and on again", l.err)
		}
	}
	in.arrival = &ecs.ImageStream{}
	if err := in.arrival.LoadState(s.world, from); err != nil {
		in.reset()
		in.rowsUnknown = true
		return
	}
	if in.phase == Coming {
		s.beginUnload(in)
	}
}

// adoptText is for a world from a file. adoptText assumes that the entities of a scene were loaded from
// the text that the current check has read. From then on, live link finds the changes of this text.
func (s *streamer) adoptText(in *instance) {
	l := in.watch
	<-l.currentCheck.finished
	look := l.currentCheck
	l.currentCheck = nil
	if look.doc == nil {
		return // later checks report the text if it is missing or cannot be read
	}
	l.doc, l.lastStamp = look.doc, look.stamp
	if look.doc.Sum() != in.textSum && s.config.Notice != nil {
		s.config.Notice(Notice{Scene: in.entity, Path: in.path, Phase: in.phase, Err: errorf("%s: the text has changed since the world was saved: "+
			"the entities are as they were saved, and changes from now on are seen; switch the Request off and on to load it anew", in.path)})
	}
}

// recountLoads sets the counter of loads to the largest load number in the world. The next load gets
// the next number. So all worlds that restore the same image give the same numbers to their next loads.
func (s *streamer) recountLoads() error {
	q := s.queryOf(ecs.With[Status](), ecs.IncludePrefabs(), ecs.IncludeInactive())
	s.loadCount, s.mustRecount, s.savedState = 0, false, nil
	for _, e := range q.AppendEntities(nil) {
		told, err := ecs.Get[Status](s.world, e)
		if err != nil {
			return err
		}
		s.loadCount = max(s.loadCount, told.Load)
	}
	return nil
}

// reset marks the scene as not loaded. The reason is that the world does not contain it, or that its
// rows are not known.
func (in *instance) reset() {
	in.arrival, in.baked, in.watch, in.liveCreated, in.liveDestroyed, in.toDestroy = nil, nil, nil, nil, nil, nil
	in.names, in.externalRefs, in.arrivalState, in.mustResume, in.textKnown, in.load, in.savedArrival = nil, nil, nil, false, false, nil, arrivalBytes{}
	if in.phase = Unloaded; in.err != nil {
		in.phase = Failed
	}
}

// AppendState implements [system.Saver]. The state contains the loaded scenes with the ids of
// their entities, and the scenes that must be loaded or unloaded. If no scene was ever wanted,
// the state is nil. If the world has a [Config.Delay], the state depends neither on the disk nor
// on the real time.
func (t *Streaming) AppendState(out []byte) []byte {
	if t.streamer == nil {
		return nil
	}
	k := t.streamer.saveScenes()
	if len(k.instances) == 0 && k.loadCount == 0 && k.lastSerial == 0 {
		return nil
	}
	if k.encoded == nil {
		k.encoded = k.encodeState()
	}
	if len(out) == 0 {
		return k.encoded[:len(k.encoded):len(k.encoded)] // most images share these bytes, so limit the capacity: an append must copy them
	}
	return append(out, k.encoded...)
}

// LoadState implements [system.Saver]. LoadState returns an error if the bytes are damaged or were
// written by a later release.
func (t *Streaming) LoadState(in []byte) error {
	if now := t.AppendState(nil); bytes.Equal(in, now) {
		return nil // this state was already restored from an image of this world
	}
	k, err := t.streamer.decodeState(in)
	if err != nil {
		return err
	}
	t.streamer.restoreScenes(k)
	t.streamer.loadedState = slices.Clone(in)
	return nil
}

// stateVersion is the version of the saved bytes.
const stateVersion = 1

// arrivalBytes holds the saved bytes of an arrival, and how many rows were left and loaded when the
// bytes were saved.
type arrivalBytes struct {
	bytes                []byte
	rowsLeft, rowsLoaded int
}

// encodeState returns the saved sub-scenes as bytes.
func (k *savedScenes) encodeState() []byte {
	var o frames.Out
	o.U32(stateVersion)
	o.U32(uint32(k.loadCount))
	o.U64(k.lastSerial)
	o.Count(len(k.instances))
	for i := range k.instances {
		own := &k.instances[i]
		own.appendInstance(&o, k.delaysLeft[i])
		if in := k.streamer.byID[own.entity]; in != nil {
			in.savedArrival = own.savedArrival
		}
	}
	return o.Buf
}

// appendInstance appends a sub-scene. The parameter left is the number of updates until the rows of
// the sub-scene may be loaded.
func (in *instance) appendInstance(o *frames.Out, left uint64) {
	o.Entity(in.entity)
	o.Text(in.path)
	o.U64(in.serial)
	o.U32(uint32(in.priority))
	o.Flag(in.wanted)
	o.Flag(in.pathChanged)
	o.Flag(in.textKnown || in.watch != nil && in.watch.doc != nil)
	o.U64(left)
	o.U32(uint32(in.loadNumber))
	phase, why := in.phase, ""
	if phase == Live {
		phase = Loaded
	}
	if in.err != nil && !in.isLoaded() {
		why, _, _ = strings.Cut(in.err.Error(), "\n") // the rest of a panic's text contains addresses, which differ between runs
	}
	o.U32(uint32(phase))
	o.Text(why)
	o.Buf = append(o.Buf, in.textSum[:]...)
	image, from := in.imageHash, in.arrivalState
	switch {
	case in.arrival != nil:
		if phase == Coming {
			image = in.baked.image.Hash()
		}
		if now := (arrivalBytes{nil, in.arrival.Left(), len(in.arrival.Entities())}); in.savedArrival.bytes == nil || in.savedArrival.rowsLeft != now.rowsLeft || in.savedArrival.rowsLoaded != now.rowsLoaded {
			now.bytes = in.arrival.AppendState(nil)
			in.savedArrival = now
		}
		from = in.savedArrival.bytes
	}
	o.U64(image)
	o.Maybe(from)
	o.Count(len(in.externalRefs))
	for i := range in.externalRefs {
		o.Entity(in.externalRefs[i].from)
		in.externalRefs[i].ref.appendReference(o)
	}
	var later []linkReference
	if in.watch != nil {
		later = in.watch.externalRefs
	}
	o.Count(len(later))
	for i := range later {
		o.Text(later[i].from)
		later[i].ref.appendReference(o)
	}
	o.Count(len(in.liveCreated))
	for _, name := range slices.Sorted(maps.Keys(in.liveCreated)) {
		o.Text(name)
		o.Entity(in.liveCreated[name])
	}
	o.Count(len(in.liveDestroyed))
	for _, name := range slices.Sorted(maps.Keys(in.liveDestroyed)) {
		o.Text(name)
	}
	o.Count(len(in.toDestroy))
	o.Entities(in.toDestroy)
}

// appendReference appends a reference without the entity that contains it.
func (r *Reference) appendReference(o *frames.Out) {
	o.Text(nameOf(r.Type))
	o.Count(len(r.Path))
	for _, i := range r.Path {
		o.U32(uint32(i))
	}
	o.Text(r.Scene)
	o.Text(r.Name)
}

var errState = errors.New("the saved sub-scenes are damaged, or of a later release")

// decodeState decodes the bytes of encodeState.
func (s *streamer) decodeState(in []byte) (*savedScenes, error) {
	d := &frames.In{Rest: in}
	if d.U32() != stateVersion {
		return nil, errState
	}
	k := &savedScenes{streamer: s, loadCount: int32(d.U32()), lastSerial: d.U64(), encoded: slices.Clone(in)}
	for range d.Count(90) {
		own := instance{}
		k.delaysLeft = append(k.delaysLeft, own.decodeInstance(d, fileCatalog()))
		if d.Failed {
			return nil, errState
		}
		if own.isLoaded() {
			own.arrival = &ecs.ImageStream{}
			if err := own.arrival.LoadState(s.world, own.arrivalState); err != nil {
				return nil, errors.Join(errState, err)
			}
			own.arrivalState = nil
			own.names = make(map[string]ecs.Entity, own.arrival.Len())
			for _, e := range own.arrival.Entities() {
				if name := s.world.EntityName(e); name != "" {
					own.names[name] = e
				}
			}
		}
		k.instances = append(k.instances, own)
	}
	if !d.Done() {
		return nil, errState
	}
	return k, nil
}

// decodeInstance decodes a sub-scene. It returns the number of updates until the rows may be
// loaded.
func (in *instance) decodeInstance(d *frames.In, known *catalog) (left uint64) {
	in.entity, in.path, in.serial, in.priority = d.Entity(), d.Text(), d.U64(), int32(d.U32())
	in.wanted, in.pathChanged, in.textKnown, left, in.loadNumber = d.Flag(), d.Flag(), d.Flag(), d.U64(), int32(d.U32())
	phase, why := d.U32(), d.Text()
	if in.phase = Phase(phase); phase > uint32(Failed) || in.phase == Live || left > 1<<62 {
		d.Fail()
	}
	in.lastNotice = in.phase
	if why != "" {
		in.err = errors.New(why)
	}
	copy(in.textSum[:], d.Take(sha256.Size))
	in.imageHash, in.arrivalState = d.U64(), slices.Clone(d.Maybe())
	if in.arrivalState == nil && (in.isLoaded() || in.phase == Coming || in.phase == Unloading) {
		d.Fail()
	}
	for range d.Count(28) {
		from := d.Entity()
		if r, ok := decodeReference(d, known); ok {
			in.externalRefs = append(in.externalRefs, worldReference{from, r})
		}
	}
	for range d.Count(24) {
		from := d.Text()
		if r, ok := decodeReference(d, known); ok {
			if in.watch == nil {
				in.watch = &textWatch{}
			}
			in.watch.externalRefs = append(in.watch.externalRefs, linkReference{from, r})
		}
	}
	in.liveCreated, in.liveDestroyed = map[string]ecs.Entity{}, map[string]bool{}
	for range d.Count(12) {
		name := d.Text()
		in.liveCreated[name] = d.Entity()
	}
	for range d.Count(4) {
		in.liveDestroyed[d.Text()] = true
	}
	in.toDestroy = d.Entities(d.Count(8))
	return left
}

// decodeReference decodes a reference. If the program no longer has the reference's component, the
// result ok is false, and the caller skips the reference.
func decodeReference(d *frames.In, known *catalog) (r Reference, ok bool) {
	own := known.byName[d.Text()]
	r.Path = make([]int, d.Count(4))
	for i := range r.Path {
		r.Path[i] = int(d.U32() & (1<<31 - 1))
	}
	r.Scene, r.Name = d.Text(), d.Text()
	if own == nil || own.componentInfo == nil || d.Failed {
		return r, false
	}
	r.Type = own.Type
	return r, true
}
