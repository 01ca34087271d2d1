// Package near finds neighbours of points with cell lists. It finds the points within a cutoff
// radius, all pairs within a radius (Verlet lists), the k nearest points, and the first point on
// a ray. Points are in a plane or in space, and their coordinates are lanes of float32 or
// float64. The space is a walled box, a periodic box (minimum image), or unlimited.
//
//	g := near.New(near.Space[float32]{Dims: 3, High: near.Point[float32]{X: 9, Y: 9, Z: 9}, Cell: 0.5})
//	g.Pool = pool                        // or nil
//	g.Build(pos.X, pos.Y, pos.Z)         // or Clear, Add, Add …, Sort
//	found = g.AppendWithin(found[:0], p, r)
//	found = g.AppendNearest(found[:0], p, 8)
//	runs = g.AppendRuns(runs[:0], p, r)  // ranges of rows that contain all points within r
//	err := g.Neighbours(&lists, r)       // neighbour lists; Pairs has each pair once
//	hit, along, ok := g.Hit(from, to, r) // the first point on a ray
//	tile.Load(g, k, r)                   // some rows and all their neighbours, for a kernel
//
// If points are dense in some places and sparse in others, use a [Tree]. To compute
// forces between pairs in many steps, use [Clusters], whose list remains valid for
// several steps:
//
//	list := near.NewClusters(space, cutoff, skin)
//	err := list.Build(pos.X, pos.Y, pos.Z)
//	rebuilt, err := list.Move()          // after a step has changed the positions of At
//	start, row := list.List()            // of each cluster of rows, the rows near it
//
// # Words
//
// A point has an id: 0, 1, 2 … in the order in which points were added. The
// space is divided into cells of one size. A grid keeps its own copy of the
// points, sorted by cell and then by id; the index of a point in that order is
// its row. A run is a range of rows.
//
// # Distances
//
// The distance of two points is the result of this program, in which every operation is rounded:
//
//	dx, dy, dz := q.X-p.X, q.Y-p.Y, q.Z-p.Z
//	square := (dx*dx + dy*dy) + dz*dz
//
// and q is within r of p if square <= r*r. In a periodic space, dx becomes
// dx-side if it is more than half the side, and dx+side if it is less than
// minus half the side; the same rule applies to dy and dz. This is the minimum
// image convention: only the nearest image of q is a neighbour.
//
// A point with a coordinate that is not finite has no position. No search finds it, and
// [Grid.Nowhere] lists such points. Points outside of walls are found
// like all others, but many of them far outside make searches slow. In a
// periodic space a point outside is replaced by its image inside.
//
// # Promises
//
// A search finds exactly the same points as a comparison with every point.
//
// Rows are sorted by cell and then by id, and results are in the order of rows unless a method says
// otherwise. The order does not depend on the number of workers, or on the number of calls by which
// points were added. So a sum over neighbours always has the same result.
//
// A grid keeps its memory, so that building it again allocates nothing once it
// is large enough.
//
// # Design
//
// The cells around a point are adjacent along x, so their rows are a few runs
// of points. A kernel iterates over these runs without any look-up. A [Tile] holds the runs of
// several rows at once, because these rows share most of their neighbours.
//
// Sorting is a counting sort: a kernel computes each point's cell, a loop counts the points of each
// cell, and then each point moves to the next free row of its cell. With a pool, each worker does
// this for one part of the points. The result is the same, because the offset of each part is
// computed from the counts of all parts.
//
// [Clusters] orders rows by columns of the box instead of by cells. The reason is that
// the list of a cluster contains the neighbours of all its rows, so it is short only if
// the rows are close together. Consecutive rows of one cell may be as far apart as the
// cell is wide. For example, in a liquid where a row has about 77 neighbours, clusters
// of 4, 8 and 16 rows have lists of about 130, 180 and 240 rows. To make a list, a grid
// sorts rows and images, and a kernel compares each cluster with the points of the
// cells around it. Neighbouring clusters share the copy of these points.
//
// An endless space has no fixed number of cells. If there would be more than two to four cells for
// each point, a hash maps several distant cells to one cell. The hash keeps adjacent cells
// adjacent, because runs depend on this property.
//
// Every search uses the runs of runs.go; naive_test.go compares each search with a
// search over all points.
package near
