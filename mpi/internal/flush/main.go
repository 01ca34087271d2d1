// Command flush is a program in which a C library flushes subnormal numbers to
// zero, like a library that was linked with -ffast-math. The library does this on the main
// thread: when it is loaded, if the variable FLUSH is set; or later, with the argument
// late. The command prints the errors of jobs.New and mpi.Begin.
package main

/*
#include <stdlib.h>

// flush_zero does to the calling thread what crtfastmath.o of gcc does.
#if defined(__x86_64__)
static void flush_zero(void) {
	unsigned mode;
	__asm__ volatile("stmxcsr %0" : "=m"(mode));
	mode |= 0x8040;
	__asm__ volatile("ldmxcsr %0" : : "m"(mode));
}
#elif defined(__aarch64__)
static void flush_zero(void) {
	unsigned long mode;
	__asm__ volatile("mrs %0, fpcr" : "=r"(mode));
	mode |= 1ul << 24;
	__asm__ volatile("msr fpcr, %0" : : "r"(mode));
}
#else
#error "say here how this CPU takes subnormal numbers for zero"
#endif

__attribute__((constructor)) static void loaded(void) {
	if (getenv("FLUSH")) flush_zero();
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"

	"github.com/lanewise/lanewise/jobs"
	"github.com/lanewise/lanewise/mpi"
)

func main() {
	runtime.LockOSThread()
	if len(os.Args) > 1 && os.Args[1] == "late" {
		fmt.Println("before:", pool())
		C.flush_zero()
	}
	fmt.Println("pool:", pool())
	c, err := mpi.Begin()
	fmt.Println("begin:", err)
	if err == nil {
		err = c.End()
	}
	if err != nil {
		os.Exit(1)
	}
}

// pool makes a pool, and returns the value of New's panic.
func pool() (v any) {
	defer func() { v = recover() }()
	_ = jobs.New().Close()
	return nil
}
