package kernels

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A pathID names one implementation of the kernels.
type pathID uint8

const (
	generic pathID = iota // the Go bodies: every CPU, the reference
	avx2
	avx512 // F, VL, DQ and BW
	neon
	simd // the 128-bit vectors of WebAssembly: package simd/archsimd of Go 1.27 with GOEXPERIMENT=simd
)

var pathNames = [...]string{generic: "generic", avx2: "avx2", avx512: "avx512", neon: "neon", simd: "simd"}

// path is the path in use; every kernel switches on it.
var path = initialPath(os.Getenv("LANEWISE_KERNELS"))

// piece is the largest number of rows between two points at which the scheduler
// can stop this goroutine. The scheduler cannot interrupt assembly, but it can stop the goroutine
// at the call of a Go function. So a function that calls a kernel once for each piece of a long
// operand is never inlined.
const piece = 1 << 16

// Path returns the name of the path in use: "generic", "avx2", "avx512", "neon" or "simd".
func Path() string { return pathNames[path] }

// Paths returns the names of the paths that this CPU and this build have. The
// first is "generic", and the last is the path that the program chose at start.
func Paths() []string {
	ids := availablePaths()
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = pathNames[id]
	}
	return names
}

// Use selects the named path for all kernels. The results are the same on every
// path, so only tests and measurements need Use.
//
// Use must not be called while a kernel runs. The error wraps [ErrPath].
func Use(name string) error {
	id, err := findPath(name)
	if err != nil {
		return fmt.Errorf("kernels: Use: %w", err)
	}
	path = id
	return nil
}

// initialPath returns the first path of the process. If LANEWISE_KERNELS names a path
// that this CPU or build does not have, initialPath prints one line and exits with status 2. If
// the process continued on another path, a test would pass without testing the named one.
// initialPath does not panic, because a stack trace does not help the person who set the
// variable.
func initialPath(want string) pathID {
	id, err := choosePath(want)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return id
}

// choosePath returns the fastest path, or the path that the environment variable
// names.
func choosePath(name string) (pathID, error) {
	ids := availablePaths()
	if name == "" {
		return ids[len(ids)-1], nil
	}
	id, err := findPath(name)
	if err != nil {
		return id, fmt.Errorf("kernels: LANEWISE_KERNELS: %w", err)
	}
	return id, nil
}

func findPath(name string) (pathID, error) {
	if i := slices.Index(Paths(), name); i >= 0 {
		return availablePaths()[i], nil
	}
	return generic, fmt.Errorf("%q: %w: there are %s", name, ErrPath, strings.Join(Paths(), ", "))
}
