package near

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("lanewise.update", false, "write testdata anew")

// TestMessages checks the messages about wrong arguments.
func TestMessages(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	box := Space[float32]{Dims: 2, High: Point[float32]{X: 9, Y: 9}, Cell: 1}
	space := func(change func(s *Space[float32])) func() {
		return func() {
			s := box
			change(&s)
			New(s)
		}
	}
	cube := Space[float32]{Dims: 3, High: Point[float32]{X: 9, Y: 9, Z: 9}}
	clusters := func(change func(s *Space[float32], cutoff, skin *float32)) func() {
		return func() {
			s, cutoff, skin := cube, float32(1), float32(0.1)
			change(&s, &cutoff, &skin)
			NewClusters(s, cutoff, skin)
		}
	}
	three, two := []float32{1, 2, 3}, []float32{1, 2}
	flat, solid, raw := New(box), New(Space[float32]{Dims: 3, Cell: 1, Border: Endless}), New(box)
	flat.Build(three, three, nil)
	raw.Add(two, two, nil)
	var tile Tile[float32]
	var lists Lists
	p := Point[float32]{X: 1, Y: 1}
	var said strings.Builder
	for _, c := range []struct {
		name string
		call func()
	}{
		{"one dimension", space(func(s *Space[float32]) { s.Dims = 1 })},
		{"no such border", space(func(s *Space[float32]) { s.Border = 3 })},
		{"no width", space(func(s *Space[float32]) { s.Cell = 0 })},
		{"a width of NaN", space(func(s *Space[float32]) { s.Cell = nan })},
		{"next to no width", space(func(s *Space[float32]) { s.Cell = 1e-45 })},
		{"no room", space(func(s *Space[float32]) { s.High.Y = 0 })},
		{"room without end", space(func(s *Space[float32]) { s.High.X = inf })},
		{"too many cells", space(func(s *Space[float32]) { s.Cell = 1e-5 })},
		{"negative room", func() { flat.Resize(-1) }},
		{"y", func() { flat.Build(three, two, nil) }},
		{"z in a plane", func() { flat.Add(three, three, three) }},
		{"no z in space", func() { solid.Put(0, three, three, nil) }},
		{"no room made", func() { flat.Put(0, three, three, nil) }},
		{"too little room", func() { raw.Put(1, two, two, nil) }},
		{"at, not sorted", func() { raw.At() }},
		{"ids, not sorted", func() { raw.IDs() }},
		{"nowhere, not sorted", func() { raw.Nowhere() }},
		{"move, not sorted", func() { raw.Move() }},
		{"trim, not sorted", func() { raw.Trim() }},
		{"runs, not sorted", func() { raw.AppendRuns(nil, p, 1) }},
		{"within, not sorted", func() { raw.AppendWithin(nil, p, 1) }},
		{"any, not sorted", func() { raw.Any(p, 1) }},
		{"nearest, not sorted", func() { raw.AppendNearest(nil, p, 1) }},
		{"hit, not sorted", func() { raw.Hit(p, p, 1) }},
		{"neighbours, not sorted", func() { _ = raw.Neighbours(&lists, 1) }},
		{"pairs, not sorted", func() { _ = raw.Pairs(&lists, 1) }},
		{"tiles, not sorted", func() { raw.Tiles() }},
		{"runs of a negative r", func() { flat.AppendRuns(nil, p, -1) }},
		{"within NaN", func() { flat.AppendWithin(nil, p, nan) }},
		{"any within NaN", func() { flat.Any(p, nan) }},
		{"a negative number", func() { flat.AppendNearest(nil, p, -1) }},
		{"hit of a negative r", func() { flat.Hit(p, p, -1) }},
		{"hit of an infinite r", func() { flat.Hit(p, p, inf) }},
		{"hit of an r without a square", func() { flat.Hit(p, p, 1e30) }},
		{"neighbours within NaN", func() { _ = flat.Neighbours(&lists, nan) }},
		{"pairs of a negative r", func() { _ = flat.Pairs(&lists, -1) }},
		{"no such tile", func() { tile.Load(flat, 3, 1) }},
		{"no such rows", func() { flat.TileRows(3) }},
		{"a tile of NaN", func() { tile.Load(flat, 0, nan) }},
		{"clusters in a plane", clusters(func(s *Space[float32], _, _ *float32) { s.Dims = 2 })},
		{"clusters of a part", clusters(func(s *Space[float32], _, _ *float32) { s.Part.Count[0] = 1 })},
		{"clusters without a cutoff", clusters(func(_ *Space[float32], cutoff, _ *float32) { *cutoff = 0 })},
		{"clusters with a negative skin", clusters(func(_ *Space[float32], _, skin *float32) { *skin = -1 })},
		{"clusters without room", clusters(func(s *Space[float32], _, _ *float32) { s.High.Z = 0 })},
		{"clusters of three rows", func() { c := NewClusters(cube, 1, 0); c.Width = 3; _ = c.Build(nil, nil, nil) }},
		{"clusters of unequal lanes", func() { _ = NewClusters(cube, 1, 0).Build(three, three, two) }},
		{"columns of unequal lanes", func() { NewClusters(cube, 1, 0).Reorder(three) }},
	} {
		func() {
			defer func() { fmt.Fprintf(&said, "%s: %v\n", c.name, recover()) }()
			c.call()
		}()
	}
	const file = "testdata/messages.golden"
	if *update {
		if err := os.WriteFile(file, []byte(said.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if said.String() != string(want) {
		t.Errorf("got\n%swant\n%s", said.String(), want)
	}
	if raw.Len() != 2 || flat.Len() != 3 {
		t.Error("a grid has changed")
	}
}

// TestTooMany checks the error for more pairs than an index can count.
func TestTooMany(t *testing.T) {
	g := New(Space[float32]{Dims: 2, High: Point[float32]{X: 9, Y: 9}, Cell: 1})
	x := make([]float32, 400)
	g.Build(x, x, nil)
	var lists Lists
	if err := g.buildLists("Grid.Pairs", &lists, 1, true, 1000); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
	if len(lists.Row) != 0 || len(lists.Start) != 1 {
		t.Error("there are lists")
	}
	if err := g.Pairs(&lists, 1); err != nil || len(lists.Row) != 400*399/2 {
		t.Errorf("%d pairs, %v", len(lists.Row), err)
	}
}
