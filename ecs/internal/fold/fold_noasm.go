//go:build !amd64 || purego || race

package fold

// The race detector sees what Go reads, and no assembly.

// Bytes puts the blocks of b into a state.
func Bytes(s *State, b []byte) { bytesGeneric(s, b) }

// Floats32 is Bytes for float32, and reports whether some may be NaN.
func Floats32(s *State, b []byte) (nan bool) { return floats32Generic(s, b) }

// Floats64 is Bytes for float64, and reports whether some may be NaN.
func Floats64(s *State, b []byte) (nan bool) { return floats64Generic(s, b) }
