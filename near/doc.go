// Package near finds neighbours: which points are within a distance of a point, which pairs are,
// which is nearest, what a ray meets. Points are in a plane or in space, as lanes of
// float32 or float64, inside of walls, in a box without borders, or anywhere.
//
// The words. A point has an id: 0, 1, 2 … as it was added. The space is cut into cells
// of one size. A grid keeps its own copy of the points, sorted by cell and then by id:
// the place of a point there is its row. A run is some rows behind each other.
//
//	g := near.New(near.Space[float32]{Dims: 3, High: near.Point[float32]{X: 9, Y: 9, Z: 9}, Cell: 0.5})
//	g.Pool = pool                        // or nil
//	g.Build(pos.X, pos.Y, pos.Z)         // or Clear, Add, Add …, Sort
//	found = g.AppendWithin(found[:0], p, r)
//	found = g.AppendNearest(found[:0], p, 8)
//	runs = g.AppendRuns(runs[:0], p, r)  // rows among which all within r are
//	err := g.Neighbours(&lists, r)       // of each point; Pairs has each pair once
//	hit, along, ok := g.Hit(from, to, r) // the first that a ray meets
//	tile.Load(g, k, r)                   // some rows and all that is near them, for a kernel
//
// A [Tree] is for points that are crowded here and far apart there.
//
// # What near means
//
// The distance of two points is what this computes, with every result rounded:
//
//	dx, dy, dz := q.X-p.X, q.Y-p.Y, q.Z-p.Z
//	square := (dx*dx + dy*dy) + dz*dz
//
// and q is within r of p if square <= r*r. In a periodic space each of dx, dy and dz
// becomes dx-side if it is more than half the side, and dx+side if it is less than
// minus half of it: of all images of q the nearest one counts, and no other. What the
// grid finds is what a comparison with every point finds, bit by bit.
//
// A point with a coordinate that is not finite is nowhere: nothing finds it, and
// [Grid.Nowhere] says which those are. Points outside of walls are found as all others;
// many of them far outside make finding slow. In a periodic space a point
// outside is kept as its image inside.
//
// # The order
//
// Rows are in the order of (cell, id), and whatever is found comes in the order of
// rows, unless it says otherwise. Neither the number of workers nor the pieces in
// which points were added make a difference, so a sum over neighbours has one result.
//
// # Runs
//
// The cells around a point stand behind each other along x, so their rows are a few
// runs, of points that may be near: a kernel goes through them without looking
// anything up. A [Tile] has them for several rows at once.
//
// # How it works
//
// Each point's cell is computed by a kernel, cells are counted, and each point is
// moved to the next place of its cell: a counting sort, on a pool in one part for
// each worker, with the same result. An endless space has no cells of its own: where
// points are too far apart for a cell each, cells far from each other share one, by a
// hash that leaves neighbours neighbours.
//
// A new search goes by the runs of runs.go, and naive_test.go compares it with a search over every point.
package near
