package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// tempName names the file in which an output grows, beside its target; temp
// matches such names and nothing else.
func tempName(target string, pid, try int) string {
	return fmt.Sprintf(".%s.lanewise-%d-%d.tmp", target, pid, try)
}

var temp = regexp.MustCompile(`^\..+\.lanewise-[0-9]+-[0-9]+\.tmp$`)

// sweep removes from a directory the files that killed runs have left there: the
// regular ones with the name of one that no process holds. What it may not see or
// touch it leaves alone.
func sweep(dir string) {
	if !canHold {
		return
	}
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

// sweepFile removes a file if it can be held, which it cannot while the process
// that made it lives.
func sweepFile(name string) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	lock, err := hold(f)
	if err != nil {
		return
	}
	if sits(f, name) { // it may have got its own name by now
		_ = os.Remove(name)
	}
	_ = lock.Close()
}

// sits reports whether a file has this name, still.
func sits(f *os.File, name string) bool {
	a, errA := f.Stat()
	b, errB := os.Lstat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
