//go:build !lanewise_guard

package ecs

type guardChunk struct{}

func (c *Chunk) takeChecksums() {}

func (c *Chunk) verifyChecksums() {}

type guardLookup struct{}

func (guardLookup) setQuery(*Query, columnTerm) {}

func (guardLookup) mustBeOwnChunk(string, *component, *chunkData, int) {}
