package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// temp matches the names of temporary files, and no others.
var temp = regexp.MustCompile(`(?s)^\..+\.lanewise-[0-9]+-[0-9]+\.tmp$`)

// sweep removes from a directory the files that killed processes have left there: the regular ones with the name of a temporary file that no process
// holds. A file that it may not see or touch it leaves alone.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && temp.MatchString(e.Name()) {
			sweepFile(filepath.Join(dir, e.Name()))
		}
	}
}

// sweepFile removes a file if it can be locked, which it cannot be while the process that made it lives. Where there are no locks it removes an
// old file.
func sweepFile(name string) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	lock, err := hold(f)
	info, failed := f.Stat()
	gone := failed == nil && (err == nil && canHold || !errors.Is(err, errHeld) && time.Since(info.ModTime()) > time.Hour)
	if gone = gone && sits(f, name); gone && canHold {
		_ = os.Remove(name) // it is locked: no other process gives it another name meanwhile
	}
	_, _ = f.Close(), lock.Close()
	if gone && !canHold {
		_ = os.Remove(name) // Windows removes no file that is open
	}
}

// sits reports whether a file still has this name.
func sits(f *os.File, name string) bool {
	a, errA := f.Stat()
	b, errB := os.Lstat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
