package scene

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/panics"
)

// defaultPoll is the time between two checks of a text. This time is well below any delay that a person
// notices.
const defaultPoll = 10 * time.Millisecond

// textWatch holds the state of watching the text of a loaded scene.
type textWatch struct {
	doc           *Document // the text from which the entities in the world were loaded; nil until it was read
	externalRefs  []linkReference
	nextCheck     time.Time  // time of the next check
	currentCheck  *textCheck // the check that is running
	lastStamp     fileStamp  // stamp of the file at the last check
	faultSince    time.Time  // when the text was first found to have a fault; zero if it has none
	reportedFault string     // the fault that was reported
}

// linkReference is a reference to an entity outside of the scene, in a component that live link has
// set.
type linkReference struct {
	from string // the name of the entity with the component
	ref  Reference
}

// fileStamp holds the size, the time and the checksum of a file. If the file changes, its stamp
// changes.
type fileStamp struct {
	size int64
	time time.Time
	sum  [sha256.Size]byte
}

// coarseClock is longer than the resolution of a file system's clock. If a file was changed within this
// time, its stamp is not sufficient, so the file must be read to find out whether it has changed again.
const coarseClock = time.Second

// textCheck is one check of a text. In its own goroutine, it reads the text and compares it with
// the previous text.
type textCheck struct {
	finished  chan struct{}
	opts      []Option
	stamp     fileStamp
	doc       *Document // nil if the text has not changed
	changes   []entityChange
	noText    bool // there is no text file
	otherText bool // the text is not the one that was loaded, and the loaded text is unknown
	err       error
}

// badTextDelay is how long a text may have a fault before the fault is reported, because an editor
// may not have finished writing the text.
const badTextDelay = 300 * time.Millisecond

// entityChange is the difference of one entity between two texts.
type entityChange struct {
	name    string
	removed bool
	created bool // the entity is new
	parts   []componentChange
}

// componentChange is the difference of one component of an entity.
type componentChange struct {
	typ            reflect.Type
	removed        bool
	disabled       bool
	enabledChanged bool // the component was enabled or disabled
	value          any
	refs           []Reference
	oldValue       any // the value in the old text
	oldRefs        []Reference
	isNew          bool // the old text did not contain the component
}

// pollTexts applies the changes that checks have found, and starts new checks. If wait is true, it
// checks all texts now and waits for the end of the check.
func (s *streamer) pollTexts(wait bool) error {
	if err := checkOpen(s.world); err != nil {
		return err
	}
	if !s.config.Live && !wait {
		return nil
	}
	poll := s.config.Poll
	if poll <= 0 {
		poll = defaultPoll
	}
	var errs []error
	now := time.Now()
	for _, in := range s.instances {
		if !in.isLoaded() || !in.wanted {
			continue
		}
		if look := s.finishedCheck(in, now, wait); look != nil {
			in.watch.nextCheck = now.Add(poll)
			errs = append(errs, s.applyCheck(in, look, wait))
		}
	}
	return errors.Join(errs...)
}

// finishedCheck returns the check of the scene's text if the check is finished, and nil otherwise.
// finishedCheck starts a check if one is due. If wait is true, it waits for the check.
func (s *streamer) finishedCheck(in *instance, now time.Time, wait bool) *textCheck {
	if in.watch == nil {
		in.watch = &textWatch{}
	}
	l := in.watch
	if running := l.currentCheck; wait && running != nil {
		<-running.finished
		if panics.Is(running.err) { // only this check reports it
			l.currentCheck = nil
			return running
		}
	}
	if wait || l.currentCheck == nil && !now.Before(l.nextCheck) {
		l.currentCheck = s.beginCheck(in, wait) // a check that is running may have read the text before it was changed
	}
	if l.currentCheck == nil {
		return nil
	}
	if wait {
		<-l.currentCheck.finished
	}
	select {
	case <-l.currentCheck.finished:
		look := l.currentCheck
		l.currentCheck = nil
		return look
	default:
		yieldOnWasm()
		return nil
	}
}

// Refresh checks the texts of all loaded scenes of w now and applies the changes. Refresh includes
// texts that are not watched. A program that watches files itself calls Refresh between updates
// when a file has changed. If w is closed, the error is of category ecs.ErrDisposed. Only the owner
// of w may call Refresh.
func Refresh(w *ecs.World) error {
	s, err := streamerFor(w)
	if err != nil {
		return err
	}
	err = s.pollTexts(true)
	for _, in := range s.instances {
		if in.watch != nil && in.watch.doc == nil && in.isLoaded() { // that was the first check, which had nothing to compare with
			return errors.Join(err, s.pollTexts(true))
		}
	}
	return err
}

// applyCheck applies the result of a check.
func (s *streamer) applyCheck(in *instance, look *textCheck, wait bool) error {
	if look.doc != nil || look.err != nil || in.watch.doc == nil {
		s.savedState = nil
	}
	l := in.watch
	switch {
	case look.noText && l.doc == nil:
		l.nextCheck = l.nextCheck.Add(time.Second) // the scene was loaded from a baked file, and there is no text
		return nil
	case look.otherText:
		s.beginUnload(in) // unload the scene, so that it is loaded again
		return nil
	case look.err != nil:
		return s.reportBadText(in, look.err, wait)
	}
	l.lastStamp, l.faultSince, l.reportedFault, in.err = look.stamp, time.Time{}, "", nil
	in.phase = Live
	if look.doc == nil {
		return s.writeStatus(in)
	}
	first := l.doc == nil
	l.doc, in.textSum = look.doc, look.doc.Sum()
	if first && look.changes == nil {
		return s.writeStatus(in)
	}
	err := s.applyChanges(in, look.changes)
	s.resolveReferences(in)
	return errors.Join(err, s.writeStatus(in))
}

// reportBadText reports a text that cannot be read. reportBadText reports the fault once, and only if
// the fault lasts, because an editor may still be writing the text.
func (s *streamer) reportBadText(in *instance, err error, wait bool) error {
	l := in.watch
	if l.faultSince.IsZero() {
		l.faultSince = time.Now()
	}
	if text := err.Error(); l.reportedFault != text && (wait || time.Since(l.faultSince) > badTextDelay) {
		l.reportedFault, in.err = text, err
		if s.config.Notice != nil {
			s.config.Notice(Notice{Scene: in.entity, Path: in.path, Phase: in.phase, Err: err})
		}
	}
	if wait {
		return err
	}
	return nil
}

// applyChanges creates, changes and destroys the entities of a scene, as the changes of its text
// require. applyChanges creates entities first, because other entities may refer to them.
func (s *streamer) applyChanges(in *instance, changes []entityChange) error {
	var errs []error
	for i := range changes {
		if c := &changes[i]; c.created {
			e := s.world.Spawn(SceneTag{Scene: in.entity})
			errs = append(errs, s.world.SetEntityName(e, c.name))
			if in.liveCreated == nil {
				in.liveCreated = map[string]ecs.Entity{}
			}
			in.liveCreated[c.name] = e
		}
	}
	for i := range changes {
		c := &changes[i]
		if !c.removed {
			errs = append(errs, s.applyEntityChange(in, c))
			continue
		}
		errs = append(errs, s.world.Destroy(in.entityNamed(c.name)))
		delete(in.liveCreated, c.name)
		if in.liveDestroyed == nil {
			in.liveDestroyed = map[string]bool{}
		}
		in.liveDestroyed[c.name] = true
	}
	return errors.Join(errs...)
}

// applyEntityChange changes the components of one entity to the components in the new text.
func (s *streamer) applyEntityChange(in *instance, c *entityChange) error {
	w, e := s.world, in.entityNamed(c.name)
	if !w.Exists(e) {
		return nil // the program has destroyed the entity
	}
	var errs []error
	for i := range c.parts {
		p := &c.parts[i]
		if p.removed {
			if err := ecs.RemoveTypes(w, ecs.One(e), ecs.With[struct{}]().OfType(p.typ)); err != nil {
				errs = append(errs, err)
			}
			continue
		}
		value, err := s.fillReferences(in, c.name, p.value, p.refs)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !p.isNew {
			s.notifyReplaced(in, c.name, e, p, value)
		}
		errs = append(errs, w.Untyped().Add(e, p.typ, value))
		if p.enabledChanged {
			errs = append(errs, w.Untyped().SetEnabled(e, p.typ, !p.disabled))
		}
		in.watch.dropReferences(c.name, p.typ)
		for _, r := range p.refs {
			if !r.Own {
				in.watch.externalRefs = append(in.watch.externalRefs, linkReference{c.name, r})
			}
		}
	}
	return errors.Join(errs...)
}

// dropReferences removes the references of a component that gets a new value.
func (l *textWatch) dropReferences(name string, t reflect.Type) {
	kept := l.externalRefs[:0]
	for _, r := range l.externalRefs {
		if r.from != name || r.ref.Type != t {
			kept = append(kept, r)
		}
	}
	l.externalRefs = kept
}

// fillReferences sets the references in a value to their entities.
func (s *streamer) fillReferences(in *instance, _ string, v any, refs []Reference) (_ any, err error) {
	for i := range refs {
		var to ecs.Entity
		if refs[i].Own {
			to = in.entityNamed(refs[i].Name)
		} else {
			to = s.referenceTarget(&refs[i])
		}
		if v, err = refs[i].Put(v, to); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// notifyReplaced sends a Notice if the text changes a component that the program has also changed.
func (s *streamer) notifyReplaced(in *instance, name string, e ecs.Entity, p *componentChange, next any) {
	if s.config.Notice == nil {
		return
	}
	is, err := s.world.Untyped().Get(e, p.typ)
	was, err2 := s.fillReferences(in, name, p.oldValue, p.oldRefs)
	if err != nil || err2 != nil || reflect.DeepEqual(is, was) || reflect.DeepEqual(is, next) {
		return
	}
	s.config.Notice(Notice{Scene: in.entity, Path: in.path, Phase: in.phase, Entity: e, Component: p.typ.String(),
		Err: errorf("%s: %s of %q: the file has replaced what the program had changed", in.path, p.typ, name)})
}

// beginCheck starts a check of the text of a scene.
func (s *streamer) beginCheck(in *instance, sure bool) *textCheck {
	g := &textCheck{finished: make(chan struct{}), opts: s.config.Options}
	files, path, before, last, sum := s.filesOf(in.path), in.path, in.watch.doc, in.watch.lastStamp, in.textSum
	sure = sure || !in.watch.faultSince.IsZero() // a text that had a fault is read even if its file looks unchanged
	go func() {
		readTokens <- struct{}{}
		defer func() {
			if v := recover(); v != nil {
				g.err = errorf("%s: a panic while it was read: %w\n%s", path, &panics.Error{Value: v}, debug.Stack())
			}
			<-readTokens
			close(g.finished)
		}()
		g.readText(files, path, before, last, sum, sure)
	}()
	return g
}

// readText first compares the size and time of the file, then its bytes, and then its entities.
// readText stops as soon as a comparison shows no change, so that an unchanged file costs little.
func (g *textCheck) readText(files fs.FS, path string, before *Document, last fileStamp, loaded [sha256.Size]byte, sure bool) {
	info, err := fs.Stat(files, path)
	if err != nil {
		g.noText, g.err = errors.Is(err, fs.ErrNotExist), fmt.Errorf("scene: %w", err)
		return
	}
	if err := requireRegular(info, nil); err != nil {
		g.err = fmt.Errorf("scene: %w", err)
		return
	}
	g.stamp = fileStamp{info.Size(), info.ModTime(), last.sum}
	if before != nil && !sure && g.stamp == last && time.Since(info.ModTime()) > coarseClock {
		return
	}
	text, err := fs.ReadFile(files, path)
	if err != nil {
		g.err = fmt.Errorf("scene: %w", err)
		return
	}
	if g.stamp.sum = sha256.Sum256(text); before != nil && g.stamp.sum == before.Sum() {
		return
	}
	doc, err := Parse(path, text, g.opts...)
	if err != nil {
		g.err = err
		return
	}
	if before == nil {
		g.doc, g.otherText = doc, doc.Sum() != loaded
		return
	}
	if g.changes, g.err = compareDocuments(before, doc); g.err == nil {
		g.doc = doc
	}
}

// compareDocuments returns the differences of the entities of two texts.
func compareDocuments(before, after *Document) (list []entityChange, err error) {
	var errs []error
	for i := range after.Entries {
		c, err := compareEntry(before, after, i)
		if errs = append(errs, err); c.created || len(c.parts) > 0 {
			list = append(list, c)
		}
	}
	for i := range before.Entries {
		if _, has := after.Find(before.Entries[i].Name); !has {
			list = append(list, entityChange{name: before.Entries[i].Name, removed: true})
		}
	}
	return list, errors.Join(errs...)
}

// compareEntry returns the difference between entry i of after and the entry with the same name in
// before.
func compareEntry(before, after *Document, i int) (entityChange, error) {
	n := &after.Entries[i]
	k, had := before.Find(n.Name)
	c := entityChange{name: n.Name, created: !had}
	var old []Part
	if had {
		old = before.Entries[k].Parts
	}
	var errs []error
	for j := range n.Parts {
		p := &n.Parts[j]
		at := partIndex(old, p.Type)
		if at >= 0 && old[at].Same(p) {
			continue
		}
		one := componentChange{typ: p.Type, disabled: p.Off, isNew: at < 0, enabledChanged: at >= 0 && old[at].Off != p.Off || at < 0 && p.Off}
		var now, then error
		if one.value, one.refs, now = after.Value(i, j); now == nil && at >= 0 {
			one.oldValue, one.oldRefs, then = before.Value(k, at)
		}
		if err := errors.Join(now, then); err != nil {
			errs = append(errs, err)
			continue
		}
		c.parts = append(c.parts, one)
	}
	for j := range old {
		if partIndex(n.Parts, old[j].Type) < 0 {
			c.parts = append(c.parts, componentChange{typ: old[j].Type, removed: true})
		}
	}
	return c, errors.Join(errs...)
}

// partIndex returns the index of a component among those of an entity, or -1.
func partIndex(parts []Part, t reflect.Type) int {
	for i := range parts {
		if parts[i].Type == t {
			return i
		}
	}
	return -1
}
