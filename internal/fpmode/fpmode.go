// Package fpmode checks whether the threads of this process use the
// floating-point mode that Go expects: they must keep subnormal numbers, and
// round to nearest.
//
// Both modes are bits of a control register that each thread has: MXCSR on x86
// and FPCR on arm64. A new thread inherits the register of the thread that
// started it. Go never sets this register. But a C library that was linked with
// -ffast-math sets the register when the library is loaded. After that,
// subnormal numbers become zero, and the same program computes other bits.
package fpmode

import (
	"fmt"
	"math"
	"runtime"
	"sync"
)

// ErrMode is the error of Check.
type ErrMode struct {
	Threads, Of int    // number of threads with the wrong mode, and number of threads that were checked
	What        string // the wrong mode
}

// Error returns a text with the defect, its usual cause and the remedy.
func (e *ErrMode) Error() string {
	return fmt.Sprintf("%d of %d threads %s, so results would not have the same bits as elsewhere: as a rule a C library in this process that was built with -ffast-math or -Ofast has set that (MXCSR of x86, FPCR of arm64): build the library without, or do not load it",
		e.Threads, e.Of, e.What)
}

// Check checks GOMAXPROCS threads, including the caller's. It returns an
// *ErrMode if one of these threads flushes subnormal numbers to zero or does
// not round to nearest. Check does not notice if a thread changes its mode
// later.
func Check() error { return check(runtime.GOMAXPROCS(0), fault) }

// check runs probe on n threads at once: each goroutine keeps its thread until all goroutines have a thread.
func check(n int, probe func() string) error {
	var all, wait sync.WaitGroup
	found := make([]string, n)
	all.Add(n)
	look := func(i int) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		found[i] = probe()
		all.Done()
		all.Wait()
	}
	for i := 1; i < n; i++ {
		wait.Go(func() { look(i) })
	}
	look(0)
	wait.Wait()
	bad := ErrMode{Of: n}
	for _, what := range found {
		if what != "" {
			bad.Threads++
			bad.What = what
		}
	}
	if bad.Threads == 0 {
		return nil
	}
	return &bad
}

// fault returns the defect of the calling thread, or "" if there is no defect.
// It compares bits, because a thread that treats subnormal numbers as zero also
// treats them as equal when it compares them.
func fault() string {
	small := math.Float64bits(times(0x1p-1022, 0.5)) != math.Float64bits(0x1p-1023)
	read := math.Float64bits(times(0x1p-1074, 0x1p1000)) != math.Float64bits(0x1p-74)
	up := math.Float64bits(plus(1, 0x1p-60)) != math.Float64bits(1)
	down := math.Float64bits(plus(1, -0x1p-60)) != math.Float64bits(1)
	switch {
	case small || read:
		return "take subnormal numbers for zero"
	case up || down:
		return "do not round to the nearest"
	}
	return ""
}

// times and plus multiply and add at run time. The compiler must not evaluate
// the operations, because it does not know the mode of the thread.
//
//go:noinline
func times(a, b float64) float64 { return a * b }

//go:noinline
func plus(a, b float64) float64 { return a + b }
