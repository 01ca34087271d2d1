package park

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// futexParker is a word on which the kernel lets a goroutine's thread wait.
type futexParker struct {
	// Park changes word from empty to sleeping and back, and Unpark sets it to the token. Every
	// change is a swap, because the token also orders memory.
	word atomic.Uint32
}

const (
	wordEmpty    = 0
	wordToken    = 1
	wordSleeping = 2 // its owner sleeps

	futexWaitPrivate = 128
	futexWakePrivate = 129
)

// NewFutex returns a Parker that sleeps in a Linux futex call. On other systems it returns the
// Parker of NewChan.
func NewFutex() Parker { return new(futexParker) }

func (p *futexParker) Park(limit time.Duration) {
	if p.word.CompareAndSwap(wordEmpty, wordSleeping) {
		var timeout *syscall.Timespec
		if limit != 0 {
			t := syscall.NsecToTimespec(int64(limit))
			timeout = &t
		}
		for p.word.Load() == wordSleeping {
			// SAFETY: both pointers are to live Go memory for the length of
			// the call, and the kernel keeps neither.
			_, _, e := syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&p.word)), futexWaitPrivate,
				wordSleeping, uintptr(unsafe.Pointer(timeout)), 0, 0)
			if e == syscall.ETIMEDOUT {
				break
			}
		}
	}
	p.word.Swap(wordEmpty) // before the caller looks for the reason of the wake-up
}

func (p *futexParker) Unpark() {
	if p.word.Swap(wordToken) == wordSleeping {
		// SAFETY: as above. The call never blocks, so the goroutine keeps its processor.
		_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&p.word)), futexWakePrivate, 1, 0, 0, 0)
	}
}

func (p *futexParker) Yields() bool { return false }
