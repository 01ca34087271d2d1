package jobs

// Which goroutine runs is asked here and nowhere else. Go has no name for it that a program may
// read, so it is found out in one of two ways, each in a file of its own: from the register
// or the thread-local word where Go keeps it (goroutine_asm.go), or from the head line of its stack
// trace (goroutine_noasm.go). docs/decisions/0009 says what builds without assembly lack.

// Goroutine tells goroutines apart that are alive at the same time; 0 where that
// would take more than a nanosecond or two, which is with the tag purego above all.
func Goroutine() uintptr { return goroutine() }

// Stored in place of a goroutine. None has such an identity: it is the address of what Go knows of
// a goroutine, or a number above these.
const (
	unknownGoroutine = 1 // it was too slow to find out; see Pool.enter
	countReader      = 2 // of a seat whose counts are read; see seat.flush
)
