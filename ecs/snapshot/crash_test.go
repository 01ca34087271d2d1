package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/internal/atomicfile"
)

// faulty is a file that works for the given number of calls and then fails.
type faulty struct {
	atomicfile.Handle
	left *int
	err  error
}

func (f faulty) fails() bool { *f.left--; return *f.left < 0 }

func (f faulty) Write(b []byte) (int, error) {
	if f.fails() {
		n, _ := f.Handle.Write(b[:len(b)/2]) // the part that fits on the disk
		return n, f.err
	}
	return f.Handle.Write(b)
}

func (f faulty) Sync() error {
	if f.fails() {
		return f.err
	}
	return f.Handle.Sync()
}

func (f faulty) Close() error {
	if err := f.Handle.Close(); err != nil || !f.fails() {
		return err
	}
	return f.err
}

// TestDiskFails lets each call of the file system fail. The old file must then be complete, and
// no other file may be left.
//
// Conformance: 342
func TestDiskFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "world")
	old, next := imageOf(t, newFamilies(t, 5, 1)), imageOf(t, newFullWorld(t, 300))
	must(t, Save(path, old, named))
	real := atomicfile.Disk
	defer func() { atomicfile.Disk = real }()
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO} {
		done := false
		for calls := 0; !done; calls++ {
			left := calls
			atomicfile.Disk.Open = func(name string, flag int, mode fs.FileMode) (*os.File, error) {
				if left--; left < 0 {
					return nil, &fs.PathError{Op: "open", Path: name, Err: cause}
				}
				return real.Open(name, flag, mode)
			}
			atomicfile.Disk.Handle = func(f *os.File) atomicfile.Handle { return faulty{f, &left, cause} }
			atomicfile.Disk.Rename = func(from, to string) error {
				if left--; left < 0 {
					return &os.LinkError{Op: "rename", Old: from, New: to, Err: cause}
				}
				return real.Rename(from, to)
			}
			err := Save(path, next, named)
			if done = err == nil; done {
				if calls < 5 {
					t.Errorf("there are %d calls", calls)
				}
				break
			}
			if !errors.Is(err, cause) {
				t.Errorf("call %d: %v", calls, err)
			}
			m, err := Open(path, named)
			must(t, err)
			if m.Hash() != old.Hash() {
				t.Fatalf("call %d: another file", calls)
			}
			if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
				t.Fatalf("call %d: there is %v, %v", calls, list, err)
			}
		}
		atomicfile.Disk = real
		m, err := Open(path, named)
		must(t, err)
		if m.Hash() != next.Hash() {
			t.Error("the new file is not there")
		}
		disposeAll(t, m)
		must(t, Save(path, old, named))
	}
}

// sizes are the numbers of entities of the worlds that TestKilled's child writes in turn.
var sizes = [2]int{4000, 9000}

// TestKilled checks that a process that is killed during Save leaves the old file or the new file.
// If other files are left, a later Save removes them.
//
// Conformance: 341
func TestKilled(t *testing.T) {
	if path := os.Getenv("LANEWISE_KILLED"); path != "" {
		var images [2]*ecs.Image
		for i, n := range sizes {
			images[i] = imageOf(t, newFamilies(t, n, 1))
		}
		fmt.Println("ready")
		for i := 0; ; i++ {
			must(t, Save(path, images[i%2], named))
		}
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes")
	}
	times := 2
	if *full {
		times = 200
	}
	path := filepath.Join(t.TempDir(), "world")
	hashes := map[uint64]int{}
	for _, n := range sizes {
		m := imageOf(t, newFamilies(t, n, 1))
		hashes[m.Hash()] = 0
		must(t, Save(path, m, named))
	}
	rng := rand.New(rand.NewPCG(1, 341))
	strays := 0
	for range times {
		words := append(strings.Fields(os.Getenv("LANEWISE_EXEC")), os.Args[0], "-test.run=^TestKilled$") // an emulator, if there is one
		child := exec.Command(words[0], words[1:]...)
		child.Env = append(os.Environ(), "LANEWISE_KILLED="+path)
		out, err := child.StdoutPipe()
		must(t, err)
		must(t, child.Start())
		_, err = out.Read(make([]byte, 5))
		must(t, err)
		time.Sleep(time.Duration(rng.IntN(30_000)) * time.Microsecond)
		must(t, child.Process.Kill())
		_ = child.Wait()
		m, err := Open(path, named)
		must(t, err)
		if _, known := hashes[m.Hash()]; !known {
			t.Fatal("it is neither of the two")
		}
		hashes[m.Hash()]++
		list, err := os.ReadDir(filepath.Dir(path))
		must(t, err)
		for _, e := range list {
			if strings.HasSuffix(e.Name(), ".tmp") {
				strays++
				then := time.Now().Add(-2 * time.Hour) // if files cannot be locked, only old ones are removed
				must(t, os.Chtimes(filepath.Join(filepath.Dir(path), e.Name()), then, then))
			}
		}
	}
	must(t, Save(path, imageOf(t, newFamilies(t, 3, 1)), named))
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("there is %v, %v", list, err)
	}
	t.Logf("%d strays were left, files of %v", strays, hashes)
	if *full && strays == 0 {
		t.Error("no process was killed while it wrote")
	}
}
