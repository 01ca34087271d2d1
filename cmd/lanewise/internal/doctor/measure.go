package doctor

import (
	"fmt"
	"reflect"
	"slices"
	"time"
)

// sample is the time that a sample takes, unless one call is longer: less than a
// turn that the system gives to other processes, so that most samples are whole.
const sample = 50 * time.Microsecond

// median returns the time of one call of f, the median of samples that take the
// time given together.
func median(each time.Duration, f func()) (ns float64) {
	calls := 1
	for min(elapsed(calls, f), elapsed(calls, f), elapsed(calls, f)) < min(sample, each)/2 {
		calls *= 2
	}
	var all []float64
	for start := time.Now(); len(all) == 0 || time.Since(start) < each; {
		all = append(all, float64(elapsed(calls, f))/float64(calls))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func elapsed(calls int, f func()) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

// measure returns the nanoseconds of one row on the path in use, and the bytes
// that a row has. The operands fill the footprint; what the call itself takes,
// through reflection, is measured with no rows and taken off.
func (k *Kernel) measure(o *Options) (ns, rowBytes float64) {
	const probe = 64
	rowBytes = float64(bytes(k.operands(probe, false, 1))) / probe
	n := max(probe, int(float64(o.Footprint)/rowBytes)/probe*probe)
	args, none := k.operands(n, false, 1), k.operands(0, false, 1)
	full := median(o.Each, func() { k.call.Call(args) })
	empty := median(o.Each/4, func() { k.call.Call(none) })
	return max(full-empty, 0) / float64(n), rowBytes
}

// tryMeasure is measure for kernels that may panic, which is not to end the doctor:
// it returns what they panic with instead.
func (k *Kernel) tryMeasure(o *Options) (ns, rowBytes float64, panicked string) {
	defer func() {
		if v := recover(); v != nil {
			ns, rowBytes, panicked = 0, 0, fmt.Sprintf("%q", fmt.Sprint(v))
		}
	}()
	ns, rowBytes = k.measure(o)
	return ns, rowBytes, ""
}

// bytes returns the size of the operands that have rows.
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

// copyRate returns the gigabytes a second that a copy reads and writes together
// where source and destination fill the footprint.
func copyRate(each time.Duration, footprint int) float64 {
	from, to := make([]byte, footprint/2), make([]byte, footprint/2)
	return float64(2*len(to)) / median(each, func() { copy(to, from) })
}
