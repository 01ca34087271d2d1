//go:build !purego && !race

package fold

// bytesAsm is [Bytes].
//
//go:noescape
func bytesAsm(s *State, b []byte)

// floats32Asm is [Floats32].
//
//go:noescape
func floats32Asm(s *State, b []byte) (nan bool)

// floats64Asm is [Floats64].
//
//go:noescape
func floats64Asm(s *State, b []byte) (nan bool)

// Bytes hashes the blocks of b into s.
func Bytes(s *State, b []byte) { bytesAsm(s, b) }

// Floats32 is [Bytes] for float32. Nan is false only if no number is NaN.
func Floats32(s *State, b []byte) (nan bool) { return floats32Asm(s, b) }

// Floats64 is [Bytes] for float64. Nan is false only if no number is NaN.
func Floats64(s *State, b []byte) (nan bool) { return floats64Asm(s, b) }
