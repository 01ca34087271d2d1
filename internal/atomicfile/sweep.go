package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// isTemp reports whether name is the name of a temporary file: .NAME.lanewise-DIGITS-DIGITS.tmp. It does not use package regexp, because
// package snapshot would then add 90 KB to each compressed WebAssembly program.
func isTemp(name string) bool {
	rest, ok := strings.CutSuffix(name, ".tmp")
	at := strings.LastIndex(rest, ".lanewise-")
	if !ok || !strings.HasPrefix(name, ".") || at < 2 {
		return false
	}
	first, second, ok := strings.Cut(rest[at+len(".lanewise-"):], "-")
	return ok && isDigits(first) && isDigits(second)
}

// isDigits reports whether s has decimal digits, and nothing else.
func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// sweep removes the files that killed processes have left in a directory.
// These are regular files that have the name of a temporary file and are not
// locked by a process. It skips files that it may not read or remove.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.Type().IsRegular() && isTemp(e.Name()) {
			sweepFile(filepath.Join(dir, e.Name()))
		}
	}
}

// sweepFile removes a file if it can lock the file, because a live process
// would hold the lock. On a system without locks, sweepFile removes the file
// if it is older than an hour.
func sweepFile(name string) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	lock, err := hold(f)
	info, failed := f.Stat()
	gone := failed == nil && (err == nil && canHold || !errors.Is(err, errHeld) && time.Since(info.ModTime()) > time.Hour)
	if gone = gone && hasName(f, name); gone && canHold {
		_ = os.Remove(name) // we hold its lock, so no other process renames it meanwhile
	}
	_, _ = f.Close(), lock.Close()
	if gone && !canHold {
		_ = os.Remove(name) // closed before, because Windows does not remove open files
	}
}

// hasName reports whether the open file f still has this name.
func hasName(f *os.File, name string) bool {
	a, errA := f.Stat()
	b, errB := os.Lstat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
