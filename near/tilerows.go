package near

import "fmt"

// TileRows returns the rows of the tile k, without loading what is near them.
//
// It panics if there is no such tile, or if points were added and not sorted.
func (g *Grid[T]) TileRows(k int) Run {
	if n := g.Tiles(); k < 0 || k >= n {
		panic(fmt.Sprintf("near: Grid.TileRows: tile %d of %d", k, n))
	}
	return Run{g.tiles[k], g.tiles[k+1]}
}
