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

// SubScene makes its entity represent a scene, which is loaded into the world. The scene is wanted
// while the entity has the component, unless the entity also has a [Request] that is disabled. When
// the entity is destroyed or loses the component, the loaded entities are destroyed.
type SubScene struct {
	ecs.Shared
	Path string // path of the text in the file system of the world, or of the baked file without its suffix: see [Config]
}

// Request turns a [SubScene] on and off. The scene is wanted while the Request is enabled.
type Request struct {
	ecs.Enableable
	Priority int32 // scenes with greater numbers are loaded first
}

// Status says how much of a [SubScene] is loaded. [Streaming] adds and writes it. After the entity
// has lost its SubScene and the rows are unloaded, the Status is zero. The Phase in a Status is
// never Live, because the time at which the watching of a text begins depends on the disk. A
// [Notice] reports that phase.
type Status struct {
	Phase Phase
	Rows  int32 // number of rows of the scene, once it is known
	Came  int32 // number of rows that have been loaded, including rows that were destroyed later
	Load  int32 // number of this load in its world
}

// SceneTag is a shared component of all entities that were loaded from a scene. A SceneTag identifies
// the entity of the [SubScene].
type SceneTag struct {
	ecs.Shared
	Scene ecs.Entity
}

// Phase says whether a [SubScene] is loaded, or is being loaded or unloaded.
type Phase uint8

// These are the phases of a sub-scene, in their usual order.
const (
	Unloaded  Phase = iota // no rows are loaded
	Requested              // the file is being read, decoded and checked; the world has not changed
	Coming                 // all ids are reserved, and rows are loaded in each update
	Loaded                 // all rows are loaded
	Live                   // loaded, and the text is watched; only a Notice can have this phase, never a Status
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

// DefaultBudget is the largest number of rows that one update loads, and also the largest number that
// it unloads. A [Config] can set another number.
const DefaultBudget = 10_000

// Config holds the settings of a world's sub-scenes.
type Config struct {
	Files  fs.FS // file system that contains the paths, for example a directory, a zip file or an embed.FS; nil means the working directory
	Budget int   // number of rows that one update of [Streaming] loads, and number that it unloads; 0 means DefaultBudget

	// Delay, if it is not 0, makes loads independent of disks and workers. Exactly that many
	// updates after a scene was requested, its rows begin to be loaded. If the file has not been
	// read by then, the update waits for it. Set Delay if results must be the same on every
	// machine.
	Delay int

	Live    bool          // makes [LiveLink] watch the texts
	Poll    time.Duration // time between two checks of a text; 0 means 10 ms
	Notice  func(Notice)  // is called on the goroutine of the world's owner for each event; it must not change the world
	Options []Option      // options for [ReadFile]
}

// Notice describes an event of a sub-scene that may interest a person.
type Notice struct {
	Scene     ecs.Entity // the entity of the SubScene
	Path      string
	Phase     Phase      // the new phase
	Entity    ecs.Entity // the entity in which the text has replaced a value that the program had set; may be null
	Component string     // the component of that value
	Err       error      // why loading has failed, or the fault of a changed text
}

// Configure sets the settings for the sub-scenes of w, from the next update on. A world without a
// call of Configure has the zero Config. Configure returns an error if w is nil or closed.
func Configure(w *ecs.World, c Config) error {
	s, err := streamerFor(w)
	if err != nil {
		return err
	}
	s.config = c
	return nil
}

// Load creates an entity that represents a scene. The updates of w then load the scene. Scenes with
// a greater priority are loaded first. Like Spawn, Load panics, for example if w is closed.
func Load(w *ecs.World, path string, priority int32) ecs.Entity {
	return w.Spawn(SubScene{Path: path}, Request{Priority: priority}, Status{})
}

// Failure returns why the sub-scene of e has failed, or nil if it has not failed.
func Failure(w *ecs.World, e ecs.Entity) error {
	if in := instanceOf(w, e); in != nil {
		return in.err
	}
	return nil
}

// Find returns the entity with the given name in the sub-scene of e. It returns the null entity if
// no entity has the name, if the scene is not completely loaded, or if the entity was destroyed.
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

// Wait loads all wanted scenes of w and unloads the others. It returns when nothing is left to do.
// Wait is for tools and tests, between updates. A program lets the updates do this work. It returns
// the joined errors of the scenes that have failed. If w is closed, the error is of category
// ecs.ErrDisposed.
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

// systems is the plugin of this package. If a program imports the package, every world has its
// systems.
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

// Systems returns the plugin with the systems of this package. The plugin is registered, so worlds
// have it. To add it to a world with system.Only, use system.WithPlugins.
func Systems() *system.Plugin { return systems }

// LiveLink applies changes of texts to a running world. When the text of a loaded scene is saved,
// LiveLink changes only the entities and components whose text has changed. See [Config.Live].
type LiveLink struct {
	_        system.In[system.Initialization]
	_        system.For[system.GameWorld]
	_        system.For[system.SimulationWorld]
	_        system.For[system.EditorWorld]
	_        system.For[system.ServerWorld]
	_        system.For[system.ClientWorld]
	streamer *streamer
}

// Create finds the sub-scenes of the world.
func (l *LiveLink) Create(u *system.Setup) (err error) {
	l.streamer, err = streamerFor(u.World())
	return err
}

// Update applies the changes that earlier checks have found, and starts new checks.
func (l *LiveLink) Update(*system.Frame) error { return l.streamer.pollTexts(false) }

// Streaming is the system that loads and unloads sub-scenes. [Config] limits the number of rows that
// it loads in each update. Streaming is a [system.Saver], so a saved world continues with the same
// scenes.
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

// Create finds the sub-scenes of the world.
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
	told bool // the function was registered with app.OnInitialized
}

type openedScene struct {
	files fs.FS
	path  string
}

// Open opens a scene for a tool that edits, checks or watches it, and waits until it is loaded.
// Open uses the default world if there is one. If there is no default world, Open uses the editor
// world, and creates it if necessary (see [app.EditorWorld]). When [app.Play] later creates the
// default world, the editor world is closed, and Play requests the open scenes in the default
// world. Open returns the world and the entity of the scene.
//
// If the scene has failed, Open returns an error, and the scene is not open. If neither of these worlds
// exists, Open also returns an error.
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

// ForgetOpened removes all scenes from the list of scenes that Open has opened, so that later
// worlds do not load them. The entities that worlds have loaded remain.
func ForgetOpened() {
	openedScenes.Lock()
	defer openedScenes.Unlock()
	openedScenes.list = nil
}

// openScene creates an entity that represents a scene with its own file system.
func openScene(w *ecs.World, o openedScene) (ecs.Entity, error) {
	s, err := streamerFor(w)
	if err != nil {
		return ecs.Entity{}, err
	}
	s.toolFiles[o.path] = o.files
	return Load(w, o.path, 0), nil
}

// requestOpened requests the open scenes in a newly created default world.
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
