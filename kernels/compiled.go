package kernels

// What stands here is for functions that lanec has compiled: what kernels of this package do by themselves, they do by these.

// Checked says that this build looks for overlaps and tells the race detector what kernels read and write: it is made with -race or
// the tag lanewise_guard.
const Checked = checked

// A Touch is a lane that a kernel reads or writes.
type Touch struct {
	span
	write bool
}

// Reads returns the use of a lane that is read. The name is the caller's: "pos.X".
func Reads[E any](name string, lane []E) Touch { return Touch{spanOf(name, lane), false} }

// Writes returns the use of a lane that is written, or read and written.
func Writes[E any](name string, lane []E) Touch { return Touch{spanOf(name, lane), true} }

// Announce tells the race detector what a kernel is about to read and write. It panics if a lane that is written overlaps another one and does
// not begin where that does: rows work side by side, so that only the same row of both is in order.
func Announce(kernel string, uses ...Touch) {
	for i, d := range uses {
		for j, s := range uses {
			if d.write && i != j && d.overlaps(s.span) && (d.at != s.at || d.size != s.size) {
				panic(overlapText(kernel, d.span, s.span))
			}
		}
	}
	for _, u := range uses {
		announce(u.span, u.write)
	}
}

// Overlap says whether two lanes share memory.
func Overlap[A, B any](a []A, b []B) bool { return meet(a, b) }

// Vector returns how many bytes a vector of the path in use has: 16 with NEON, 32 with AVX2, 64 with AVX-512, and 0 where the Go bodies run.
func Vector() int { return int(vectorBytes[path&3]) }

var vectorBytes = [4]uint8{generic: 0, avx2: 32, avx512: 64, neon: 16}
