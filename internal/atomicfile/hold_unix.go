//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"io"
	"os"
	"syscall"
)

// canHold reports whether files can be locked on this system.
const canHold = true

// errHeld is the error of hold if another process has locked the file.
const errHeld = syscall.EWOULDBLOCK

// hold locks a file until the returned Closer is closed or the process ends,
// even if the file itself is closed earlier. If hold fails, the Closer does
// nothing.
func hold(f *os.File) (io.Closer, error) {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return io.NopCloser(nil), err
	}
	syscall.CloseOnExec(fd)
	lock := os.NewFile(uintptr(fd), f.Name())
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		return io.NopCloser(nil), err
	}
	return lock, nil
}
