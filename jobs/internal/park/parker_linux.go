package park

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// futexParker is a word that the kernel watches.
type futexParker struct {
	// word is changed by Park, from empty to taken and back to empty, and set by
	// Unpark; every change is a swap, and the token is what its order hangs on.
	word atomic.Uint32
}

const (
	wordEmpty = 0
	wordToken = 1
	wordTaken = 2 // its owner sleeps

	futexWaitPrivate = 128
	futexWakePrivate = 129
)

// NewFutex makes a Parker that sleeps in a futex call of Linux; elsewhere it is that of
// NewChan.
func NewFutex() Parker { return new(futexParker) }

func (b *futexParker) Park(limit time.Duration) {
	if b.word.CompareAndSwap(wordEmpty, wordTaken) {
		var timeout *syscall.Timespec
		if limit != 0 {
			t := syscall.NsecToTimespec(int64(limit))
			timeout = &t
		}
		for b.word.Load() == wordTaken {
			// SAFETY: both pointers are to live Go memory for the length of
			// the call, and the kernel keeps neither.
			_, _, e := syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&b.word)), futexWaitPrivate,
				wordTaken, uintptr(unsafe.Pointer(timeout)), 0, 0)
			if e == syscall.ETIMEDOUT {
				break
			}
		}
	}
	b.word.Swap(wordEmpty) // before the caller looks what woke it
}

func (b *futexParker) Unpark() {
	if b.word.Swap(wordToken) == wordTaken {
		// SAFETY: as above. The call never blocks: the processor stays here.
		_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&b.word)), futexWakePrivate, 1, 0, 0, 0)
	}
}

func (b *futexParker) Yields() bool { return false }
