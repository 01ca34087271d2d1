package ecs

// ChunkID returns a number that no other chunk of the world has. A chunk keeps it
// while it is there, whatever becomes of others before it in a loop, and also if all of its
// rows change their archetype where they are; then it is given to another one. The
// numbers are small: a slice with an element for each is the way to keep what one
// knows of chunks. Rows that came or went are told by [Chunk.OrderDidChange].
func ChunkID(c *Chunk) int {
	c.check("ChunkID")
	return int(c.rec.id)
}
