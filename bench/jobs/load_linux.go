package main

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// A load holds the processor time that was used so far, in seconds.
type load struct{ total, busy, own float64 }

func readLoad() load {
	var l load
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return l
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	for i, field := range bytes.Fields(line)[1:9] {
		ticks, _ := strconv.ParseFloat(string(field), 64)
		l.total += ticks / 100
		if i != 3 && i != 4 { // without idle and waiting for a disk
			l.busy += ticks / 100
		}
	}
	l.own = ownTime()
	return l
}

// ownTime returns the processor time of this process in seconds.
func ownTime() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
}

// foreignShare returns the share of the machine that other processes have used since
// the measurement a.
func (l load) foreignShare(a load) float64 {
	total := l.total - a.total
	if total <= 0 {
		return 0 // shorter than a tick of the counters: unknown
	}
	return max(0, (l.busy-a.busy-(l.own-a.own))/total)
}
