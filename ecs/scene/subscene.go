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

// SubScene makes its entity stand for a scene that is loaded into the world. The scene is wanted
// while the entity has the component, unless the entity also has a [Request] that is off. The
// loaded entities are destroyed when the entity is destroyed or loses the component.
type SubScene struct {
	ecs.Shared
	Path string // path of the text, or of the baked file without its suffix, in the file system of the world: see [Config]
}

// Request turns a [SubScene] on and off: the scene is wanted while the Request is on.
type Request struct {
	ecs.Enableable
	Priority int32 // scenes with greater numbers are loaded first
}

// Status says how far the loading of a [SubScene] is. [Streaming] adds and writes it. After the
// entity has lost its SubScene, the Status is zero when the rows are unloaded. It is never Live,
// because the time from which a text is watched depends on the disk; a [Notice] tells that.
type Status struct {
	Phase Phase
	Rows  int32 // of the scene, once it is known
	Came  int32 // rows that were loaded so far, including those that were destroyed since
	Load  int32 // number of this load in its world
}

// SceneTag is a shared component of all loaded entities. It names the entity of the [SubScene].
type SceneTag struct {
	ecs.Shared
	Scene ecs.Entity
}

// Phase is the state of a [SubScene].
type Phase uint8

// The phases of a sub-scene, in their usual order.
const (
	Unloaded  Phase = iota // no rows are loaded
	Requested              // the file is being read, decoded and checked; the world has not changed
	Coming                 // all ids are reserved, and rows are loaded in each update
	Loaded                 // all rows are loaded
	Live                   // loaded, and the text is watched; only a Notice has this phase, never a Status
	Unloading              // rows are unloaded in each update
	Failed                 // nothing is loaded, or the changed text cannot be read: see [Failure]
)

var phaseNames = [...]string{"unloaded", "requested", "coming", "loaded", "live", "unloading", "failed"}

// String returns the name of the phase.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "unknown"
}

// DefaultBudget is the number of rows that are loaded, and that are unloaded, in one update, unless
// a [Config] sets another.
const DefaultBudget = 10_000

// Config holds the settings of a world's sub-scenes.
type Config struct {
	Files  fs.FS // file system of the paths, for example a directory, a zip file or an embed.FS; nil is the working directory
	Budget int   // rows that one update of [Streaming] loads, and rows that it unloads; 0 means DefaultBudget

	// Delay makes loads independent of disks and workers if it is not 0: the rows of a scene are
	// loaded from exactly that many updates after it was wanted. If the file is not read by then,
	// the update waits for it. Use it if results must be the same on every machine.
	Delay int

	Live    bool          // makes [LiveLink] watch the texts
	Poll    time.Duration // time between two checks of a text; 0 means 10 ms
	Notice  func(Notice)  // is called on the goroutine of the world's owner for each event; it must not change the world
	Options []Option      // for [ReadFile]
}

// Notice is an event of a sub-scene that a person may want to know about.
type Notice struct {
	Scene     ecs.Entity // the entity of the SubScene
	Path      string
	Phase     Phase      // the new phase
	Entity    ecs.Entity // the entity in which the file has replaced a value that the program had set; may be null
	Component string     // the component of that value
	Err       error      // the reason of a failure, or the fault of a changed text
}

// Configure sets the settings of w's sub-scenes, from the next update on. A world without it has
// the zero Config. It returns an error if w is nil or closed.
func Configure(w *ecs.World, c Config) error {
	s, err := streamerFor(w)
	if err != nil {
		return err
	}
	s.config = c
	return nil
}

// Load creates an entity that stands for a scene; the updates of w then load the scene. Scenes with
// a greater priority are loaded first. Load panics as Spawn does, for example if w is closed.
func Load(w *ecs.World, path string, priority int32) ecs.Entity {
	return w.Spawn(SubScene{Path: path}, Request{Priority: priority}, Status{})
}

// Failure returns the reason why the sub-scene of e has failed, or nil if it has not.
func Failure(w *ecs.World, e ecs.Entity) error {
	if in := instanceOf(w, e); in != nil {
		return in.err
	}
	return nil
}

// Find returns the entity with the given name in the sub-scene of e. It returns the null entity if
// there is none, if not all of the scene is loaded, or if the entity was destroyed.
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

// Wait loads all wanted scenes of w, and unloads the others, and returns when nothing is left to
// do. It is for tools and tests, between updates; a program lets the updates do the work. It
// returns the joined errors of scenes that have failed, or an error of category ecs.ErrDisposed if
// w is closed.
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
	for _, in := range s.instances {
		err = errors.Join(err, in.err)
	}
	return err
}

// systems is the plugin of this package. A program that imports the package has its systems in
// every world.
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

// Systems returns the plugin with the systems of this package. The plugin is registered. A world
// with system.Only gets it by system.WithPlugins.
func Systems() *system.Plugin { return systems }

// LiveLink applies changes of texts to a running world: when the text of a loaded scene is saved,
// it changes the entities and components whose text has changed, and no others. See [Config.Live].
type LiveLink struct {
	_        system.In[system.Initialization]
	_        system.For[system.GameWorld]
	_        system.For[system.SimulationWorld]
	_        system.For[system.EditorWorld]
	_        system.For[system.ServerWorld]
	_        system.For[system.ClientWorld]
	streamer *streamer
}

// Create finds the scenes of the world.
func (l *LiveLink) Create(u *system.Setup) (err error) {
	l.streamer, err = streamerFor(u.World())
	return err
}

// Update applies the changes that earlier checks have found, and starts new checks.
func (l *LiveLink) Update(*system.Frame) error { return l.streamer.pollTexts(false) }

// Streaming loads and unloads sub-scenes, within a budget of rows for each update: see [Config]. It
// is a [system.Saver], so a saved world continues with the same scenes.
type Streaming struct {
	_        system.In[system.Initialization]
	_        system.After[LiveLink]
	_        system.For[system.GameWorld]
	_        system.For[system.SimulationWorld]
	_        system.For[system.EditorWorld]
	_        system.For[system.ServerWorld]
	_        system.For[system.ClientWorld]
	streamer *streamer
}

// Create finds the scenes of the world.
func (t *Streaming) Create(u *system.Setup) (err error) {
	t.streamer, err = streamerFor(u.World())
	return err
}

// Update does one step of loading and unloading.
func (t *Streaming) Update(*system.Frame) error { return t.streamer.runUpdate(false) }

// files returns the file system of the world's scenes.
func (c *Config) files() fs.FS {
	if c.Files != nil {
		return c.Files
	}
	return os.DirFS(".")
}

// openedScenes holds the scenes that tools have opened.
var openedScenes struct {
	sync.Mutex
	list []openedScene
	told bool // the function is registered with app.OnInitialized
}

type openedScene struct {
	files fs.FS
	path  string
}

// Open opens a scene for a tool that edits, checks or watches it, and waits until it is loaded. It
// uses the default world if there is one, and otherwise the editor world, which it creates if
// necessary (see [app.EditorWorld]). When [app.Play] later makes the default world, the
// editor world ends, and Play requests the open scenes in the default world. The result is
// the world and the entity of the scene.
//
// Open returns an error if the scene has failed, which then is not open, or if there is no such
// world.
func Open(files fs.FS, path string) (w *ecs.World, e ecs.Entity, err error) {
	if w, err = app.EditorWorld(); err != nil {
		return w, e, err
	}
	if w == nil {
		return nil, e, errorf("Open %s: there is no world for tools: it was built without, or NoEditorWorld says so", path)
	}
	if e, err = openScene(w, openedScene{files, path}); err != nil {
		return w, ecs.Entity{}, err
	}
	if err := Wait(w); Failure(w, e) != nil {
		return w, ecs.Entity{}, errors.Join(Failure(w, e), w.Destroy(e), Wait(w))
	} else if err != nil && instanceOf(w, e).phase != Loaded {
		return w, e, err
	}
	openedScenes.Lock()
	defer openedScenes.Unlock()
	openedScenes.list = append(openedScenes.list, openedScene{files, path})
	if !openedScenes.told {
		openedScenes.told = true
		app.OnInitialized(requestOpened)
	}
	return w, e, nil
}

// ForgetOpened removes all scenes from the list of those that tools have opened by Open, so that
// later worlds do not load them. Worlds keep the entities that they have loaded.
func ForgetOpened() {
	openedScenes.Lock()
	defer openedScenes.Unlock()
	openedScenes.list = nil
}

// openScene makes an entity that stands for a scene with its own file system.
func openScene(w *ecs.World, o openedScene) (ecs.Entity, error) {
	s, err := streamerFor(w)
	if err != nil {
		return ecs.Entity{}, err
	}
	s.toolFiles[o.path] = o.files
	return Load(w, o.path, 0), nil
}

// requestOpened requests the open scenes in a new default world.
func requestOpened(w *ecs.World) {
	openedScenes.Lock()
	list := slices.Clone(openedScenes.list)
	openedScenes.Unlock()
	for _, o := range list {
		if _, err := openScene(w, o); err != nil {
			w.Scheduler().Report(err)
		}
	}
}
