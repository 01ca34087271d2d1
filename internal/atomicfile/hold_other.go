//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"io"
	"os"
)

// canHold reports whether files can be locked on this system.
const canHold = false

// errHeld is never returned here.
var errHeld = errors.New("held")

// hold locks nothing.
func hold(*os.File) (io.Closer, error) { return io.NopCloser(nil), nil }
