package inspect

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is how long this thread has computed.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // 0 if there is none
	return time.Duration(t.Nano())
}
