//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package journal

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// errNoLocks is returned by hold on a file system without locks.
var errNoLocks = errors.New("the file system has no locks")

// openLog opens a log, or creates it.
func openLog(name string) (*os.File, error) { return os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666) }

// lockFile locks a file until it is closed. The system also releases the lock when the process ends
// for any reason.
func lockFile(f *os.File) (io.Closer, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return io.NopCloser(nil), nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, ErrHeld
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOLCK):
		return nil, errNoLocks
	}
	return nil, err
}
