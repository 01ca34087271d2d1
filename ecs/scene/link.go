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
	"github.com/lanewise/lanewise/ecs/tool"
)

// defaultPoll is how often a text is looked at: well below the time in which a person sees a change.
const defaultPoll = 10 * time.Millisecond

// link is the watch over the text of a scene that is loaded.
type link struct {
	doc     *Document // what the entities in the world are written as; nil before it was read
	outward []linkReference
	next    time.Time // of the next look
	look    *glance   // that is under way
	last    glanceAt  // what the file looked like then
	since   time.Time // since when something is wrong with it; zero: nothing is
	bad     string    // what, if that was said
}

// linkReference is a reference out of the scene that came by live link.
type linkReference struct {
	from string // the name of the entity
	ref  Reference
}

// glanceAt is what a file looks like from outside.
type glanceAt struct {
	size int64
	time time.Time
	sum  [sha256.Size]byte
}

// glance is a look at a file, by a goroutine of its own.
type glance struct {
	over    chan struct{}
	opts    []Option
	at      glanceAt
	doc     *Document // nil if the text is the same
	changes []change
	absent  bool // there is no text
	other   bool // it is another text than the one that was loaded, which none has
	err     error
}

// patience is how long something may be wrong with a text before it is said: it may be half-written.
const patience = 300 * time.Millisecond

// change is what has become of one entity of a text.
type change struct {
	name  string
	gone  bool
	is    bool // new
	parts []partChange
}

// partChange is what has become of one component of an entity.
type partChange struct {
	typ       reflect.Type
	gone      bool
	off       bool
	enabled   bool // on or off is written otherwise
	value     any
	refs      []Reference
	was       any // what the text before said
	wasRefs   []Reference
	unwritten bool // there was no such component before
}

// link applies what was found out about texts, and has them looked at again. If it is to wait it looks now, at all of them.
func (s *streamer) link(wait bool) error {
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
	for _, in := range s.list {
		if !in.whole() || !in.wanted {
			continue
		}
		if look := s.looked(in, now, wait); look != nil {
			in.link.next = now.Add(poll)
			errs = append(errs, s.see(in, look, wait))
		}
	}
	return errors.Join(errs...)
}

// looked returns a look at the text of in that is over, or nil; it begins one if it is time, and if it is to wait
// there is one in the end.
func (s *streamer) looked(in *instance, now time.Time, wait bool) *glance {
	if in.link == nil {
		in.link = &link{}
	}
	l := in.link
	if l.look == nil && (wait || !now.Before(l.next)) {
		l.look = s.glance(in, wait)
	}
	if l.look == nil {
		return nil
	}
	if wait {
		<-l.look.over
	}
	select {
	case <-l.look.over:
		look := l.look
		l.look = nil
		return look
	default:
		return nil
	}
}

// Refresh looks at the texts of all scenes of w that are loaded, now, whether they are watched or not, and applies what has
// changed. A watcher of one's own calls it, between updates, when the system has told it of a change. The error
// of a world that is closed is of category ecs.ErrDisposed.
func Refresh(w *ecs.World) error {
	s, err := streamerFor(w)
	if err != nil {
		return err
	}
	err = s.link(true)
	for _, in := range s.list {
		if in.link != nil && in.link.doc == nil && in.whole() { // that look was the first
			return errors.Join(err, s.link(true))
		}
	}
	return err
}

// see takes in what a look has found out.
func (s *streamer) see(in *instance, look *glance, wait bool) error {
	if look.doc != nil || look.err != nil || in.link.doc == nil {
		s.saved = nil
	}
	l := in.link
	switch {
	case look.absent && l.doc == nil:
		l.next = l.next.Add(time.Second) // it was loaded from a baked file alone
		return nil
	case look.other:
		s.retire(in) // and loaded anew
		return nil
	case look.err != nil:
		return s.complain(in, look.err, wait)
	}
	l.last, l.since, l.bad, in.err = look.at, time.Time{}, "", nil
	in.phase = Live
	if look.doc == nil {
		return s.tell(in)
	}
	first := l.doc == nil
	l.doc, in.sum = look.doc, look.doc.Sum()
	if first && look.changes == nil {
		return s.tell(in)
	}
	err := s.apply(in, look.changes)
	s.resolve(in)
	return errors.Join(err, s.tell(in))
}

// complain tells once of a text that cannot be read, if it stays so: an editor may be writing it.
func (s *streamer) complain(in *instance, err error, wait bool) error {
	l := in.link
	if l.since.IsZero() {
		l.since = time.Now()
	}
	if text := err.Error(); l.bad != text && (wait || time.Since(l.since) > patience) {
		l.bad, in.err = text, err
		if s.config.Notice != nil {
			s.config.Notice(Notice{Scene: in.entity, Path: in.path, Phase: in.phase, Err: err})
		}
	}
	if wait {
		return err
	}
	return nil
}

// apply makes, changes and destroys the entities of in as its text was changed: ids first, for what is new may be
// referred to.
func (s *streamer) apply(in *instance, changes []change) error {
	var errs []error
	for i := range changes {
		if c := &changes[i]; c.is {
			e := s.world.Spawn(SceneTag{Scene: in.entity})
			errs = append(errs, s.world.SetNameOf(e, c.name))
			if in.added == nil {
				in.added = map[string]ecs.Entity{}
			}
			in.added[c.name] = e
		}
	}
	for i := range changes {
		c := &changes[i]
		if !c.gone {
			errs = append(errs, s.change(in, c))
			continue
		}
		errs = append(errs, s.world.Destroy(in.named(c.name)))
		delete(in.added, c.name)
		if in.removed == nil {
			in.removed = map[string]bool{}
		}
		in.removed[c.name] = true
	}
	return errors.Join(errs...)
}

// change makes the components of one entity what its text says now.
func (s *streamer) change(in *instance, c *change) error {
	w, e := s.world, in.named(c.name)
	if !w.Exists(e) {
		return nil // the game has ended it
	}
	var errs []error
	for i := range c.parts {
		p := &c.parts[i]
		if p.gone {
			if err := ecs.RemoveTypes(w, ecs.One(e), tool.TermOf(ecs.With[struct{}](), p.typ)); err != nil {
				errs = append(errs, err)
			}
			continue
		}
		value, err := s.filled(in, c.name, p.value, p.refs)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !p.unwritten {
			s.sayReplaced(in, c.name, e, p, value)
		}
		errs = append(errs, tool.PutValueOf(w, e, p.typ, value))
		if p.enabled {
			errs = append(errs, tool.SetEnabledOf(w, e, p.typ, !p.off))
		}
		in.link.drop(c.name, p.typ)
		for _, r := range p.refs {
			if !r.Own {
				in.link.outward = append(in.link.outward, linkReference{c.name, r})
			}
		}
	}
	return errors.Join(errs...)
}

// drop forgets the references of a component that is written anew.
func (l *link) drop(name string, t reflect.Type) {
	kept := l.outward[:0]
	for _, r := range l.outward {
		if r.from != name || r.ref.Type != t {
			kept = append(kept, r)
		}
	}
	l.outward = kept
}

// filled gives the references in a value their entities.
func (s *streamer) filled(in *instance, _ string, v any, refs []Reference) (_ any, err error) {
	for i := range refs {
		var to ecs.Entity
		if refs[i].Own {
			to = in.named(refs[i].Name)
		} else {
			to = s.target(&refs[i])
		}
		if v, err = refs[i].Put(v, to); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// sayReplaced says that the program had changed what the file changes too.
func (s *streamer) sayReplaced(in *instance, name string, e ecs.Entity, p *partChange, next any) {
	if s.config.Notice == nil {
		return
	}
	is, err := tool.ValueOf(s.world, e, p.typ)
	was, err2 := s.filled(in, name, p.was, p.wasRefs)
	if err != nil || err2 != nil || reflect.DeepEqual(is, was) || reflect.DeepEqual(is, next) {
		return
	}
	s.config.Notice(Notice{Scene: in.entity, Path: in.path, Phase: in.phase, Entity: e, Component: p.typ.String(),
		Err: errorf("%s: %s of %q: the file has replaced what the program had changed", in.path, p.typ, name)})
}

// glance has the text of a scene looked at.
func (s *streamer) glance(in *instance, sure bool) *glance {
	g := &glance{over: make(chan struct{}), opts: s.config.Options}
	files, path, before, last, sum := s.filesOf(in.path), in.path, in.link.doc, in.link.last, in.sum
	sure = sure || !in.link.since.IsZero() // or something was wrong
	go func() {
		readers <- struct{}{}
		defer func() {
			if v := recover(); v != nil {
				g.err = errorf("%s: a panic while it was read: %v\n%s", path, v, debug.Stack())
			}
			<-readers
			close(g.over)
		}()
		g.read(files, path, before, last, sum, sure)
	}()
	return g
}

// read looks at a text: at its size and time, then at its bytes, then at what they say.
func (g *glance) read(files fs.FS, path string, before *Document, last glanceAt, loaded [sha256.Size]byte, sure bool) {
	info, err := fs.Stat(files, path)
	if err != nil {
		g.absent, g.err = errors.Is(err, fs.ErrNotExist), fmt.Errorf("scene: %w", err)
		return
	}
	if err := regular(info, nil); err != nil {
		g.err = fmt.Errorf("scene: %w", err)
		return
	}
	g.at = glanceAt{info.Size(), info.ModTime(), last.sum}
	if before != nil && !sure && g.at == last && time.Since(info.ModTime()) > time.Second {
		return // clocks of file systems are coarse: what is young is read
	}
	text, err := fs.ReadFile(files, path)
	if err != nil {
		g.err = fmt.Errorf("scene: %w", err)
		return
	}
	if g.at.sum = sha256.Sum256(text); before != nil && g.at.sum == before.Sum() {
		return
	}
	doc, err := Parse(path, text, g.opts...)
	if err != nil {
		g.err = err
		return
	}
	if before == nil {
		g.doc, g.other = doc, doc.Sum() != loaded
		return
	}
	if g.changes, g.err = compareDocuments(before, doc); g.err == nil {
		g.doc = doc
	}
}

// compareDocuments finds out what is written otherwise in another text.
func compareDocuments(before, after *Document) (list []change, err error) {
	var errs []error
	for i := range after.Entries {
		c, err := compareEntry(before, after, i)
		if errs = append(errs, err); c.is || len(c.parts) > 0 {
			list = append(list, c)
		}
	}
	for i := range before.Entries {
		if _, has := after.Find(before.Entries[i].Name); !has {
			list = append(list, change{name: before.Entries[i].Name, gone: true})
		}
	}
	return list, errors.Join(errs...)
}

// compareEntry finds out what is written otherwise of entry i of after.
func compareEntry(before, after *Document, i int) (change, error) {
	n := &after.Entries[i]
	k, had := before.Find(n.Name)
	c := change{name: n.Name, is: !had}
	var old []Part
	if had {
		old = before.Entries[k].Parts
	}
	var errs []error
	for j := range n.Parts {
		p := &n.Parts[j]
		at := partOf(old, p.Type)
		if at >= 0 && old[at].Same(p) {
			continue
		}
		one := partChange{typ: p.Type, off: p.Off, unwritten: at < 0, enabled: at >= 0 && old[at].Off != p.Off || at < 0 && p.Off}
		var now, then error
		if one.value, one.refs, now = after.Value(i, j); now == nil && at >= 0 {
			one.was, one.wasRefs, then = before.Value(k, at)
		}
		if err := errors.Join(now, then); err != nil {
			errs = append(errs, err)
			continue
		}
		c.parts = append(c.parts, one)
	}
	for j := range old {
		if partOf(n.Parts, old[j].Type) < 0 {
			c.parts = append(c.parts, partChange{typ: old[j].Type, gone: true})
		}
	}
	return c, errors.Join(errs...)
}

// partOf returns the place of a component among those of an entity, or -1.
func partOf(parts []Part, t reflect.Type) int {
	for i := range parts {
		if parts[i].Type == t {
			return i
		}
	}
	return -1
}
