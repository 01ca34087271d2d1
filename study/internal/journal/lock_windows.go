package journal

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// errNoLocks is returned by hold on a file system without locks.
var errNoLocks = errors.New("the file system has no locks")

// errSharingViolation is the error of opening a file that another process has opened
// exclusively.
const errSharingViolation = syscall.Errno(32)

// openLog opens a log, or creates it, so that only this process can write. Other
// processes may read it.
func openLog(name string) (*os.File, error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharingViolation) {
		return nil, &os.PathError{Op: "open", Path: name, Err: ErrHeld}
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

func lockFile(*os.File) (io.Closer, error) { return io.NopCloser(nil), nil }
