package doctor

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"
)

// sample is the duration of a sample, unless one call takes longer. It is so
// short that another process interrupts only a few of the many samples.
const (
	sample  = 50 * time.Microsecond
	samples = 9
)

// clock returns the resolution of the clock. On some systems, it is longer than
// a sample.
var clock = sync.OnceValue(func() time.Duration {
	step := time.Millisecond
	for range samples {
		start := time.Now()
		now := time.Since(start)
		for now == 0 {
			now = time.Since(start)
		}
		step = min(step, now)
	}
	return step
})

// Undisturbed returns the time of one call of f. It is the lower quartile of
// many samples. It takes samples for the given time, and longer if that time
// is too short for enough samples. Other activity of the machine can only
// make samples longer, so it hardly affects the lower quartile.
func Undisturbed(each time.Duration, f func()) (ns float64) {
	calls, enough := 1, max(min(sample, each)/2, 8*clock())
	for min(elapsed(calls, f), elapsed(calls, f), elapsed(calls, f)) < enough {
		calls *= 2
	}
	var all []float64
	for start := time.Now(); len(all) < samples || time.Since(start) < each; {
		all = append(all, float64(elapsed(calls, f))/float64(calls))
	}
	slices.Sort(all)
	return all[len(all)/4]
}

func elapsed(calls int, f func()) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

// measure returns the nanoseconds that one row takes on the path in use, and
// the number of bytes of a row. The operands fill the footprint, unless a call
// would then take so long that the system interrupts the call. measure
// subtracts the time of a call without rows, because a call through reflection
// takes time itself.
func (k *Kernel) measure(o *Options) (ns, rowBytes float64) {
	const probe = 64
	rowBytes = float64(bytes(k.timedOperands(probe))) / probe
	n := max(probe, int(float64(o.Footprint)/rowBytes)/probe*probe)
	args, none := k.timedOperands(n), k.timedOperands(0)
	call := func() { k.call.Call(args) }
	if took := min(elapsed(1, call), elapsed(1, call)); took > 4*sample {
		n = max(probe, int(float64(n)*float64(4*sample)/float64(took))/probe*probe)
		args = k.timedOperands(n)
	}
	return rowTime(n, o.Each, call, func() { k.call.Call(none) }), rowBytes
}

// rowTime returns the nanoseconds that one of n rows takes. The result is
// never 0. If a disturbance makes the call without rows take as long as the
// call with rows, rowTime measures both again for a longer time. If this
// fails several times, it returns the time of the call with rows, divided by
// n.
func rowTime(n int, each time.Duration, rows, none func()) float64 {
	full := Undisturbed(each, rows)
	for range 4 {
		if empty := Undisturbed(each/4, none); empty < full {
			return (full - empty) / float64(n)
		}
		each *= 2
		full = Undisturbed(each, rows)
	}
	return full / float64(n)
}

// tryMeasure calls measure. If the kernel panics, tryMeasure recovers and
// returns the panic, so that the doctor continues.
func (k *Kernel) tryMeasure(o *Options) (ns, rowBytes float64, panicked string) {
	defer func() {
		if v := recover(); v != nil {
			ns, rowBytes, panicked = 0, 0, fmt.Sprintf("%q", fmt.Sprint(v))
		}
	}()
	ns, rowBytes = k.measure(o)
	return ns, rowBytes, ""
}

// bytes returns the total size of the operands that have rows.
func bytes(args []reflect.Value) (size int) {
	for _, a := range args {
		if a.Kind() == reflect.Slice || a.Kind() == reflect.Pointer {
			for _, l := range lanes([]reflect.Value{a}) {
				size += l.Len() * int(l.Type().Elem().Size())
			}
		}
	}
	return size
}

// copyRate returns the speed of a copy in gigabytes per second. It counts both
// reads and writes. Source and destination together fill the footprint.
func copyRate(each time.Duration, footprint int) float64 {
	from, to := make([]byte, footprint/2), make([]byte, footprint/2)
	return float64(2*len(to)) / Undisturbed(each, func() { copy(to, from) })
}
