package scene

import (
	"io/fs"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/internal/panics"
)

// load is the process of reading a scene.
type load struct {
	finished chan struct{} // closed when the other fields are set
	baked    *Baked
	doc      *Document // the text, if it must be watched
	arrival  *ecs.ImageStream
	err      error
	files    fs.FS
	path     string
	stamps   [2]fileStamp // of the text and of the baked file, from before they were read
	began    time.Time    // the moment before stamps
}

// isOutdated reports whether a file of the scene has changed, or may have changed, since it was read. If
// the file was changed just before it was read, it may have changed again, because a later change can
// have the same stamp. The machine determines when the goroutine reads the file, but the loaded rows
// must not depend on that. So a scene always has the rows that its file contains at the update that
// begins to load them. A load that has panicked is never outdated: if a second read did not panic, no
// error would report the panic.
func (l *load) isOutdated() bool {
	if panics.Is(l.err) {
		return false
	}
	defer l.recoverPanic()
	return sourceStamps(l.files, l.path) != l.stamps || l.began.Sub(l.stamps[0].time) < coarseClock || l.began.Sub(l.stamps[1].time) < coarseClock
}

// recoverPanic makes the load fail if a codec, a method of a value, or the file system has panicked. A
// function that uses the load defers recoverPanic.
func (l *load) recoverPanic() {
	if v := recover(); v != nil {
		l.err = errorf("%s: a panic while it was read: %w\n%s", l.path, &panics.Error{Value: v}, debug.Stack())
	}
}

// sourceStamps returns the stamps of the text and of the baked file of a scene. The stamp of a file
// that does not exist is zero.
func sourceStamps(files fs.FS, path string) (stamps [2]fileStamp) {
	for i, name := range [...]string{path, path + Suffix} {
		if info, err := fs.Stat(files, name); err == nil {
			stamps[i] = fileStamp{size: info.Size(), time: info.ModTime()}
		}
	}
	return stamps
}

// isDone reports whether the scene was read.
func (l *load) isDone() bool {
	select {
	case <-l.finished:
		return true
	default:
		yieldOnWasm()
		return false
	}
}

// yieldOnWasm lets other goroutines run on WebAssembly, which has one thread and interrupts no
// goroutine there. Otherwise a program that calls Update until a scene is loaded would never read it.
func yieldOnWasm() {
	if runtime.GOARCH == "wasm" {
		runtime.Gosched()
	}
}

// readTokens limits how many scenes the process reads at the same time, because each read needs memory
// for a whole file.
var readTokens = make(chan struct{}, 4)

// beginLoad starts reading a scene in a goroutine. The reading goroutine cannot use a pool, because
// reading blocks, and the only worker of the pool may be the owner of the world.
func (s *streamer) beginLoad(in *instance) *load {
	l := &load{finished: make(chan struct{}), files: s.filesOf(in.path), path: in.path}
	files, path, entity, opts, live := l.files, l.path, in.entity, s.config.Options, s.config.Live
	go func() {
		readTokens <- struct{}{}
		defer func() {
			<-readTokens
			close(l.finished)
		}()
		defer l.recoverPanic()
		l.began = time.Now()
		l.stamps = sourceStamps(files, path)
		if l.baked, l.err = ReadFile(files, path, opts...); l.err == nil {
			l.arrival, l.err = ecs.NewImageStream(l.baked.Image(), SceneTag{Scene: entity})
		}
		if !live || l.err != nil {
			return
		}
		if text, err := readText(files, path); err == nil {
			if doc, err := Parse(path, text, opts...); err == nil && doc.Sum() == l.baked.Sum() {
				l.doc = doc
			}
		}
	}()
	return l
}

// filesOf returns the file system of a scene.
func (s *streamer) filesOf(path string) fs.FS {
	if own := s.toolFiles[path]; own != nil {
		return own
	}
	return s.config.files()
}
