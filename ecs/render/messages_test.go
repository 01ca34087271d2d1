package render

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

const messagesFile = "testdata/messages.golden"

// unreached contains the messages that this test does not cause by any misuse: messages that add a
// camera or a place to the error of a failed job, and the message about a shape of 48 GiB.
var unreached = []string{"render: camera %v: levels: %w", "render: camera %v: %w", "render: cells: %w", "len(Positions) is %d, which is more than indices can tell"}

// TestMessages compares the messages about misuse with testdata. TestMessages also checks that each
// message in the source is caused by some misuse in this test.
func TestMessages(t *testing.T) {
	c := &collector{t: t}
	c.assets()
	c.labels()
	c.looks()
	c.groups()
	c.cameras()
	c.misuseRenderers()
	c.batches()
	c.worlds()
	c.misuseSinks()
	if *updateMessages {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(messagesFile, []byte(strings.Join(c.messages, "\n")+"\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(messagesFile)
	if err != nil {
		t.Fatal(err)
	}
	golden := strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")
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
	places := textsOfSource(t)
	if len(places) < 50 {
		t.Errorf("the source has %d messages: the search is wrong", len(places))
	}
	for place, text := range places {
		if !slices.Contains(unreached, text) && !slices.ContainsFunc(golden, patternOf(text).MatchString) {
			t.Errorf("%s: no misuse of this test leads to this message: %s", place, text)
		}
	}
}

var verb = regexp.MustCompile(`%[+#0]*[0-9]*[a-z]`)

func patternOf(text string) *regexp.Regexp {
	return regexp.MustCompile(verb.ReplaceAllString(regexp.QuoteMeta(strings.ReplaceAll(text, "%+v", "%v")), ".*"))
}

// textsOfSource returns the texts of all errors and panics of the package by place.
func textsOfSource(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
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
			if !slices.Contains([]string{"argumentError", "Errorf", "Sprintf", "panic"}, called) {
				return true
			}
			for _, arg := range call.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					lit, ok := n.(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						return true
					}
					if text, err := strconv.Unquote(lit.Value); err != nil {
						t.Fatal(err)
					} else if strings.Contains(strings.TrimSpace(text), " ") {
						texts[set.Position(lit.Pos()).String()] = text
					}
					return true
				})
			}
			return true
		})
	}
	return texts
}

// collector keeps the messages of errors and panics, each once.
type collector struct {
	t        *testing.T
	messages []string
}

// say keeps the text of an error, line by line.
func (c *collector) say(text string) {
	c.t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if !slices.Contains(c.messages, line) {
			c.messages = append(c.messages, line)
		}
	}
}

// err keeps the message of an error, which must not be nil.
func (c *collector) err(err error) {
	c.t.Helper()
	if err == nil {
		c.t.Error("no error")
		return
	}
	c.say(err.Error())
}

// collectPanic keeps the message of the panic of f, which must panic.
func (c *collector) collectPanic(f func()) {
	c.t.Helper()
	defer func() {
		c.t.Helper()
		v := recover()
		if v == nil {
			c.t.Error("no panic")
			return
		}
		c.say(fmt.Sprint(v))
	}()
	f()
}

// stage creates a world with a fixed name, so that messages are the same for every test.
func (c *collector) stage(prepare func(s *stage)) *stage {
	s := newStage(c.t)
	prepare(s)
	return s
}

// frame keeps the error of an update of a stage's world.
func (c *collector) frame(prepare func(s *stage)) {
	c.t.Helper()
	c.err(system.Update(c.stage(prepare).w))
}

func (c *collector) assets() {
	a := NewAssets()
	points := [][3]float32{{}, {}, {}}
	a.Shape(Shape{Name: "taken"})
	a.Material(Material{Name: "taken"})
	for i, s := range []Shape{
		{}, {Name: "taken"},
		{Kind: 9}, {Kind: Sprite, Positions: points}, {Kind: Sprite, Width: -1}, {Positions: points, Texcoords: [][2]float32{{}}},
		{Positions: points, Colors: []color.NRGBA{{}}}, {Bounds: &Bounds{HX: nan}}, {Positions: [][3]float32{{nan}}},
		{Positions: points, Indices: []uint32{3}}, {Positions: points[:2]}, {Positions: points, Indices: []uint32{1}, Kind: Lines},
	} {
		if i > 1 {
			s.Name = "wrong"
		}
		_, err := a.AddShape(s)
		c.err(err)
	}
	for i, m := range []Material{
		{}, {Name: "taken"},
		{Blend: 9}, {Size: -1}, {Columns: -1}, {Rows: 1 << 20}, {Columns: 3, Image: image.NewRGBA(image.Rect(0, 0, 4, 4))},
	} {
		if i > 1 {
			m.Name = "wrong"
		}
		_, err := a.AddMaterial(m)
		c.err(err)
	}
	// These are two names with the same id. The test invents them, because no two real names with the same id
	// are known.
	a.shapes[ShapeNamed("ship")] = a.shapes[ShapeNamed("taken")]
	_, err := a.AddShape(Shape{Name: "ship"})
	c.err(err)
	c.collectPanic(func() { a.Shape(Shape{}) })
	c.collectPanic(func() { a.Material(Material{}) })
	c.collectPanic(func() { (&Material{Name: "one"}).Cell(1) })
}

func (c *collector) labels() {
	_, err := LabelOf("", nil)
	c.err(err)
	_, err = LabelOf("x", func(rune) int { return NoCell })
	c.err(err)
	_, err = LabelOf(strings.Repeat("x", 33), ASCII)
	c.err(err)
	c.frame(func(s *stage) {
		s.w.Spawn(Camera{})
		s.w.Spawn(s.look("sprite", "red"), unit, Label{Cells: [32]uint16{1}, Length: 1})
	})
	c.frame(func(s *stage) {
		s.w.Spawn(Camera{})
		s.w.Spawn(s.look("sprite", "red"), unit, Flipbook{First: 2, Count: 3, Rate: 4})
	})
}

func (c *collector) looks() {
	c.frame(func(s *stage) {
		s.w.Spawn(Look{}, unit)
		s.w.Spawn(s.look("square", "none"), unit)
		s.w.Spawn(s.look("none", "red"), unit)
		l := square
		l.Layer = 32
		s.w.Spawn(l, unit)
		l.Layer = -1
		s.w.Spawn(l, unit)
	})
	s := c.stage(func(s *stage) { s.w.Spawn(square) })
	for _, text := range advise(s.w) {
		c.say(text)
	}
}

func (c *collector) groups() {
	c.frame(func(s *stage) {
		s.w.Spawn(Camera{})
		gone := s.w.Spawn()
		s.ok(s.w.Destroy(gone))
		for _, group := range []ecs.Entity{{}, gone, s.w.Spawn(unit), s.w.Spawn(Levels{})} {
			s.w.Spawn(square, unit, Level{Group: group})
		}
		a := s.w.Spawn(Levels{}, unit)
		s.ok(ecs.Set(s.w, a, Levels{Parent: Level{Group: a}}))
		s.w.Spawn(Levels{Parent: Level{Group: s.w.Spawn()}}, unit)
	})
}

func (c *collector) cameras() {
	c.frame(func(s *stage) { s.w.Spawn(Camera{}, transform.LocalToWorld{}) })
}

// misuseRenderers makes each method of a renderer fail or panic.
func (c *collector) misuseRenderers() {
	for k := 1; k <= 5; k++ {
		for _, fail := range []func() error{func() error { return errTorn }, func() error { panic(errTorn) }} {
			r := &clumsy{pen: pen{width: 10, height: 10}, k: k, fail: fail}
			c.frame(func(s *stage) {
				s.ok(Install(s.w, Options{Renderer: r, Assets: s.assets}))
				s.w.Spawn(square, unit)
				s.w.Spawn(Camera{})
			})
		}
	}
}

func (c *collector) batches() {
	s := c.stage(func(s *stage) { s.w.Spawn(square, unit) })
	camera := s.w.Spawn(Camera{})
	s.frame()
	v := ViewsOf(s.w)[0]
	b := v.Batches[0]
	c.collectPanic(func() { _ = b.Gather(nil, nil, nil) })
	c.collectPanic(func() { _ = v.Gather(make([][16]float32, 1), nil, []int32{}) })
	c.collectPanic(func() { _ = new(Batch).Gather(nil, nil, nil) })
	other := s.w.Spawn(square, unit, Bounds{}, WorldBounds{}, chunkBoxOf{})
	c.collectPanic(func() { _ = b.Gather(make([][16]float32, 1), nil, nil) })
	s.ok(s.w.Destroy(other))
	s.ok(s.w.Destroy(camera))
	s.frame()
	c.collectPanic(func() { b.Parts()(func(*Part) bool { return true }) })
}

// meddler is a system that does something in its update that is allowed only between two updates.
type meddler struct {
	_    system.In[system.Simulation]
	to   *ecs.World
	said error
}

func (m *meddler) Create(*system.Setup) error { return nil }
func (m *meddler) Update(f *system.Frame) error {
	m.said = Extract(f.World(), m.to)
	return nil
}

func (c *collector) worlds() {
	c.err(Install(nil, Options{}))
	bare, err := system.NewWorld("bare", system.Only())
	if err != nil {
		c.t.Fatal(err)
	}
	defer bare.Close()
	c.err(Install(bare, Options{Height: -1}))
	c.err(new(Interpolate).LoadState([]byte{7}))
	c.err(new(ChooseLevels).LoadState([]byte{1}))
	game, show := newStage(c.t), newStage(c.t)
	c.err(Extract(nil, show.w))
	c.err(Extract(game.w, bare))
	game.frame()
	m := &meddler{to: show.w}
	game.ok(system.Adopt(game.w, m))
	game.ok(system.GetOrCreate[system.Simulation](game.w).Add(m))
	game.frame()
	c.err(m.said)
	game.ok(Extract(game.w, show.w))
	c.err(Extract(show.w, newStage(c.t).w))
	game.w.Spawn(square, unit, Bounds{}, WorldBounds{}, chunkBoxOf{})
	c.err(Extract(game.w, show.w))

	_, err = Pick(nil, ecs.Entity{}, 0, 0)
	c.err(err)
	_, err = Pick(game.w, ecs.Entity{}, 0, 0)
	c.err(err)
	eye := game.w.Spawn(Camera{})
	game.frame()
	game.w.Spawn(square, unit, Bounds{}, WorldBounds{}, chunkBoxOf{})
	_, err = Pick(game.w, eye, 0, 0)
	c.err(err)
}

// misuseSinks calls the functions for sinks with invalid arguments.
func (c *collector) misuseSinks() {
	c.collectPanic(func() { PNGs("frame.png") })
	var b bytes.Buffer
	c.collectPanic(func() { GIF(&b, 51) })
	c.collectPanic(func() { APNG(&b, 1001) })
	c.collectPanic(func() { Y4M(&b, 0) })
	for _, film := range []func() Sink{func() Sink { return GIF(&b, 1) }, func() Sink { return APNG(&b, 1) }, func() Sink { return Y4M(&b, 1) }} {
		none := film()
		c.err(none.Picture(new(image.RGBA)))
		c.err(none.Close())
		c.err(film().Close())
		two := film()
		if err := two.Picture(image.NewRGBA(image.Rect(0, 0, 2, 2))); err != nil {
			c.t.Error(err)
		}
		c.err(two.Picture(image.NewRGBA(image.Rect(0, 0, 3, 2))))
		c.err(two.Close())
		closed := film()
		if err := errors.Join(closed.Picture(image.NewRGBA(image.Rect(0, 0, 2, 2))), closed.Close()); err != nil {
			c.t.Error(err)
		}
		c.err(closed.Picture(image.NewRGBA(image.Rect(0, 0, 2, 2))))
	}
}
