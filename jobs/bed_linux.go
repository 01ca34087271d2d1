package jobs

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Futex makes idle workers sleep in a Linux futex call instead of on a Go
// channel; elsewhere it changes nothing. Whoever sleeps there starts several
// times sooner, and the waker need not yield, but the runtime takes a while to
// see that the processor of a sleeping worker is free.
func Futex() Option { return func(p *Pool) { p.newBed = newFutexBed } }

// futexBed is a word that the kernel watches.
type futexBed struct{ word atomic.Uint32 }

const (
	bedEmpty  = 0
	bedRoused = 1
	bedTaken  = 2 // somebody sleeps

	futexWaitPrivate = 128
	futexWakePrivate = 129
)

func newFutexBed() bed { return new(futexBed) }

func (b *futexBed) sleep(limit time.Duration) {
	if b.word.CompareAndSwap(bedEmpty, bedTaken) {
		var timeout *syscall.Timespec
		if limit != 0 {
			t := syscall.NsecToTimespec(int64(limit))
			timeout = &t
		}
		for b.word.Load() == bedTaken {
			// SAFETY: both pointers are to live Go memory for the length of
			// the call, and the kernel keeps neither.
			_, _, e := syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&b.word)), futexWaitPrivate,
				bedTaken, uintptr(unsafe.Pointer(timeout)), 0, 0)
			if e == syscall.ETIMEDOUT {
				break
			}
		}
	}
	b.word.Swap(bedEmpty) // before the caller looks who woke it
}

func (b *futexBed) rouse() {
	if b.word.Swap(bedRoused) == bedTaken {
		// SAFETY: as above. The call never blocks: the processor stays here.
		_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&b.word)), futexWakePrivate, 1, 0, 0, 0)
	}
}

func (b *futexBed) yields() bool { return false }
