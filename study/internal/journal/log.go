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

// A Log is the log of one worker, open for writing. Several goroutines may call
// its methods at the same time.
type Log struct {
	mu      sync.Mutex
	file    *os.File
	lock    io.Closer
	name    string
	id      string // id of the study
	entries []indexed
	buf     []byte
	end     int64       // end of the last whole entry
	dirty   atomic.Bool // there are unsynced writes: set by the goroutine that writes, cleared by the one that syncs
	closed  chan struct{}
	failed  error // the first error of a sync; only keepSynced uses it until it has ended
	syncer  sync.WaitGroup
}

// ErrHeld is returned for a log that another process is writing.
var ErrHeld = errors.New("another process works under this name")

// Name returns the file name of a worker's log.
func Name(dir, worker string) string { return filepath.Join(dir, "worker-"+worker+".log") }

// CheckWorker returns an error for a name that some system does not allow in a file name.
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

// logHeader returns the first line of the logs of a study.
func logHeader(id string) []byte {
	b := []byte("S lanewise-study-1 " + id + " ")
	return fmt.Appendf(b, "%08x\n", Checksum(b))
}

// checkHeader returns an error if a log does not begin with the first line of all logs of the
// study, because its entries then might belong to another study. The line may be incomplete,
// because the writer may have been killed.
func checkHeader(name, id string, first []byte) error {
	head := logHeader(id)
	if bytes.HasPrefix(first, head) || bytes.HasPrefix(head, first) {
		return nil
	}
	line, _, _ := bytes.Cut(first, []byte{'\n'})
	part := strings.Fields(string(line))
	if len(part) == 4 && bytes.HasPrefix(first, logHeader(part[2])) {
		return fmt.Errorf("%s is a log of study %s, this is %s: put it elsewhere", name, part[2], id)
	}
	return fmt.Errorf("%s: its first line is damaged, so its study is unknown: if the log belongs to this study, change the line to %q; otherwise move the log to another directory", name, strings.TrimSuffix(string(head), "\n"))
}

// Open opens the log of a worker for writing, and creates it if necessary. It cuts off a torn
// entry at the end. Only one process can have the log open. Open returns ErrHeld with the name of
// the file in all other processes. On a file system without locks, the log gets a name that no
// other process has.
func Open(dir, worker, id string) (*Log, error) {
	if err := CheckWorker(worker); err != nil {
		return nil, err
	}
	name := Name(dir, worker)
	f, lock, err := openLocked(name)
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
		if f, err = openLog(name); err != nil {
			return nil, err
		}
		lock, err = io.NopCloser(nil), nil
	}
	if err != nil {
		return nil, err
	}
	l := &Log{file: f, lock: lock, name: name, id: id, closed: make(chan struct{})}
	if err := l.repair(); err != nil {
		return nil, errors.Join(err, l.file.Close(), l.lock.Close())
	}
	l.syncer.Go(l.keepSynced)
	return l, nil
}

// openLocked opens a log and locks it. If the error is errNoLocks, the log is open without a lock.
// If the log is locked, openLocked tries again for half a second, because a process may have been
// killed while it was starting another program. Such a process leaves a copy of itself, which
// holds the lock until it executes the other program.
func openLocked(name string) (f *os.File, lock io.Closer, err error) {
	const tries, pause = 20, 25 * time.Millisecond
	for try := range tries {
		if try > 0 {
			time.Sleep(pause)
		}
		if f, err = openLog(name); err == nil {
			if lock, err = lockFile(f); err == nil || errors.Is(err, errNoLocks) {
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

// repair cuts off a torn entry, so that the next entry begins at the beginning of a line.
func (l *Log) repair() error {
	first := make([]byte, MaxLine)
	n, err := l.file.ReadAt(first, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := checkHeader(l.name, l.id, first[:n]); err != nil {
		return err
	}
	end, err := scanIndexed(l.name, l.id, l.file, func(e Entry, at int64) error {
		l.entries = append(l.entries, indexed{e, at})
		return nil
	})
	if err != nil {
		return err
	}
	head := logHeader(l.id)
	if end == 0 && bytes.Equal(first[:min(n, len(head))], head) {
		end = int64(len(head))
	}
	if err := l.file.Truncate(end); err != nil {
		return err
	}
	if _, err := l.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	l.end = end
	if end == 0 {
		return l.write(head)
	}
	return nil
}

// Begin writes an entry that says that an attempt at a run begins.
func (l *Log) Begin(run, attempt int) error {
	return l.entry(Entry{Kind: Began, Run: run, Attempt: attempt})
}

// Fail writes an entry that says that the process of an attempt ended, and why.
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

// add writes an entry, and remembers the entry for the index.
func (l *Log) add(b []byte) error {
	e, _, _, _, _ := parseLine(b)
	at := l.end
	if err := l.write(b); err != nil {
		return err
	}
	l.entries = append(l.entries, indexed{e, at})
	return nil
}

// Keep writes a whole record. The record reaches the disk within one or two seconds.
func (l *Log) Keep(record []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(record)
}

// write writes bytes with one system call. If the disk is full and only a part
// is written, write removes that part again, so that the log stays whole.
func (l *Log) write(b []byte) error {
	_, err := l.file.Write(b)
	l.dirty.Store(true)
	if err == nil {
		l.end += int64(len(b))
		return nil
	}
	if cut := l.file.Truncate(l.end); cut == nil {
		_, cut = l.file.Seek(l.end, io.SeekStart)
		err = errors.Join(err, cut)
	}
	return err
}

// keepSynced syncs the file to disk every second. No other operation waits for the sync, because
// it may take long.
func (l *Log) keepSynced() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-l.closed:
			return
		case <-t.C:
			if err := l.sync(); err != nil && l.failed == nil {
				l.failed = err // Close returns it, because the system reports it only once
			}
		}
	}
}

func (l *Log) sync() error {
	if !l.dirty.Swap(false) {
		return nil
	}
	return l.file.Sync()
}

// Close closes the log and releases its lock.
func (l *Log) Close() error {
	close(l.closed)
	l.syncer.Wait()
	err := errors.Join(l.failed, l.sync())
	if l.end >= minIndexedLog && err == nil {
		err = (&index{l.end, l.entries}).write(l.name, l.id)
	}
	return errors.Join(err, l.file.Close(), l.lock.Close())
}
