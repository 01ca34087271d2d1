package main

import (
	"encoding/binary"
	"fmt"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/scene"
	"github.com/lanewise/lanewise/ecs/system"
)

// Tiles are loaded if they are closer than near, and unloaded if they are farther than far.
// Between these two distances, tiles keep their state, so that a camera that moves around one
// distance does not load a tile again and again.
const near, far = 1.5, 2

// Camera moves around the middle and requests the tiles near it.
type Camera struct {
	tiles  *ecs.Query
	side   int
	update int
}

// Create declares the query for tiles.
func (c *Camera) Create(u *system.Setup) error {
	c.tiles = u.Query(ecs.Read[Tile](), ecs.Write[scene.Request](), ecs.IgnoreEnabled())
	return nil
}

// Update moves the camera along the edges of a square. It requests near tiles and releases far
// tiles.
func (c *Camera) Update(f *system.Frame) error {
	x, y := c.place()
	c.update++
	for chunk := range c.tiles.Chunks() {
		for i, tile := range ecs.Column[Tile](chunk).eachTile() {
			dx, dy := float32(tile.X)-x, float32(tile.Y)-y
			d := float32(dx*dx) + float32(dy*dy)
			switch on := ecs.EnabledAt[scene.Request](chunk, i); {
			case !on && d < near*near:
				ecs.SetEnabledAt[scene.Request](chunk, i, true)
			case on && d > far*far:
				ecs.SetEnabledAt[scene.Request](chunk, i, false)
			}
		}
	}
	return nil
}

// AppendState saves the number of the update, because the position of the camera depends on it.
func (c *Camera) AppendState(out []byte) []byte {
	return binary.LittleEndian.AppendUint64(out, uint64(c.update))
}

// LoadState loads the number of the update.
func (c *Camera) LoadState(in []byte) error {
	if len(in) != 8 {
		return fmt.Errorf("the camera has a state of %d bytes, not of 8", len(in))
	}
	c.update = int(binary.LittleEndian.Uint64(in))
	return nil
}

// place returns the position of the camera. One round follows all four edges of the square.
func (c *Camera) place() (x, y float32) {
	end := float32(c.side - 1)
	along := float32(float32(float32(c.update%updates)/updates) * 4)
	edge, part := int(along), along-float32(int(along))
	switch edge {
	case 0:
		return float32(end * part), 0
	case 1:
		return end, float32(end * part)
	case 2:
		return end - float32(end*part), end
	}
	return 0, end - float32(end*part)
}

// tilesView is a column of tiles.
type tilesView struct{ X, Y []int32 }

// Column returns the view of a column of tiles.
func (Tile) Column() (c tilesView) { return }

// eachTile yields the rows.
func (v *tilesView) eachTile() func(yield func(int, Tile) bool) {
	return func(yield func(int, Tile) bool) {
		n := len(v.X)
		x, y := v.X[:n], v.Y[:n]
		for i := range n {
			if !yield(i, Tile{x[i], y[i]}) {
				return
			}
		}
	}
}

// Float lets moored ships drift.
type Float struct {
	moored *ecs.Query
	dt     float32
}

// Create declares the query for ships.
func (s *Float) Create(u *system.Setup) error {
	s.moored = u.Query(ecs.Write[Place](), ecs.Read[Drift]())
	return nil
}

// Update moves all ships, on all workers.
func (s *Float) Update(f *system.Frame) error {
	s.dt = float32(f.Delta())
	f.ParallelFor(s.moored, s)
	return nil
}

// Chunk moves the rows of a chunk.
func (s *Float) Chunk(c *ecs.Chunk) {
	place := ecs.Column[Place](c)
	place.AddScaled(place, ecs.Column[Drift](c), s.dt)
}
