//go:build !amd64 || purego || race

package fold

// This file is used with the race detector too: the detector sees the reads of Go code, but not the
// reads of assembly.

// Bytes hashes the blocks of b into s.
func Bytes(s *State, b []byte) { bytesGeneric(s, b) }

// Floats32 hashes as [Bytes] does, and looks for NaN among the float32 of b, which are in little-endian order. If the result nan is
// false, no number is NaN.
func Floats32(s *State, b []byte) (nan bool) { return floats32Generic(s, b) }

// Floats64 hashes as [Bytes] does, and looks for NaN among the float64 of b, which are in little-endian order. If the result nan is
// false, no number is NaN.
func Floats64(s *State, b []byte) (nan bool) { return floats64Generic(s, b) }
