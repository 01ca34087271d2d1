package zoo

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/system"
)

// Tree is an entity of a scene, with references to entities of the same scene and of another scene.
type Tree struct {
	Height float32
	Next   ecs.Entity
	Pond   ecs.Entity
}

// Column names the lanes.
func (Tree) Column() (c struct {
	Height     []float32
	Next, Pond []ecs.Entity
}) {
	return
}

// Gate switches the request of a sub-scene.
type Gate struct{ Every uint32 }

// Column names the lane.
func (Gate) Column() (c []uint32) { return }

// Texts is the file system with the scenes of one zoo.
type Texts struct {
	mutex sync.Mutex
	files fstest.MapFS
}

// textsKey is the key under which the texts are attached to their world.
type textsKey struct{}

// TextsOf returns the texts of a zoo, or nil if the zoo has no scenes.
func TextsOf(w *ecs.World) *Texts {
	t, _ := w.Hooks().Attached(textsKey{}).(*Texts)
	return t
}

// Open opens a file.
func (t *Texts) Open(name string) (fs.File, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.files.Open(name)
}

// Edit replaces a part of each text, and returns a function that takes the edit back. The function
// does not give a file its former time of change.
func (t *Texts) Edit(before, after string) (undo func()) {
	old := map[string][]byte{}
	t.write(func(name string, data []byte) []byte {
		old[name] = data
		return bytes.ReplaceAll(data, []byte(before), []byte(after))
	})
	return func() { t.write(func(name string, _ []byte) []byte { return old[name] }) }
}

// write writes each file again, a second after it was last written.
func (t *Texts) write(edit func(name string, data []byte) []byte) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for name, f := range t.files { //lanewise:inexact the order does not matter
		t.files[name] = &fstest.MapFile{Data: edit(name, f.Data), ModTime: f.ModTime.Add(time.Second)}
	}
}

// newTexts returns the texts of the scenes: a park, which loads a pond, which loads a reed.
func newTexts() *Texts {
	var park strings.Builder
	park.WriteString(`{"prefabs": {
	"oak": {"Tree": {"Height": 3, "Pond": "@pond:fish/1"}, "Buffer[Visit]": [{"Tick": 7, "To": "@oak"}], "Awake": {"Since": 2}},
},
"entities": {
	"pond": {"SubScene": {"Path": "pond.scene"}, "Request": {"Priority": 2}, "Gate": {"Every": 5}},
	"gate": {"Tree": {"Height": 1}, "zoo.Label": {"Text": "gate", "Friend": "@tree/0"}, "Herd": {"Number": 1}, "Paint": {"Hue": 30}, "PerChunk[Weather]": {"Rain": 2}},
`)
	for i := range 4 { // in four chunks, because the values of their chunks differ
		fmt.Fprintf(&park, "\"lamp/%d\": {\"Tree\": {\"Height\": 5}, \"PerChunk[Weather]\": {\"Rain\": %d}},\n", i, i)
	}
	for i := range 40 {
		fmt.Fprintf(&park, "\"tree/%d\": {\"of\": \"oak\", \"Tree\": {\"Height\": %d, \"Next\": \"@tree/%d\"}, \"Place\": {\"X\": %d}},\n", i, i, (i+1)%40, i)
	}
	park.WriteString("}}")
	pond := `{"entities": {
	"fish/1": {"Tree": {"Height": 0.5, "Next": "@fish/2"}, "Dreams": {"Count": 1}, "Paint": {"Hue": 31}, "Species": {"Name": "heron"}},
	"fish/2": {"Tree": {"Height": 0.25, "Next": "@park:tree/3"}, "Trace": {"Steps": 4}, "children": {
		"fin": {"Translation": {"X": 1}, "LocalToWorld": {}, "LocalToParent": {}}}, "Translation": {"Y": 1}, "LocalToWorld": {}},
	"reed": {"SubScene": {"Path": "reed.scene"}, "Request": {}},
}}`
	reed := `{"entities": {"reed": {"Paint": {"Hue": 31}, "Tree": {"Height": 2, "Next": "@park:tree/9"}, "disabled": ["Blink"], "Blink": {}}}}`
	file := func(text string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(text), ModTime: time.Unix(1, 0)}
	}
	return &Texts{files: fstest.MapFS{"park.scene": file(park.String()), "pond.scene": file(pond), "reed.scene": file(reed)}}
}

// scenes is the feature with sub-scenes. They load other sub-scenes, with a delay and a budget, and
// the zoo watches their texts.
var scenes = Feature{
	Name:  "scenes",
	About: "sub-scenes in sub-scenes, with a delay, a budget, watched texts, and references between scenes",
	Types: listTypes(ecs.With[Tree](), ecs.With[Gate](), ecs.With[scene.SubScene](), ecs.With[scene.Request](), ecs.With[scene.Status](),
		ecs.With[scene.SceneTag]()),
	Spawn: func(k *Keeper) error {
		for range k.countFor(1, 3) {
			e := scene.Load(k.World, "park.scene", 1)
			if err := ecs.Add(k.World, e, Gate{Every: 9}); err != nil {
				return err
			}
		}
		return nil
	},
	Install: func(k *Keeper) error {
		texts := newTexts()
		k.World.Hooks().Attach(textsKey{}, texts)
		return scene.Configure(k.World, scene.Config{Files: texts, Budget: 25, Delay: 2, Live: true})
	},
	Systems: []*system.Type{system.Of[OpenGates](), system.Of[Ripen]()},
	Plugins: []*system.Plugin{scene.Systems()},
}

// OpenGates switches requests.
type OpenGates struct {
	_ system.Before[scene.Streaming]
	_ system.In[system.Initialization]
	_ system.After[Turn]
	reader
	gates *ecs.Query
}

// Create makes the query.
func (s *OpenGates) Create(u *system.Setup) error {
	s.gates = u.Query(ecs.Write[scene.Request](), ecs.Read[Gate](), ecs.IgnoreEnabled())
	return nil
}

// Update loops and switches.
func (s *OpenGates) Update(f *system.Frame) error {
	if err := s.open(f); err != nil {
		return err
	}
	for c := range s.gates.Chunks() {
		for i, every := range *ecs.ReadColumn[Gate](c) {
			if s.Tick%every == every-1 {
				ecs.SetEnabledAt[scene.Request](c, i, !ecs.EnabledAt[scene.Request](c, i))
			}
		}
	}
	return nil
}

// Ripen schedules a job over entities of scenes, which follows their references.
type Ripen struct {
	trees *ecs.Query
	other *ecs.Lookup[Place]
}

// Create makes the query.
func (s *Ripen) Create(u *system.Setup) error {
	s.trees = u.Query(ecs.Write[Tree](), ecs.With[scene.SceneTag](), ecs.Anywhere(ecs.Read[Place]()))
	s.other = ecs.NewLookup[Place](s.trees)
	return nil
}

// Update schedules the job.
func (s *Ripen) Update(f *system.Frame) error {
	f.ParallelFor(s.trees, s)
	return nil
}

// Chunk is the job.
func (s *Ripen) Chunk(c *ecs.Chunk) {
	v := ecs.Column[Tree](c)
	for i := range v.Height {
		p, _ := s.other.Get(v.Next[i])
		v.Height[i] = float32(v.Height[i]*0.875) + p.X
		if !v.Pond[i].IsZero() {
			v.Height[i]++
		}
	}
}
