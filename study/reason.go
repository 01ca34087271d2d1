package study

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// stderrTail passes on the standard error of a process. It keeps those lines of the last run
// that explain why the process died.
type stderrTail struct {
	to io.Writer

	mu   sync.Mutex
	part []byte // the last line, while it is incomplete
	why  string
	last string // the last complete line that is not empty
}

func (t *stderrTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	for k := bytes.IndexByte(b, runSeparator); k >= 0; k = bytes.IndexByte(b, runSeparator) {
		_, _ = t.to.Write(b[:k]) // output of the runs before
		t.part, t.why, t.last, b = nil, "", "", b[k+1:]
	}
	rest := append(t.part, b...)
	for {
		line, after, ok := bytes.Cut(rest, []byte{'\n'})
		if !ok {
			break
		}
		t.note(string(line))
		rest = after
	}
	t.part = bytes.Clone(rest[max(0, len(rest)-1<<12):])
	_, _ = t.to.Write(b)
	return n, nil
}

// text returns the line that explains why the process died. If there is none, it returns the last line.
func (t *stderrTail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return cmp.Or(t.why, shorten(strings.TrimSpace(string(t.part)), 300), t.last)
}

// note remembers the last line that is not empty, and the first line with which the Go runtime
// begins the report of a fatal error.
func (t *stderrTail) note(line string) {
	if text := strings.TrimSpace(line); text != "" {
		t.last = shorten(text, 300)
	}
	for _, sign := range []string{"fatal error: ", "panic: ", "runtime: out of memory", "unexpected fault address ", "SIG"} {
		if t.why == "" && strings.HasPrefix(line, sign) {
			t.why = shorten(line, 300)
		}
	}
}

// reason returns a description of how the process ended. The process must have ended.
func (ch *child) reason() string {
	<-ch.exited
	ch.errors.mu.Lock()
	why := ch.errors.why
	ch.errors.mu.Unlock()
	how := "it ended by itself (os.Exit(0)?)"
	if exit := new(exec.ExitError); errors.As(ch.err, &exit) {
		how = exit.ProcessState.String()
	} else if ch.err != nil {
		how = ch.err.Error()
	}
	if how == "signal: killed" {
		how += " (by the system, if memory ran out)"
	}
	if why != "" {
		how = fmt.Sprintf("%s: %s", how, why)
	}
	return how
}

// executable returns the path of the running program, or an error if its file
// has been replaced.
func executable() (string, error) {
	was, err := initialExecutable()
	if err != nil {
		return "", err
	}
	now, err := os.Stat(was.name)
	if err == nil && (now.Size() != was.info.Size() || now.ModTime() != was.info.ModTime()) {
		err = errors.New("it was built again while the study went on: resume is for the build that began it")
	}
	if err != nil {
		return "", fmt.Errorf("study: %s: %w", was.name, err)
	}
	return was.name, nil
}

// fileState describes a file at some time, so that a replacement of the file can be detected.
type fileState struct {
	name string
	info os.FileInfo
}

// initialExecutable is the state of the program's file at the first call.
var initialExecutable = sync.OnceValues(func() (f fileState, err error) {
	if f.name, err = os.Executable(); err == nil {
		f.info, err = os.Stat(f.name)
	}
	return f, err
})
