package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Log is the log of one worker, open for writing. Its methods may be called by
// several goroutines.
type Log struct {
	mu     sync.Mutex
	f      *os.File
	lock   io.Closer
	name   string
	id     string // of the study
	all    []indexed
	buf    []byte
	end    int64       // of what is whole
	dirty  atomic.Bool // something was written since it was last synced: set by the goroutine that writes, cleared by the one that syncs
	closed chan struct{}
	failed error // the first sync that failed: of keepSynced alone until it has ended
	syncer sync.WaitGroup
}

// ErrHeld is returned for a log that another process writes.
var ErrHeld = errors.New("another process works under this name")

// Name returns the name of a worker's log.
func Name(dir, worker string) string { return filepath.Join(dir, "worker-"+worker+".log") }

// CheckWorker reports a name that could not be part of the name of a file on some
// system.
func CheckWorker(worker string) error {
	ok := worker != "" && len(worker) <= 100
	for _, r := range worker {
		ok = ok && (r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	if !ok {
		return fmt.Errorf("a worker cannot be named %q: a name has 1 to 100 of the letters, the digits, and -_. besides", worker)
	}
	return nil
}

// heading is the first line of the logs of a study.
func heading(id string) []byte {
	b := []byte("S lanewise-study-1 " + id + " ")
	return fmt.Appendf(b, "%08x\n", Checksum(b))
}

// ofStudy reports a log that does not begin with the heading of a study, or with what is
// there of it if its writer was killed: whether its entries belong here cannot be told.
func ofStudy(name, id string, first []byte) error {
	head := heading(id)
	if bytes.HasPrefix(first, head) || bytes.HasPrefix(head, first) {
		return nil
	}
	line, _, _ := bytes.Cut(first, []byte{'\n'})
	part := strings.Fields(string(line))
	if len(part) == 4 && bytes.HasPrefix(first, heading(part[2])) {
		return fmt.Errorf("%s is a log of study %s, this is %s: put it elsewhere", name, part[2], id)
	}
	return fmt.Errorf("%s: its first line is damaged, so that nobody can tell which study it is of: if it is of this one, let the line be %q, and put it elsewhere if not", name, strings.TrimSuffix(string(head), "\n"))
}

// Open opens the log of a worker for writing, and makes it if there is none. What
// is torn at its end is cut off. Only one process can have it: another is refused
// with ErrHeld and the name of the file. Where a file system has no locks, the log
// gets a name that no other process has.
func Open(dir, worker, id string) (*Log, error) {
	if err := CheckWorker(worker); err != nil {
		return nil, err
	}
	name := Name(dir, worker)
	f, lock, err := take(name)
	if errors.Is(err, errNoLocks) {
		host, _ := os.Hostname()
		host = strings.Map(func(r rune) rune {
			if CheckWorker(string(r)) != nil {
				return '_'
			}
			return r
		}, host)
		_ = f.Close()
		name = Name(dir, fmt.Sprintf("%s.%s.%d", worker, host, os.Getpid()))
		if f, err = create(name); err != nil {
			return nil, err
		}
		lock, err = io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	l := &Log{f: f, lock: lock, name: name, id: id, closed: make(chan struct{})}
	if err := l.repair(); err != nil {
		return nil, errors.Join(err, l.f.Close(), l.lock.Close())
	}
	l.syncer.Go(l.keepSynced)
	return l, nil
}

// take opens a log and locks it; with errNoLocks it is open all the same. A process that was killed while it started another one has left a copy of itself, which
// has the lock until it is that other program: so the lock is asked for again, for half a second.
func take(name string) (f *os.File, lock io.Closer, err error) {
	const tries, pause = 20, 25 * time.Millisecond
	for try := range tries {
		if try > 0 {
			time.Sleep(pause)
		}
		if f, err = create(name); err == nil {
			if lock, err = hold(f); err == nil || errors.Is(err, errNoLocks) {
				return f, lock, err
			}
			err = errors.Join(fmt.Errorf("%s: %w: give this one another, with -worker", name, err), f.Close())
		}
		if !errors.Is(err, ErrHeld) {
			break
		}
	}
	return nil, nil, err
}

// repair puts the log into the state in which the next entry can follow.
func (l *Log) repair() error {
	first := make([]byte, MaxLine)
	n, err := l.f.ReadAt(first, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := ofStudy(l.name, l.id, first[:n]); err != nil {
		return err
	}
	end, err := scanIndexed(l.name, l.id, l.f, func(e Entry, at int64) error {
		l.all = append(l.all, indexed{e, at})
		return nil
	})
	if err != nil {
		return err
	}
	head := heading(l.id)
	if end == 0 && bytes.Equal(first[:min(n, len(head))], head) {
		end = int64(len(head))
	}
	if err := l.f.Truncate(end); err != nil {
		return err
	}
	if _, err := l.f.Seek(end, io.SeekStart); err != nil {
		return err
	}
	l.end = end
	if end == 0 {
		return l.write(head)
	}
	return nil
}

// Begin writes that an attempt at a run begins.
func (l *Log) Begin(run, attempt int) error {
	return l.entry(Entry{Kind: Began, Run: run, Attempt: attempt})
}

// Fail writes that an attempt ended with its process, and why.
func (l *Log) Fail(run, attempt int, why string) error {
	return l.entry(Entry{Kind: Failed, Run: run, Attempt: attempt}, []byte(strings.ReplaceAll(why, "\n", " ")+"\n"))
}

func (l *Log) entry(e Entry, payload ...[]byte) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buf, err = Append(l.buf[:0], e, payload...); err != nil {
		return err
	}
	return l.add(l.buf)
}

// add writes an entry and takes note of it for the index.
func (l *Log) add(b []byte) error {
	e, _, _, _, _ := parseLine(b)
	at := l.end
	if err := l.write(b); err != nil {
		return err
	}
	l.all = append(l.all, indexed{e, at})
	return nil
}

// Keep writes a whole record. It reaches the disk within a second or two.
func (l *Log) Keep(record []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(record)
}

// write writes bytes by one write, after which the log is whole again: what a full
// disk took a part of is cut off.
func (l *Log) write(b []byte) error {
	_, err := l.f.Write(b)
	l.dirty.Store(true)
	if err == nil {
		l.end += int64(len(b))
		return nil
	}
	if cut := l.f.Truncate(l.end); cut == nil {
		_, cut = l.f.Seek(l.end, io.SeekStart)
		err = errors.Join(err, cut)
	}
	return err
}

// keepSynced has the system put on the disk what was written, every second. Nothing waits
// for that: it may take long.
func (l *Log) keepSynced() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-l.closed:
			return
		case <-t.C:
			if err := l.sync(); err != nil && l.failed == nil {
				l.failed = err // Close tells: the system says it once
			}
		}
	}
}

func (l *Log) sync() error {
	if !l.dirty.Swap(false) {
		return nil
	}
	return l.f.Sync()
}

// Close closes the log and lets others have it.
func (l *Log) Close() error {
	close(l.closed)
	l.syncer.Wait()
	err := errors.Join(l.failed, l.sync())
	if l.end >= indexFrom && err == nil {
		err = (&index{l.end, l.all}).write(l.name, l.id)
	}
	return errors.Join(err, l.f.Close(), l.lock.Close())
}
