//go:build !purego && !race

package fold

// bytesAsm implements [Bytes] in assembly.
//
//go:noescape
func bytesAsm(s *State, b []byte)

// floats32Asm implements [Floats32] in assembly.
//
//go:noescape
func floats32Asm(s *State, b []byte) (nan bool)

// floats64Asm implements [Floats64] in assembly.
//
//go:noescape
func floats64Asm(s *State, b []byte) (nan bool)

// Bytes hashes the blocks of b into s.
func Bytes(s *State, b []byte) { bytesAsm(s, b) }

// Floats32 hashes as [Bytes] does, and looks for NaN among the float32 of b, which are in little-endian order. If the result nan is
// false, no number is NaN.
func Floats32(s *State, b []byte) (nan bool) { return floats32Asm(s, b) }

// Floats64 hashes as [Bytes] does, and looks for NaN among the float64 of b, which are in little-endian order. If the result nan is
// false, no number is NaN.
func Floats64(s *State, b []byte) (nan bool) { return floats64Asm(s, b) }
