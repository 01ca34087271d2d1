package kernels

// Code that lanec has generated in other packages calls the functions of this
// file. The kernels of this package use the same checks directly.

// Checked reports whether this build checks operands for overlaps and tells the race detector about
// reads and writes of kernels. Builds with -race or the tag lanewise_guard do.
const Checked = checked

// A Touch is a lane that a kernel reads or writes.
type Touch struct {
	span
	write bool
}

// Reads returns a Touch for a lane that is read. The name is for messages, for
// example "pos.X".
func Reads[E any](name string, lane []E) Touch { return Touch{spanOf(name, lane), false} }

// Writes returns a Touch for a lane that is written, or read and written. The
// name is for messages.
func Writes[E any](name string, lane []E) Touch { return Touch{spanOf(name, lane), true} }

// Announce tells the race detector the lanes that a kernel will read and write.
// Announce panics if a lane that is written overlaps another lane. It accepts two lanes that begin
// at the same address and have elements of the same size. Other overlaps are errors because a
// kernel processes several rows at once, so that only accesses to the same row have a known order.
func Announce(kernel string, uses ...Touch) {
	for i, d := range uses {
		for j, s := range uses {
			if d.write && i != j && d.overlaps(s.span) && (d.base != s.base || d.size != s.size) {
				panic(overlapText(kernel, d.span, s.span))
			}
		}
	}
	for _, u := range uses {
		announce(u.span, u.write)
	}
}

// Overlap reports whether two lanes share memory.
func Overlap[A, B any](a []A, b []B) bool { return sharesMemory(a, b) }

// VectorBytes returns the number of bytes of a vector on the path in use. It is 16 with
// NEON and with the vectors of WebAssembly, 32 with AVX2, 64 with AVX-512, and 0 on the generic path.
func VectorBytes() int { return int(vectorBytes[path&7]) }

var vectorBytes = [8]uint8{generic: 0, avx2: 32, avx512: 64, neon: 16, simd: 16}
