package scene

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
)

// SubScene stands for a scene: while an entity has it the scene is wanted, unless the entity has a [Request]
// that is off. What was loaded goes when the entity ends, or has no SubScene any more.
type SubScene struct {
	ecs.Shared
	Path string // of the text, or of the baked file without its suffix, in the files of the world: see [Config]
}

// Request switches a [SubScene]: it is wanted while this is on.
type Request struct {
	ecs.Enableable
	Priority int32 // of several scenes the one with the greatest comes first
}

// Status says how far a [SubScene] is. [Streaming] adds it and keeps it; when the entity has no SubScene any more it is zero once the rows have gone. It
// never says Live, because since when a text is watched depends on the disk: a [Notice] does.
type Status struct {
	Phase Phase
	Rows  int32 // of the scene, once it is known
	Came  int32 // so many of them are in the world, or were, if they have ended since
	Load  int32 // the number of this load, among all of the world
}

// SceneTag is a shared component of all that was loaded: the entity of the [SubScene].
type SceneTag struct {
	ecs.Shared
	Scene ecs.Entity
}

// Phase is how far a [SubScene] is.
type Phase uint8

// The phases of a sub-scene, in their usual order.
const (
	Unloaded  Phase = iota // nothing is there
	Requested              // it is being read, decoded and checked; the world is untouched
	Coming                 // all ids are reserved, so many rows a frame come
	Loaded                 // all rows are there
	Live                   // and the text is watched: what is saved is seen. Only a Notice says so, no Status
	Unloading              // so many rows a frame go
	Failed                 // there is nothing, or the text as it is now cannot be read: see [Failure]
)

var phases = [...]string{"unloaded", "requested", "coming", "loaded", "live", "unloading", "failed"}

// String returns the name of the phase.
func (p Phase) String() string {
	if int(p) < len(phases) {
		return phases[p]
	}
	return "unknown"
}

// DefaultBudget is how many rows come, and how many go, in one update, unless a [Config] says otherwise.
const DefaultBudget = 10_000

// Config is how a world has its sub-scenes.
type Config struct {
	Files  fs.FS // where paths are looked for: a directory, a zip file, an embed.FS; nil is the working directory
	Budget int   // rows that come, and that go, in one update of [Streaming]; 0 is DefaultBudget

	// Delay, if it is not 0, makes loads independent of disks and workers: the rows of a scene begin to come so
	// many updates after it was wanted, neither earlier nor later. If it is not read by then the update waits.
	Delay int

	Live    bool          // texts are watched by [LiveLink]
	Poll    time.Duration // how often; 0 is 10 ms
	Notice  func(Notice)  // is told what happens, by the owner of the world; it must not change that
	Options []Option      // of [ReadFile]
}

// Notice is something that a person may want to know.
type Notice struct {
	Scene     ecs.Entity // of the SubScene
	Path      string
	Phase     Phase      // that it has come to
	Entity    ecs.Entity // of which the file has replaced what the program had changed, if there is one
	Component string     // the component of that
	Err       error      // why it failed, or what is wrong with a text that has changed
}

// Configure says how w has its sub-scenes, from the next update on; without it it is the zero Config. The
// error says that w is nil or closed.
func Configure(w *ecs.World, c Config) error {
	s, err := streamerFor(w)
	if err != nil {
		return err
	}
	s.config = c
	return nil
}

// Load makes an entity that stands for a scene, which is loaded by the updates of w. It panics as Spawn does.
func Load(w *ecs.World, path string, priority int32) ecs.Entity {
	return w.Spawn(SubScene{Path: path}, Request{Priority: priority}, Status{})
}

// Failure returns why the sub-scene of e has failed; nil if it has not.
func Failure(w *ecs.World, e ecs.Entity) error {
	if in := instanceOf(w, e); in != nil {
		return in.err
	}
	return nil
}

// Find returns the entity that has a name in the sub-scene of e; the null entity if there is none, the scene is not loaded
// as a whole, or the entity has ended.
func Find(w *ecs.World, e ecs.Entity, name string) ecs.Entity {
	in := instanceOf(w, e)
	if in == nil || !in.isLoaded() {
		return ecs.Entity{}
	}
	if id := in.entityNamed(name); w.Exists(id) {
		return id
	}
	return ecs.Entity{}
}

// Wait loads and unloads all that is wanted of w, or not, until there is nothing left to do. It is for tools and tests,
// between updates: programs go on meanwhile. The error joins those of scenes that have failed, or is of category ecs.ErrDisposed if w is closed.
func Wait(w *ecs.World) error {
	s, err := streamerFor(w)
	if err != nil {
		return err
	}
	for {
		if err := s.runUpdate(true); err != nil {
			return err
		}
		if !s.hasWork() {
			break
		}
	}
	for _, in := range s.list {
		err = errors.Join(err, in.err)
	}
	return err
}

// systems is the plugin of this package: whoever imports it has these in every world.
var systems = &system.Plugin{
	Name:  "scene",
	Types: []*system.Type{system.Of[LiveLink](), system.Of[Streaming]()},
}

func init() {
	ecs.RegisterComponent[SubScene]()
	ecs.RegisterComponent[Request]()
	ecs.RegisterComponent[Status]()
	ecs.RegisterComponent[SceneTag]()
	systems.Register()
}

// Systems returns the plugin with the systems of this package. It is registered; a world of systems that
// system.Only names has it by system.WithPlugins.
func Systems() *system.Plugin { return systems }

// LiveLink makes texts that have changed be seen: of each loaded scene whose text is saved anew it touches the entities and
// components that are written otherwise, and no others. See [Config.Live].
type LiveLink struct {
	_ system.In[system.Initialization]
	_ system.For[system.GameWorld]
	_ system.For[system.SimulationWorld]
	_ system.For[system.EditorWorld]
	_ system.For[system.ServerWorld]
	_ system.For[system.ClientWorld]
	s *streamer
}

// Create finds the scenes of the world.
func (l *LiveLink) Create(u *system.Setup) (err error) {
	l.s, err = streamerFor(u.World())
	return err
}

// Update applies what workers have found out, and has them look again.
func (l *LiveLink) Update(*system.Frame) error { return l.s.pollTexts(false) }

// Streaming loads and unloads sub-scenes, within a budget of rows for each update: see [Config]. It is a [system.Saver]: a world that was saved
// and loaded goes on with the scenes as they were.
type Streaming struct {
	_ system.In[system.Initialization]
	_ system.After[LiveLink]
	_ system.For[system.GameWorld]
	_ system.For[system.SimulationWorld]
	_ system.For[system.EditorWorld]
	_ system.For[system.ServerWorld]
	_ system.For[system.ClientWorld]
	s *streamer
}

// Create finds the scenes of the world.
func (t *Streaming) Create(u *system.Setup) (err error) {
	t.s, err = streamerFor(u.World())
	return err
}

// Update goes a step on.
func (t *Streaming) Update(*system.Frame) error { return t.s.runUpdate(false) }

// files returns where the files of the world are.
func (c *Config) files() fs.FS {
	if c.Files != nil {
		return c.Files
	}
	return os.DirFS(".")
}

// opened is the scenes that tools have open.
var opened struct {
	sync.Mutex
	list []openedScene
	told bool // OnInitialized
}

type openedScene struct {
	files fs.FS
	path  string
}

// Open opens a scene for a tool that edits, checks or watches it, and waits until it is loaded: in the default world if there is one,
// and otherwise in the editor world, which is made for it ([app.EditorWorld]). When [app.Play] makes the
// default world, which ends the editor world, the scenes that are open are requested there. The entity stands for the scene.
//
// The error says that the scene has failed, and then it is not open; or that there is no such world.
func Open(files fs.FS, path string) (w *ecs.World, e ecs.Entity, err error) {
	if w, err = app.EditorWorld(); err != nil {
		return w, e, err
	}
	if w == nil {
		return nil, e, errorf("Open %s: there is no world for tools: it was built without, or NoEditorWorld says so", path)
	}
	if e, err = openIn(w, openedScene{files, path}); err != nil {
		return w, ecs.Entity{}, err
	}
	if err := Wait(w); Failure(w, e) != nil {
		return w, ecs.Entity{}, errors.Join(Failure(w, e), w.Destroy(e), Wait(w))
	} else if err != nil && instanceOf(w, e).phase != Loaded {
		return w, e, err
	}
	opened.Lock()
	defer opened.Unlock()
	opened.list = append(opened.list, openedScene{files, path})
	if !opened.told {
		opened.told = true
		app.OnInitialized(requestOpened)
	}
	return w, e, nil
}

// CloseAll closes the scenes that tools have opened: worlds keep what they have loaded, and new ones get none.
func CloseAll() {
	opened.Lock()
	defer opened.Unlock()
	opened.list = nil
}

// openIn makes an entity that stands for a scene with files of its own.
func openIn(w *ecs.World, o openedScene) (ecs.Entity, error) {
	s, err := streamerFor(w)
	if err != nil {
		return ecs.Entity{}, err
	}
	s.own[o.path] = o.files
	return Load(w, o.path, 0), nil
}

// requestOpened requests the scenes that are open in a new default world.
func requestOpened(w *ecs.World) {
	opened.Lock()
	list := slices.Clone(opened.list)
	opened.Unlock()
	for _, o := range list {
		if _, err := openIn(w, o); err != nil {
			w.Scheduler().Report(err)
		}
	}
}
