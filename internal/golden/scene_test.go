package golden

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/jobs"
)

// sceneRow bakes the text of a scene, writes the baked scene and reads it. The golden hash
// includes the hash of the scene, and the text that is written from the scene.
func sceneRow(t *testing.T, _ *jobs.Pool) uint64 {
	ecs.RegisterComponent[position]()
	ecs.RegisterComponent[velocity]()
	ecs.RegisterComponent[mixed]()
	ecs.RegisterComponent[look]()
	ecs.RegisterComponent[alert]()
	var text strings.Builder
	text.WriteString(`{"prefabs": {"p": {"golden.position": {"X": 0.1, "Y": 1e-40}, "golden.alert": {"Level": -3}}}, "entities": {`)
	for i := range 3000 {
		fmt.Fprintf(&text, `"e%d": {"of": "p", "golden.position": {"Z": %d.3}, "golden.velocity": {"X": 1e%d, "Y": -0}, "golden.mixed": {"Large": %d, "Link": "@e%d"}, "golden.look": {"Name": "n%d"}},`+"\n",
			i, i, i%300-150, -int64(i)*int64(i)*int64(i), (i*7)%3000, i%3)
	}
	text.WriteString("}}")
	d, err := scene.Parse("golden", []byte(text.String()))
	ok(t, err)
	b, err := d.Bake()
	ok(t, err)
	var file bytes.Buffer
	ok(t, b.Write(&file))
	again, err := scene.ReadBaked(&file)
	ok(t, err)
	flat, err := again.Text()
	ok(t, err)
	s := newSum()
	s.add(again.Image().Hash(), b.Image().Hash())
	s.Write(flat)
	return s.Sum64()
}
