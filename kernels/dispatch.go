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
)

var pathNames = [...]string{generic: "generic", avx2: "avx2", avx512: "avx512", neon: "neon"}

// path is what every kernel switches on.
var path = start(os.Getenv("LANEWISE_KERNELS"))

// piece is the largest number of rows worked on between two chances for the
// scheduler to stop this goroutine: assembly cannot be interrupted, the call of a
// Go function can. So the functions that cut long runs into pieces, by calling
// themselves, are never inlined.
const piece = 1 << 16

// Path returns the name of the path in use: "generic", "avx2", "avx512" or "neon".
func Path() string { return pathNames[path] }

// Paths returns the names of the paths that this CPU and this build have, the
// reference first and the one chosen at start last.
func Paths() []string {
	ids := available()
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = pathNames[id]
	}
	return names
}

// Use makes the kernels take the named path from now on. The results are the
// same on every path, so this is for tests and measurements.
//
// It must not be called while a kernel runs. The error wraps [ErrPath].
func Use(name string) error {
	id, err := find(name)
	if err != nil {
		return fmt.Errorf("kernels: Use: %w", err)
	}
	path = id
	return nil
}

// start returns the path to begin with. A process that asks for a path it cannot
// have must not run on another, for it would pass for tested: it ends, with one
// line, since whoever set the variable is no reader of a panic's trace.
func start(want string) pathID {
	id, err := wanted(want)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return id
}

// wanted returns the fastest path, or the one that the environment asks for.
func wanted(name string) (pathID, error) {
	ids := available()
	if name == "" {
		return ids[len(ids)-1], nil
	}
	id, err := find(name)
	if err != nil {
		return id, fmt.Errorf("kernels: LANEWISE_KERNELS: %w", err)
	}
	return id, nil
}

func find(name string) (pathID, error) {
	if i := slices.Index(Paths(), name); i >= 0 {
		return available()[i], nil
	}
	return generic, fmt.Errorf("%q: %w: there are %s", name, ErrPath, strings.Join(Paths(), ", "))
}
