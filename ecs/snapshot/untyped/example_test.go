package untyped_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
)

// Mass is in kilograms.
type Mass struct{ Value float64 }

// saveMasses returns a snapshot of two masses.
func saveMasses() []byte {
	w := ecs.NewWorld("lab")
	w.Spawn(Mass{1.5})
	w.Spawn(Mass{2.5})
	m, err := ecs.Capture(w, nil)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if _, err := snapshot.Write(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// A tool reads every number of a file without the program's types. The tool reads the components
// with their lanes, and the archetypes with their chunks. Each chunk has a column for each
// component. An untyped.Component contains the name and the kind of a component, and a lane
// contains an untyped.Number for each number of a value.
func ExampleRead() {
	f, err := untyped.Read(bytes.NewReader(saveMasses()))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range f.Archetypes {
		for _, chunk := range a.Chunks {
			for i, column := range chunk.Columns {
				c := f.Components[a.Components[i]]
				for k, lane := range c.Lanes {
					n := lane.Shape.Numbers[0]
					fmt.Printf("%s.%s: %c%d, %v\n", c.Name, lane.Name, n.Letter, n.Size, c.Kind)
					for row, e := range chunk.Entities {
						bits := binary.LittleEndian.Uint64(column.Lanes[k][row*lane.Shape.Size:])
						fmt.Println(e, math.Float64frombits(bits))
					}
				}
			}
		}
	}
	// Output:
	// github.com/lanewise/lanewise/ecs/snapshot/untyped_test.Mass.Value: f8, data
	// 0:1 1.5
	// 1:1 2.5
}

// ErrCorrupt and ErrVersion tell a damaged file from one of a later release.
func ExampleErrCorrupt() {
	b := saveMasses()
	_, err := untyped.Read(bytes.NewReader(b[:len(b)-1]))
	fmt.Println(errors.Is(err, untyped.ErrCorrupt), errors.Is(err, untyped.ErrVersion))
	_, err = untyped.Open("there is no such file")
	fmt.Println(err != nil)
	// Output:
	// true false
	// true
}

// Kinds are bits.
func ExampleKind() {
	fmt.Println(untyped.Shared|untyped.Cleanup, untyped.Tag, untyped.Kind(0))
	// Output: shared cleanup tag data
}
