package ecs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs/access"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

const messagesFile = "testdata/messages.golden"

// TestMessages compares the error messages for many mistakes with a file in testdata. It also reports
// messages in the source that no mistake causes.
func TestMessages(t *testing.T) {
	c := &collector{t: t}
	c.types()
	c.archetypes()
	c.entities()
	c.switches()
	c.queries()
	c.misuseSingletons()
	c.misuseAllOf()
	c.commandsOfMany()
	c.chunks()
	c.lookups()
	c.buffers()
	c.commands()
	c.jobs()
	c.misuseGroups()
	c.misuseMoves()
	c.misuseTransactions()
	c.misuseBlobs()
	c.misuseOwners()
	c.misuseTools()
	c.misuseImages()
	c.misuseBuilders()
	c.misuseRestore()
	c.misuseStreams()
	c.misusePut()
	c.misuseExcerpts()
	c.rowSets()
	c.closed()
	c.useNoWorld()
	if *updateMessages {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(messagesFile, []byte(strings.Join(c.messages, "\n")+"\n"), 0o644))
	}
	golden := goldenMessages(t)
	for _, m := range c.messages {
		if !slices.Contains(golden, m) {
			t.Errorf("not in %s: %s", messagesFile, m)
		}
	}
	for _, m := range golden {
		if !slices.Contains(c.messages, m) {
			t.Errorf("in %s, but nothing says it any more: %s", messagesFile, m)
		}
	}
	for place, text := range textsOfSource(t) {
		if !slices.ContainsFunc(golden, text.MatchString) {
			t.Errorf("%s: no misuse of this test leads to this message: %v", place, text)
		}
	}
}

// goldenMessages returns the expected messages, which are in a file.
func goldenMessages(t *testing.T) []string {
	file, err := os.ReadFile(messagesFile)
	must(t, err)
	return strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")
}

// textsOfSource returns a pattern for the text of each error in the package's source, by the place
// of the error.
func textsOfSource(t *testing.T) map[string]*regexp.Regexp {
	files, err := filepath.Glob("*.go")
	must(t, err)
	texts := map[string]*regexp.Regexp{}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "guard") && strings.HasSuffix(name, "_on.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called := ""
			switch f := call.Fun.(type) {
			case *ast.Ident:
				called = f.Name
			case *ast.SelectorExpr:
				called = f.Sel.Name
			}
			if called != "fault" && called != "missing" && called != "Errorf" {
				return true
			}
			for _, arg := range call.Args {
				lit, ok := arg.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				text, err := strconv.Unquote(lit.Value)
				must(t, err)
				if strings.Contains(text, " ") {
					texts[set.Position(lit.Pos()).String()] = regexp.MustCompile(verbs.ReplaceAllString(regexp.QuoteMeta(text), ".*"))
				}
			}
			return true
		})
	}
	return texts
}

var (
	verbs       = regexp.MustCompile(`%[a-z]`)
	placeholder = regexp.MustCompile(`-[0-9]+:-[0-9]+`)
)

// A collector keeps each message of an error or a panic once.
type collector struct {
	t        *testing.T
	messages []string
}

// err records the message of an error. It fails the test if there is no error.
func (c *collector) err(err error) {
	c.t.Helper()
	e, ok := err.(*Error)
	if !ok {
		c.t.Errorf("got %v, want an *Error", err)
		return
	}
	if m := placeholder.ReplaceAllString(e.Error(), "-1:-1"); !slices.Contains(c.messages, m) {
		c.messages = append(c.messages, m)
	}
}

// collectError records the message of the error that a call returns in addition to a result.
func collectError[T any](c *collector) func(T, error) {
	return func(_ T, err error) {
		c.t.Helper()
		c.err(err)
	}
}

// collectPanic records the message of a panic. It fails the test if there is no panic.
func (c *collector) collectPanic(f func()) {
	c.t.Helper()
	defer func() {
		c.t.Helper()
		err, _ := recover().(error)
		c.err(err)
	}()
	f()
}

func (c *collector) archetypes() {
	w, other := newWorld(c.t, 1), newWorld(c.t, 1)
	c.collectPanic(func() { Archetype{}.Capacity() })
	c.collectPanic(func() { w.Create(Archetype{}, 1) })
	c.collectPanic(func() { w.Create(other.Archetype(With[A]()), 1) })
	c.collectPanic(func() { w.Create(w.ArchetypeOf(w.MetaOf(w.Spawn(PerChunk[B]{}))), 1) })
	c.collectPanic(func() { w.Create(w.Archetype(), -1) })
	c.collectPanic(func() { w.Archetype(Without[A]()) })
	c.collectPanic(func() { w.Archetype(With[A](), Read[A]()) })
	c.collectPanic(func() { w.Archetype(With[large1](), With[large2]()) })
	c.collectPanic(func() {
		w.Spawn(sh01{}, sh02{}, sh03{}, sh04{}, sh05{}, sh06{}, sh07{}, sh08{}, sh09{}, sh10{}, sh11{}, sh12{}, sh13{}, sh14{}, sh15{}, Sh{}, Sh2{})
	})
	c.collectPanic(func() { SpawnBundle(w, 7) })
	c.collectPanic(func() { SpawnBundle(w, struct{ a A }{}) })
	one, two := twins()
	w.Spawn(one)
	c.collectPanic(func() { w.Spawn(two) })
	c.err(w.Scheduler().AddAccess(&access.Access{}, With[A]()))
}

func (c *collector) entities() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{1}, Tag{})
	gone := w.Spawn()
	must(c.t, w.Destroy(gone))
	residue := w.Spawn(A{1}, Cl{Value: 1})
	must(c.t, w.Destroy(residue))
	meta := w.MetaOf(w.Spawn(PerChunk[B]{}))
	collectError[A](c)(Get[A](w, Entity{}))
	collectError[A](c)(Get[A](w, Entity{-1, -1}))
	collectError[A](c)(Get[A](w, Entity{99, 1}))
	collectError[A](c)(Get[A](w, gone))
	collectError[B](c)(Get[B](w, e))
	collectError[A](c)(Get[A](w, residue))
	collectError[Tag](c)(Get[Tag](w, e))
	c.err(Set(w, e, Tag{}))
	collectError[[]Entity](c)(w.Instantiate(e, -1))
	collectError[[]Entity](c)(w.Instantiate(residue, 1))
	c.err(w.SetArchetype(w.Spawn(Cl{}), w.Archetype(With[A]())))
	c.err(w.Destroy(meta))
	b := BufferOf(Elem{1})
	full := w.Spawn(b)
	own := get[Buf](c.t, w, full)
	c.err(Add(w, e, own))
	c.err(AddAll(w, Entities([]Entity{e}), own))
	c.err(AddAll(w, Matching(w.Query(With[Tag]())), own))
	c.err(SetAll(w, LinkedTo(e, nil), own))
	c.err(AddAll(w, LinkedTo(e, w.Query()), own))
	c.err(SetAll(w, Entities([]Entity{e}), Tag{}))
	c.err(SetAll(w, Entities([]Entity{e}), C{}))
	c.err(Exchange[C](w, One(e), C{}))
	waits := w.Spawn(Cl{})
	must(c.t, w.Destroy(waits))
	c.err(Exchange[Cl](w, One(waits), C{}))
	c.err(Exchange[C](w, One(e), Sh{}))
	running := w.Scheduler().BeginUpdate("demo.Move")
	c.err(w.Destroy(Entity{99, 1}))
	w.Scheduler().EndUpdate(running)
}

func (c *collector) switches() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{1})
	c.err(SetEnabled[A](w, e, true))
	c.err(SetEnabled[En](w, e, true))
	c.err(SetEnabledAll[A](w, Matching(w.Query(With[A]())), true))
	c.err(SetEnabledAll[En](w, Matching(w.Query(With[A]())), true))
	w.Spawn(En{}, A{})
	for chunk := range w.Query(Read[En](), Write[A]()).Chunks() {
		c.collectPanic(func() { SetEnabledAt[En](chunk, 0, true) })
		c.collectPanic(func() { SetEnabledAt[A](chunk, 0, true) })
		c.collectPanic(func() { EnabledAt[En](chunk, 1) })
	}
	c.collectPanic(func() { NewWorldLookup[A](w).Enabled(e) })
}

func (c *collector) queries() {
	w, other := newWorld(c.t, 1), newWorld(c.t, 1)
	w.Spawn(A{1})
	for _, terms := range [][]Term{
		{Read[Sh]()}, {Disabled[A]()}, {Read[A](), With[B](), With[D](), Changed[A](), Changed[B](), Changed[D]()},
		{WithShared(A{1})}, {WithShared(Sh{Value: 1}), WithShared(Sh2{Value: 2}), WithShared(ClSh{Value: 3})}, {{}}, {AnyOf()},
		{Anywhere(Read[A](), Write[A]())}, {Write[A](), Anywhere(Read[A]())}, {Read[A](), Anywhere(Write[A]())}, {Write[PerChunk[D]](), Anywhere(Read[D]())}, {With[A](), Changed[A](), Anywhere(Write[A]())}, {With[En](), Anywhere(Write[En]())}, {Optional(With[A]())}, {AnyOf(Without[A]())}, {Read[A](), With[A]()}, {Read[B](), Changed[A]()},
		{With[once]()}, {Read[once](), Read[once]()}, {Read[once](), Write[once]()},
		{With[En](), With[En2](), With[EnTag](), With[en3](), With[en4](), With[en5](), With[en6](), With[en7](), With[en8]()},
	} {
		c.collectPanic(func() { w.Query(terms...) })
	}
	q := w.Query(Write[A]())
	c.err(SetValues(q, []A{}))
	c.err(SetValues(q, []B{}))
	c.err(SetValues(w.Query(With[Tag]()), []Tag{}))
	c.err(w.Scheduler().Query("demo.Move", Read[A]()).Close())
	c.collectPanic(func() { w.Scheduler().Query("demo.Move", Read[Sh]()) })
	c.err(DestroyAll(w, Matching(nil)))
	c.err(DestroyAll(w, Matching(other.Query())))
	c.collectPanic(func() {
		for range SharedValues[A](w) {
			break
		}
	})
	for range q.Chunks() {
		c.collectPanic(func() { w.Spawn() })
		c.collectPanic(func() { q.ParallelFor(jobFunc(func(*Chunk) {})) })
		c.err(w.Close())
	}
	must(c.t, q.Close())
	c.err(DestroyAll(w, Matching(q)))
}

// once is a Worldwide type, which has one value for the whole world.
type once struct{ Worldwide }

// jobFunc is a function that serves as a job.
type jobFunc func(*Chunk)

func (f jobFunc) Chunk(c *Chunk) { f(c) }

func (c *collector) chunks() {
	w := newWorld(c.t, 1)
	w.Spawn(A{1}, D{1}, PerChunk[B]{})
	var kept *Chunk
	for chunk := range w.Query(Read[A](), Optional(Read[B]()), Read[PerChunk[B]]()).Chunks() {
		c.collectPanic(func() { Column[B](chunk) })
		c.collectPanic(func() { Column[D](chunk) })
		c.collectPanic(func() { Column[Matrix](chunk) })
		c.collectPanic(func() { SharedValue[Sh](chunk) })
		c.collectPanic(func() { SetChunkValue(chunk, B{}) })
		c.collectPanic(func() { ChunkValue[Bound](chunk) })
		kept = chunk
	}
	c.collectPanic(func() { kept.Entities() })
	made := w.Create(w.Archetype(With[A]()), 1)
	w.Spawn()
	c.collectPanic(func() {
		for range made.Chunks() {
			break
		}
	})
	for chunk := range w.Create(w.Archetype(With[A]()), 1).Chunks() {
		w.gate.activeLoops-- // as if the loop were over
		w.Spawn()
		w.gate.activeLoops++
		c.collectPanic(func() { chunk.Entities() })
	}
}

func (c *collector) lookups() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{1}, B{})
	q := w.Query(With[A](), Anywhere(Read[A]()))
	c.collectPanic(func() { NewLookup[B](q) })
	c.collectPanic(func() { NewWorldLookup[Sh](w) })
	c.collectPanic(func() { NewWorldLookup[PerChunk[A]](w) })
	c.collectPanic(func() { NewWorldLookup[B](w).Ref(e) })
	c.collectPanic(func() { NewLookup[A](q).Set(e, A{}) })
	c.collectPanic(func() { NewWorldLookup[A](w).Gather(nil, []Entity{e}) })
	c.collectPanic(func() { NewWorldLookup[A](w).Scatter([]Entity{e}, nil) })
	look := NewWorldLookup[A](w)
	w.Spawn()
	c.collectPanic(func() { look.Has(e) })
}

func (c *collector) buffers() {
	w := newWorld(c.t, 1)
	e := w.Spawn(BufferOf(Elem{1}, Elem{2}))
	b, err := GetBuffer[Elem](w, e)
	must(c.t, err)
	c.collectPanic(func() { b.CopyFrom(nil) })
	c.collectPanic(func() { b.SetCap(1) })
	c.collectPanic(func() { Reinterpret[int64](b) })
	c.collectPanic(func() { Reinterpret[Entity](BufferOf[Link]()) })
	c.collectPanic(func() { Reinterpret[int](Buffer[int]{}) })
	c.collectPanic(func() { b.Remove(1, 3) })
	c.collectPanic(func() { b.Insert(3) })
	c.collectPanic(func() { b.Reserve(math.MaxInt32) })
	c.collectPanic(func() { Buf{}.Append(Elem{}) })
	c.collectPanic(func() { get[Buf](c.t, w, e).Clear() })
	for chunk := range w.Query(Read[Buf]()).Chunks() {
		c.collectPanic(func() { Column[Buf](chunk).At(1) })
	}
	w.Spawn()
	c.collectPanic(func() { b.Len() })
}

func (c *collector) commands() {
	w, other := newWorld(c.t, 1), newWorld(c.t, 1)
	e := w.Spawn(A{1}, Tag{})
	collectError[Entity](c)(w.NewCommands().Last())
	c.err((&Commands{}).Destroy(e))
	c.err((&Commands{}).Playback(w))
	c.collectPanic(func() { ParallelCommands{}.For(nil) })
	cmd := w.NewCommands()
	w.Spawn(En{})
	w.Query(With[En]()).ParallelFor(chunkFunc(func(*Chunk) { // of one chunk
		c.err(cmd.Destroy(e))
		c.collectPanic(func() { cmd.Parallel() })
		c.collectPanic(func() { w.Scheduler().As("system.Frame.Commands").CheckCommands() })
	}))
	must(c.t, w.Sync())
	c.err(cmd.Destroy(Entity{}))
	c.err(AddTypes(cmd, One(e), Without[A]()))
	c.err(cmd.Playback(other))
	q := w.Query(With[A]())
	gone := cmd.Parallel()
	for chunk := range q.Chunks() {
		c.err(gone.For(chunk).Playback(w))
	}
	cmd.Reset()
	first, second := cmd.Parallel(), cmd.Parallel()
	for chunk := range q.Chunks() {
		x, err := second.For(chunk).Spawn()
		must(c.t, err)
		must(c.t, first.For(chunk).Destroy(x))
	}
	c.err(cmd.Playback(w))
	cmd.Reset()
	group := w.Spawn(BufferOf[Linked]())
	first, second = cmd.Parallel(), cmd.Parallel()
	for chunk := range q.Chunks() {
		x, err := second.For(chunk).Spawn()
		must(c.t, err)
		must(c.t, AppendBuffer(first.For(chunk), group, Linked{group}, Linked{x}))
		_, err = first.For(chunk).Instantiate(group)
		must(c.t, err)
	}
	c.err(cmd.Playback(w))
	cmd.Reset()
	must(c.t, cmd.Playback(w))
	c.err(cmd.Destroy(e))
	c.err(cmd.Playback(w))
	fail := func(record func(cmd *Commands) error) {
		cmd := w.NewCommands()
		cmd.SetName("demo")
		must(c.t, record(cmd))
		c.err(cmd.Playback(w))
	}
	fail(func(cmd *Commands) error { return AppendBuffer(cmd, e, Elem{}) })
	fail(func(cmd *Commands) error { return Set(cmd, e, B{}) })
	fail(func(cmd *Commands) error { return Set(cmd, e, Tag{}) })
	fail(func(cmd *Commands) error { return SetEnabled[A](cmd, e, true) })
	foreign, err := w.NewCommands().Create(w.Archetype())
	must(c.t, err)
	fail(func(cmd *Commands) error { return cmd.Destroy(foreign) })
	cmd = w.NewCommands()
	c.err(cmd.Untyped().Add(e, nil, 1))
	c.err(cmd.Untyped().Set(e, reflect.TypeFor[A](), B{}))
	id, err := cmd.Instantiate(e)
	must(c.t, err)
	collectError[Entity](c)((&Commands{}).Created(id))
	collectError[Entity](c)(cmd.Created(id))
	must(c.t, cmd.Playback(w))
	collectError[Entity](c)(cmd.Created(foreign))
}

func (c *collector) jobs() {
	w := newWorld(c.t, 1)
	e := w.Spawn(A{1})
	q := w.Query(Write[A]())
	h := q.ParallelFor(jobFunc(func(*Chunk) {
		c.collectPanic(func() { w.Spawn() })
		c.err(w.Close())
		c.err(w.Sync())
		collectError[A](c)(Get[A](w, e))
	}))
	must(c.t, h.Wait())
	must(c.t, w.Sync())
	q.ParallelFor(jobFunc(func(*Chunk) { panic("no luck") }))
	_, err := Get[A](w, e)
	if failed, ok := err.(*Error); ok {
		failed.Err = nil // a stack
	}
	c.err(err)
	if w.Sync() == nil {
		c.t.Error("the job has not failed")
	}
}

func (c *collector) closed() {
	w := newWorld(c.t, 1)
	q := w.Query()
	outer := w.Scheduler().BeginUpdate("demo.Move")
	c.err(w.Close())
	w.Scheduler().EndUpdate(outer)
	must(c.t, w.Close())
	c.err(w.Close())
	c.collectPanic(func() { w.Query() })
	c.collectPanic(func() { w.Spawn() })
	c.collectPanic(func() { fmt.Fprint(os.Stderr, q.Count()) })
}
