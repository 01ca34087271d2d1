// Package sister has the key to what a package of this module has for one other alone: only packages
// below ecs can name it, so that what takes one is nothing that a program can call.
package sister

// Key is what such a function takes.
type Key struct{}
