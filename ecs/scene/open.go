package scene

import (
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/plumbing"
)

// opened is the scenes that tools have open.
var opened struct {
	sync.Mutex
	list []opening
	told bool // OnInitialized
}

type opening struct {
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
	if e, err = openIn(w, opening{files, path}); err != nil {
		return w, ecs.Entity{}, err
	}
	if err := Wait(w); Failure(w, e) != nil {
		return w, ecs.Entity{}, errors.Join(Failure(w, e), w.Destroy(e), Wait(w))
	} else if err != nil && find(w, e).phase != Loaded {
		return w, e, err
	}
	opened.Lock()
	defer opened.Unlock()
	opened.list = append(opened.list, opening{files, path})
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
func openIn(w *ecs.World, o opening) (ecs.Entity, error) {
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
			plumbing.Report(w, err)
		}
	}
}
