//go:build !lanewise_guard

package ecs

type guardChunk struct{}

func (c *Chunk) watch() {}

func (c *Chunk) inspect() {}

type guardLookup struct{}

func (guardLookup) keep(*Query, data) {}

func (guardLookup) apart(string, *component, *record, int) {}
