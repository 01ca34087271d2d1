package render

import (
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
)

// Register the components, so that a program that imports this package can read scenes and
// snapshots with them.
func init() {
	ecs.RegisterComponent[Bounds]()
	ecs.RegisterComponent[WorldBounds]()
	ecs.RegisterComponent[ecs.PerChunk[ChunkBounds]]()
	ecs.RegisterComponent[Camera]()
	ecs.RegisterComponent[Levels]()
	ecs.RegisterComponent[Level]()
	ecs.RegisterComponent[Look]()
	ecs.RegisterComponent[Tint]()
	ecs.RegisterComponent[Hidden]()
	ecs.RegisterComponent[Label]()
	ecs.RegisterComponent[Flipbook]()
	ecs.RegisterComponent[Previous]()
	ecs.RegisterComponent[Drawn]()
}

// Options are the options of [Install].
type Options struct {
	Renderer Renderer // if nil, everything is computed and nothing is drawn
	Assets   *Assets  // if nil, the current Assets of the world stay

	// Width and Height are the size in pixels of every target while Renderer is nil; 0 means 1.
	Width, Height int
}

// Install adds the systems of this package to a world's Presentation and, if there is one, to its
// FixedStep. If the world has no Presentation, Install creates it. Install also sets the options.
// The world then also has the plugin of this package, so that system.Warnings and system.Explain
// say why entities are not drawn. Another call only changes the options, from the next frame on. If
// w is nil, the error is of category ecs.ErrArgument. Otherwise the error is that of
// system.AddSystems. Only the owner of w may call Install.
func Install(w *ecs.World, o Options) error {
	if w == nil {
		return fmt.Errorf("render: Install: the world is nil: %w", ecs.ErrArgument)
	}
	if o.Width < 0 || o.Height < 0 {
		return fmt.Errorf("render: Install: world %q: Width is %d and Height %d: they are numbers of pixels: %w", w.Name(), o.Width, o.Height, ecs.ErrArgument)
	}
	if err := system.AddSystems(w, append([]*system.Type{system.Of[system.Presentation]()}, presentationSystems...)...); err != nil {
		return err
	}
	if system.Find[system.FixedStep](w) != nil {
		if err := system.AddSystems(w, system.Of[KeepPrevious]()); err != nil {
			return err
		}
	}
	system.AddPlugin(w, systems)
	s := sceneOf(w)
	if o.Assets == nil {
		o.Assets = s.assets
	}
	s.assets, s.renderer, s.width, s.height = o.Assets, o.Renderer, max(o.Width, 1), max(o.Height, 1)
	s.invalidate()
	return nil
}

// AssetsOf returns the Assets of a world.
func AssetsOf(w *ecs.World) *Assets { return sceneOf(w).assets }

// ViewsOf returns the views of the world's last presentation, in the order of the cameras.
// ViewsOf returns views even if the world has no Renderer. The views are valid until the next
// presentation or the next change of the world.
func ViewsOf(w *ecs.World) []*View { return sceneOf(w).views }

// presentationSystems lists the systems of the presentation.
var presentationSystems = []*system.Type{
	system.Of[MissingBounds](),
	system.Of[Interpolate](),
	system.Of[Bootstrap](),
	system.Of[UpdateBounds](),
	system.Of[ChooseLevels](),
	system.Of[FilterLevels](),
	system.Of[DrawMeshes](),
}

// systems is the plugin of this package.
var systems = &system.Plugin{
	Name:   "render",
	Types:  append([]*system.Type{system.Of[KeepPrevious]()}, presentationSystems...),
	Advise: advise,
}

// Systems returns the plugin with the systems of this package. The plugin is not registered: a
// world has the systems only if it is created with system.WithPlugins(render.Systems()) or passed
// to [Install].
func Systems() *system.Plugin { return systems }

// advise returns the reasons why entities of the world are not drawn.
func advise(w *ecs.World) (texts []string) {
	count := func(terms ...ecs.Term) int {
		q := w.Scheduler().Query("render", terms...)
		defer q.Close()
		return q.CountUnfiltered()
	}
	looks := count(ecs.With[Look]())
	if looks == 0 {
		return nil
	}
	if n := count(ecs.With[Look](), ecs.Absent[matrices]()); n > 0 {
		texts = append(texts, fmt.Sprintf("%d entities have a render.Look and no LocalToWorld, and are not drawn: give them transform.LocalToWorld", n))
	}
	if count(ecs.Present[Camera]()) == 0 {
		texts = append(texts, fmt.Sprintf("%d entities have a render.Look, and no camera is there to see them: spawn a render.Camera", looks))
	}
	return texts
}
