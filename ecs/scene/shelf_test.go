package scene

import (
	"io/fs"
	"sync"
	"testing/fstest"
	"time"
)

// shelf holds files that are written while they are read: a load that was cancelled may still be reading, in the background.
type shelf struct {
	lock  sync.Mutex
	files fstest.MapFS
}

// shelfOf makes a shelf of paths and their texts.
func shelfOf(texts ...string) *shelf {
	return &shelf{files: filesOf(texts...)}
}

// Open implements fs.FS: what is read is the file as it was when it was opened.
func (s *shelf) Open(name string) (fs.File, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	now := fstest.MapFS{}
	if f, has := s.files[name]; has {
		was := *f
		now[name] = &was
	}
	return now.Open(name)
}

// write gives a file another text, and a time at which it was written.
func (s *shelf) write(name, text string, at time.Time) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.files[name] = &fstest.MapFile{Data: []byte(text), ModTime: at}
}
