package ecs

// imageRoom is what package ecs/images is made of, where it has its comments, and what ecs/rollback keeps images with. Its methods
// are that package's functions and call nothing back.
type imageRoom struct{}
