//go:build !amd64 || purego || race

package fold

// The race detector sees the reads of Go code, but not those of assembly.

// Bytes hashes the blocks of b into s.
func Bytes(s *State, b []byte) { bytesGeneric(s, b) }

// Floats32 is [Bytes] for float32. Nan is false only if no number is NaN.
func Floats32(s *State, b []byte) (nan bool) { return floats32Generic(s, b) }

// Floats64 is [Bytes] for float64. Nan is false only if no number is NaN.
func Floats64(s *State, b []byte) (nan bool) { return floats64Generic(s, b) }
