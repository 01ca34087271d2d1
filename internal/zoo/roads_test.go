package zoo

import (
	"errors"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/host"
	"github.com/lanewise/lanewise/ecs/pack"
	"github.com/lanewise/lanewise/ecs/render"
	"github.com/lanewise/lanewise/ecs/roads"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/kernels"
)

var full = flag.Bool("lanewise.full", false, "every road at each size, with 20 ticks after it")

// subject returns a zoo for package roads.
func subject(o Options) roads.Subject {
	return roads.Subject{
		New: func(pool *jobs.Pool) (*ecs.World, error) {
			o := o
			o.Pool = pool
			return New(o)
		},
		Tick:     Tick,
		Close:    Close,
		Systems:  func(w *ecs.World) error { return Equip(w, o) },
		Arm:      Arm,
		Snapshot: SnapshotOptions(),
		Pack:     PackOptions(),
	}
}

// A herd is a zoo and the set of roads on which it is tested.
type herd struct {
	name    string
	without []string
	roads   []string
	pairs   func(first, second string) bool // that -roads.pairs takes; nil means all
}

// allRoads returns the roads of package roads, and the roads that only a zoo can take.
func allRoads() []roads.Road {
	return append(roads.All(), roads.Road{Name: "edit", Changes: true, Run: edit}, roads.Road{Name: "show", Run: show}, roads.Road{Name: "halt", Run: halt}, roads.Road{Name: "rowset", Run: rowSets}, roads.Road{Name: "family", Changes: true, Run: family})
}

// edit changes the texts of scenes while the world runs, and changes them back. Loaded scenes get the
// edited values and then those of the text again, and entities are created and destroyed. Scenes that
// are being loaded do not notice an edit that is taken back before the next tick.
func edit(t *roads.Trip) error {
	texts := TextsOf(t.World)
	if texts == nil {
		t.Idle("the zoo has no scenes")
		return nil
	}
	if err := awaitPark(t); err != nil {
		return err
	}
	// After a load from a file, the first check of a text only says which text the scene has.
	if err := scene.Refresh(t.World); err != nil {
		return err
	}
	for _, change := range [][2]string{
		{`"Height": 0.25`, `"Height": 9`},
		{`"tree/7":`, `"tree/new": {"Tree": {"Height": 1, "Next": "@tree/2"}}, "tree/7":`},
		{`"Herd": {"Number": 1}`, `"Herd": {"Number": 2}, "Dreams": {"Count": 5}`},
		{`"lamp/3": {"Tree": {"Height": 5}, "PerChunk[Weather]": {"Rain": 3}},`, ``},
	} {
		undo := texts.Edit(change[0], change[1])
		if err := scene.Refresh(t.World); err != nil {
			return err
		}
		m, err := t.Mark()
		if err != nil {
			return err
		}
		undo()
		if err := scene.Refresh(t.World); err != nil {
			return err
		}
		// An image with the edit restores the edit, which must be taken back again.
		want := t.World.Hash()
		if err := t.Back(m); err != nil {
			return err
		}
		if err := scene.Refresh(t.World); err != nil {
			return err
		}
		if got := t.World.Hash(); got != want {
			return fmt.Errorf("an edit of %s was taken back, and the hash is %016x; after a restore to the edit, %016x", change[0], want, got)
		}
	}
	return editAgain(t, texts)
}

// awaitPark runs up to 20 ticks until all entities of a park are there.
func awaitPark(t *roads.Trip) error {
	q := t.World.Query(ecs.With[scene.Status](), ecs.Read[Gate]())
	defer q.Close()
	for range 20 {
		for _, e := range q.AppendEntities(nil) {
			status, err := ecs.Get[scene.Status](t.World, e)
			if err != nil {
				return err
			}
			if gate, err := ecs.Get[Gate](t.World, e); err != nil || gate.Every == 9 && status.Phase == scene.Loaded {
				return err
			}
		}
		if err := t.Tick(1); err != nil {
			return err
		}
	}
	return nil
}

// editAgain lets a text refer to an entity, two times from the same state. Between them a text without that entity is
// loaded, and the world goes back.
func editAgain(t *roads.Trip, texts *Texts) error {
	m, err := t.Mark()
	if err != nil {
		return err
	}
	try := func(before, after string) (uint64, error) {
		undo := texts.Edit(before, after)
		err := scene.Refresh(t.World)
		hash := t.World.Hash()
		undo()
		return hash, errors.Join(err, t.Back(m), scene.Refresh(t.World))
	}
	const from, to = `"Next": "@tree/0"`, `"Next": "@lamp/2"`
	first, err1 := try(from, to)
	_, err2 := try(`"lamp/2": {"Tree": {"Height": 5}, "PerChunk[Weather]": {"Rain": 2}},`, ``)
	second, err3 := try(from, to)
	if err := errors.Join(err1, err2, err3); err != nil || first == second {
		return err
	}
	return fmt.Errorf("an edit of %s has the hash %016x, and %016x after a restore to the time before an entity was taken out of the text", from, first, second)
}

// show lets a presentation world show a second zoo, next to a third one that shows itself. Their pictures must be the
// same. After a Restore of the second zoo, the presentation world must show the same as a new presentation world.
func show(t *roads.Trip) error {
	if render.AssetsOf(t.World).FindShape(render.ShapeNamed("fin")) == nil {
		t.Idle("the zoo draws nothing")
		return nil
	}
	game, err := t.NewWorld(t.NewPool(1 + t.Rand.IntN(3)))
	if err != nil {
		return err
	}
	own, err := t.NewWorld(t.Pool())
	if err != nil {
		return err
	}
	screen, err := newScreen(t)
	if err != nil {
		return err
	}
	var m *ecs.Image
	n := 2 + t.Rand.IntN(6)
	for i := range n {
		if i == n/2 {
			if m, err = ecs.Capture(game, nil); err != nil {
				return err
			}
		}
		if err := errors.Join(Tick(own), Tick(game), render.Extract(game, screen), system.Update(screen)); err != nil {
			return err
		}
		if err := samePicture(own, screen); err != nil {
			return fmt.Errorf("tick %d: %w", i+1, err)
		}
	}
	if err := system.Restore(game, m); err != nil {
		return err
	}
	fresh, err := newScreen(t)
	if err != nil {
		return err
	}
	for i := range 2 {
		if err := errors.Join(Tick(game), render.Extract(game, screen), system.Update(screen), render.Extract(game, fresh), system.Update(fresh)); err != nil {
			return err
		}
		if err := samePicture(fresh, screen); err != nil {
			return fmt.Errorf("tick %d after a restore: %w", i+1, err)
		}
	}
	return nil
}

// rowSets lets a row set read entities, and the world go back to a time before their archetype was there. Later the row set
// reads an entity whose archetype has the place of that one.
func rowSets(t *roads.Trip) error {
	w := t.World
	set, err := ecs.NewRowSet(w, reflect.TypeFor[Rank]())
	if err != nil {
		return err
	}
	start, err := t.Mark()
	if err != nil {
		return err
	}
	for _, more := range [][]any{{Stray{}, Sway{}}, {}, {Sway{}, Vane{}, Dolly{}, Knob{}}} {
		e := w.Spawn(append(more, Rank{77}, Step{})...)
		b, err := set.Gather(nil, []ecs.Entity{e})
		if err != nil {
			return err
		}
		want, err := set.Gather(nil, []ecs.Entity{w.Spawn(Rank{77})})
		if err != nil {
			return err
		}
		if !slices.Equal(b, want) {
			return fmt.Errorf("an entity with Rank and %d more components has the bytes %v, want %v", len(more)+1, b, want)
		}
		if err := t.Back(start); err != nil {
			return err
		}
	}
	return nil
}

// errHalt is the value of the panics of road halt.
var errHalt = errors.New("a panic of road halt")

// halt lets structural changes of the system transform.Parents panic in the middle of its work. A tick from then on must
// have the same result again after a restore.
func halt(t *roads.Trip) error {
	if system.Find[transform.Parents](t.World) == nil {
		t.Idle("the zoo has no families")
		return nil
	}
	start, err := t.Mark()
	if err != nil {
		return err
	}
	for k := range 3 {
		if err := haltOnce(t, 1+k); err != nil {
			return err
		}
		if err := t.Back(start); err != nil {
			return err
		}
	}
	return nil
}

// A halter panics at a structural change of transform.Parents, the k-th one of an update.
type halter struct {
	k, changes    int
	running, done bool
}

// Before finds out whether transform.Parents begins to run.
func (h *halter) Before(in *system.Instance) {
	_, h.running = in.System().(*transform.Parents)
	h.changes = 0
}

// After does nothing but that another system may change the world.
func (h *halter) After(*system.Instance, uint32, error) { h.running = false }

// change is called before a structural change.
func (h *halter) change(string) {
	if h.running && !h.done {
		if h.changes++; h.changes == h.k {
			h.done = true
			panic(errHalt)
		}
	}
}

// haltOnce lets the k-th change of an update of transform.Parents panic, and runs the next tick two times.
func haltOnce(t *roads.Trip, k int) (err error) {
	h := &halter{k: k}
	stop, remove := system.Watch(t.World, h), t.World.Hooks().OnCommit(h.change)
	for i := 0; i < 8 && !h.done && err == nil; i++ {
		err = Tick(t.World)
	}
	stop()
	remove()
	if err != nil && !errors.Is(err, errHalt) {
		return err
	}
	m, err := t.Mark()
	if err != nil {
		return err
	}
	var hashes [2]uint64
	for i := range hashes {
		if err := Tick(t.World); err != nil {
			return err
		}
		hashes[i] = t.World.Hash()
		if err := t.Back(m); err != nil {
			return err
		}
	}
	if hashes[0] != hashes[1] {
		return fmt.Errorf("the tick after a panic of transform.Parents at change %d has the hash %016x, and %016x after a restore", k, hashes[0], hashes[1])
	}
	return nil
}

// family lets half of the entities that have a parent or children leave in a pack, and come back, some times in
// turn. They come back at once or after a tick. The others keep references to entities that are gone.
func family(t *roads.Trip) error {
	w := t.World
	q := w.Query(ecs.AnyOf(ecs.AllOf(ecs.With[transform.Parent]()), ecs.AllOf(ecs.With[transform.Children]())), ecs.Absent[scene.SceneTag](), ecs.Absent[host.Bound]())
	defer q.Close()
	for range 5 {
		part := q.AppendEntities(nil)
		if len(part) < 2 {
			t.Idle("the zoo has no families")
			return nil
		}
		t.Rand.Shuffle(len(part), func(i, k int) { part[i], part[k] = part[k], part[i] })
		if err := leaveAndReturn(t, part[:len(part)/2]); err != nil {
			return err
		}
		if err := t.Tick(1); err != nil {
			return err
		}
	}
	return nil
}

// leaveAndReturn packs entities, and unpacks them in the same world.
func leaveAndReturn(t *roads.Trip, part []ecs.Entity) error {
	w := t.World
	before, err := roads.CensusOf(w)
	if err != nil {
		return err
	}
	p := pack.New(w, append([]pack.Option{
		pack.Outside(func(e ecs.Entity) (uint64, error) { return uint64(e.Index)<<32 | uint64(e.Version), nil }),
		pack.Inside(func(key uint64) (ecs.Entity, error) {
			e := ecs.Entity{Index: int32(key >> 32), Version: int32(key)}
			if !w.Exists(e) {
				e = ecs.Entity{}
			}
			return e, nil
		}),
	}, PackOptions()...)...)
	message, err := p.Take(nil, part)
	if err != nil {
		return err
	}
	if err := t.Tick(t.Rand.IntN(2)); err != nil {
		return err
	}
	ids, err := p.Unpack(message)
	if err != nil {
		return err
	}
	after, err := roads.CensusOf(w)
	if err != nil {
		return err
	}
	came := map[ecs.Entity]ecs.Entity{}
	for i, e := range part {
		came[e] = ids[i]
	}
	return before.Compare(part, after, func(e ecs.Entity) (ecs.Entity, bool) {
		if n, ok := came[e]; ok {
			return n, true
		}
		return e, w.Exists(e)
	}, func(reflect.Type) bool { return false })
}

// newScreen returns a presentation world.
func newScreen(t *roads.Trip) (*ecs.World, error) {
	w, err := system.NewWorld("screen", system.OnPool(t.NewPool(1)), system.Only())
	if err != nil {
		return nil, err
	}
	t.Keep(w)
	return w, render.Install(w, render.Options{Assets: assets(), Width: 64, Height: 48})
}

// samePicture returns an error unless two worlds show the same.
func samePicture(a, b *ecs.World) error {
	var s Film
	x, errA := s.picture(render.ViewsOf(a))
	y, errB := s.picture(render.ViewsOf(b))
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if x != y {
		return fmt.Errorf("world %s shows %+v, and world %s %+v", a.Name(), x, b.Name(), y)
	}
	return nil
}

// herds returns two zoos: the first has all features, and the second can take all roads.
func herds() []herd {
	whole, all := herd{name: "all features"}, herd{name: "all roads"}
	for _, r := range allRoads() {
		all.roads = append(all.roads, r.Name)
		if without := Refused(r.Name); without == nil {
			whole.roads = append(whole.roads, r.Name)
		} else {
			all.without = append(all.without, without...)
		}
	}
	// This zoo tests only those pairs that the whole zoo cannot test.
	all.pairs = func(a, b string) bool { return Refused(a) != nil || Refused(b) != nil }
	return []herd{whole, all}
}

// canTake reports whether the zoo can take all roads of a program in text form.
func (h *herd) canTake(program string) bool {
	for _, r := range Refusals {
		if strings.Contains(program, " "+r.Road+"#") && !slices.Contains(h.roads, r.Road) {
			return false
		}
	}
	return true
}

// A counter counts the programs that zoos of one size have passed.
type counter struct {
	programs, roads int
	pairs           map[[2]string]bool // of roads that one program has in this order, one after the other
	machines        map[string]bool    // numbers of workers with values of GOMAXPROCS and paths
}

func (c *counter) passed(p roads.Program) {
	c.programs++
	c.roads += len(p.Steps)
	for i := 1; i < len(p.Steps); i++ {
		c.pairs[[2]string{p.Steps[i-1].Road, p.Steps[i].Road}] = true
	}
	c.machines[fmt.Sprint(p.Workers, p.Procs, p.Path)] = true
}

// counters counts for each size, and makes a table of the counts.
type counters map[Size]*counter

func (cs counters) of(size Size) *counter {
	if cs[size] == nil {
		cs[size] = &counter{pairs: map[[2]string]bool{}, machines: map[string]bool{}}
	}
	return cs[size]
}

func (cs counters) String() string {
	var b strings.Builder
	b.WriteString("| size | programs | roads | pairs of roads | machines |\n| --- | --- | --- | --- | --- |")
	all := len(allRoads()) * len(allRoads())
	for _, size := range Sizes {
		if c := cs[size]; c != nil {
			fmt.Fprintf(&b, "\n| %s | %d | %d | %d of %d | %d of %d |", size, c.programs, c.roads, len(c.pairs), all, len(c.machines), 4*2*len(kernels.Paths()))
		}
	}
	return b.String()
}

// TestRoads sends a zoo of each size down roads: down each road alone, and down random pairs and
// triples. By default the large zoo takes a few of them, because each takes a tenth of a second.
// At the end TestRoads logs a table of the counts.
func TestRoads(t *testing.T) {
	counts := counters{}
	defer func() { t.Logf("the programs that have passed:\n%v", counts) }()
	for _, size := range Sizes {
		t.Run(size.String(), func(t *testing.T) {
			for i, h := range herds() {
				child := flagValue("roads.child") != "" // takes what its parent takes
				if !h.canTake(flagValue("roads.program")) || size == Large && i == 1 && !*full && !child {
					continue
				}
				t.Run(h.name, func(t *testing.T) {
					o := roads.Options{Seed: uint64(1 + i*(1+10*int(size))), Roads: allRoads()[len(roads.All()):], Only: h.roads, Passed: counts.of(size).passed}
					if !*full {
						shorten(&o, size, i)
					}
					if flagValue("roads.pairs") == "true" {
						o.Pairs = h.pairs
					}
					s := subject(Options{Seed: uint64(i + 1), Size: size, Without: h.without})
					for child { // until the call of the parent, which ends the test
						roads.Test(t, s, o)
					}
					roads.Test(t, s, o)
					if list := Held(); list != nil {
						t.Errorf("all worlds are closed, and some still hold %+v", list)
					}
				})
			}
		})
	}
}

// shorten limits a test to some tenths of a second. The small zoo with all features takes every road that it can. The
// medium zoo takes the roads that copy or move chunks, because its rows are in several chunks. The other zoo takes the
// roads that the first one cannot take.
func shorten(o *roads.Options, size Size, herd int) {
	o.Ticks, o.Programs = 5, -1
	switch {
	case herd == 1:
		o.Only = []string{"pack", "move"}
	case size == Medium:
		o.Only = []string{"restore", "fork", "save", "delta", "replay", "copy", "stream", "transaction", "defragment"}
	case size == Large:
		o.Only, o.Ticks = []string{"restore"}, 1
	}
	switch {
	case size == Large || flagValue("roads.for") != "0s":
	case herd == 1:
		o.Pairs = func(first, second string) bool { return first == "pack" || second == "pack" }
	default:
		o.Pairs = inGroups(o.Only)
	}
}

// mostInGroup is the usual number of roads in a program of inGroups.
const mostInGroup = 2

// inGroups returns pairs for roads.Options.Pairs. They make short programs in which each road of the list is once, because
// a program of one road spends most of its time on its making and on the ticks at its end. Roads that change ids or rows
// are in other programs than the others. Only if there is a single one, it follows another road.
func inGroups(list []string) (pairs func(first, second string) bool) {
	next, last := map[string]string{}, ""
	for _, changes := range []bool{false, true} {
		var in []string
		for _, r := range allRoads() {
			if r.Changes == changes && slices.Contains(list, r.Name) {
				in = append(in, r.Name)
			}
		}
		for i, name := range in {
			if left := len(in) - i - 1; left == 1 || left > 0 && i%mostInGroup != mostInGroup-1 {
				next[name] = in[i+1]
			}
		}
		if len(in) == 1 && last != "" {
			next[last] = in[0]
		}
		if len(in) > 0 {
			last = in[len(in)-1]
		}
	}
	return func(first, second string) bool { return next[first] == second }
}

// flagValue returns the value of a flag of package roads.
func flagValue(name string) string { return flag.Lookup(name).Value.String() }

// TestRefusals checks that a road that does not support a feature returns an error with the feature's name.
func TestRefusals(t *testing.T) {
	for _, r := range Refusals {
		if !slices.ContainsFunc(roads.All(), func(road roads.Road) bool { return road.Name == r.Road }) {
			continue // a road of another module, whose tests check it
		}
		t.Run(r.Road, func(t *testing.T) {
			roads.Test(t, subject(Options{Seed: 1}), roads.Options{Seed: 1, Only: []string{r.Road}, Programs: -1, Ticks: 4, Refuses: map[string]string{r.Road: r.Error}})
		})
	}
}
