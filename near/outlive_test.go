package near_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/near"
)

// TestTilesOutlive checks that Lists and a Tile keep their contents when the grid is rebuilt. A Tile
// whose rows the grid no longer has must refuse a lane of the new grid.
func TestTilesOutlive(t *testing.T) {
	for _, n := range []int{40, 400} {
		x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i], z[i] = float32(i%10), float32(i/10%10), float32(i/100)
		}
		g := near.New(near.Space[float32]{Dims: 3, Cell: 2, Border: near.Endless})
		g.Build(x, y, z)
		var tile near.Tile[float32]
		tile.Load(g, g.Tiles()-1, 1)
		var lists near.Lists
		if err := g.Neighbours(&lists, 1); err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(tile.At.X, lists.Row)
		g.Build(x[:3:3], y[:3:3], z[:3:3])
		if got := fmt.Sprint(tile.At.X, lists.Row); got != before {
			t.Errorf("%d points: the tile and the lists have changed with the grid", n)
		}
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "near: Tile.Gather: the lane has 3 elements") {
					t.Errorf("%d points: Gather panics with %q", n, got)
				}
			}()
			tile.Gather(nil, make([]float32, 3, n))
		}()
	}
}
