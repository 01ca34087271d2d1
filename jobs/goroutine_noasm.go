//go:build (!386 && !amd64 && !arm && !arm64 && !loong64 && !ppc64 && !ppc64le && !riscv64 && !s390x && !wasm) || purego

package jobs

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
)

const fastGoroutineID = false

// goroutine returns 0, because identifying the goroutine would require reading its stack trace.
func goroutine() uintptr { return 0 }

// goroutineID returns a number for the running goroutine. No other goroutine has this number, not
// even a goroutine that has ended. goroutineID reads the first line of the stack trace,
// "goroutine 7 […", which takes a microsecond or two.
func goroutineID() uintptr {
	buf := stackLines.Get().(*[64]byte)
	defer stackLines.Put(buf)
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	n := uintptr(0)
	for _, digit := range line {
		if digit < '0' || digit > '9' {
			break
		}
		n = 10*n + uintptr(digit-'0')
	}
	if n == 0 {
		panic("jobs: the stack of a goroutine begins with " + strconv.Quote(string(line)))
	}
	return n + countReader // 1 is the number of the main goroutine
}

// stackLines keeps buffers for the first line of a stack trace.
var stackLines = sync.Pool{New: func() any { return new([64]byte) }}
