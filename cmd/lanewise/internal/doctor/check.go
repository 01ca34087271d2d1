package doctor

import (
	"fmt"
	"slices"

	"github.com/lanewise/lanewise/kernels"
)

// difference compares a path with the generic body and describes the first
// difference. The text is empty if there is no difference. lengths holds the
// number of rows for each comparison.
func (k *Kernel) difference(path string, lengths []int) (string, error) {
	for seed, n := range lengths {
		for _, raw := range []bool{false, true} {
			want, err := k.outcome("generic", n, raw, uint64(seed))
			if err != nil {
				return "", err
			}
			got, err := k.outcome(path, n, raw, uint64(seed))
			if err != nil {
				return "", err
			}
			if wrong := got.difference(&want, n); wrong != "" {
				return wrong, nil
			}
		}
	}
	return "", nil
}

// difference describes the first difference from the wanted outcome, for n rows.
// The text is empty if there is no difference.
func (o *outcome) difference(want *outcome, n int) string {
	if o.panic != want.panic { // only one of the two may have results
		return fmt.Sprintf("%d rows: panic %q, want %q", n, o.panic, want.panic)
	}
	if len(o.lanes) != len(want.lanes) {
		return fmt.Sprintf("%d rows: %d lanes, want %d", n, len(o.lanes), len(want.lanes))
	}
	for i := range want.lanes {
		if !slices.Equal(o.lanes[i], want.lanes[i]) {
			return difference(n, i, o.lanes[i], want.lanes[i])
		}
	}
	return ""
}

func difference(n, lane int, got, want []uint64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows: lane %d: %d elements, want %d", n, lane, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Sprintf("%d rows: lane %d: element %d is %x, want %x", n, lane, i, got[i], want[i])
		}
	}
	return ""
}

// An outcome holds the bits of all arguments and results after a call.
type outcome struct {
	lanes [][]uint64
	panic string
}

func (k *Kernel) outcome(path string, n int, raw bool, seed uint64) (o outcome, err error) {
	if err := kernels.Use(path); err != nil {
		return o, err
	}
	args := k.operands(n, raw, seed)
	all := args
	func() {
		defer func() {
			if v := recover(); v != nil {
				o.panic = fmt.Sprint(v)
			}
		}()
		all = slices.Concat(args, k.call.Call(args))
	}()
	for _, l := range lanes(all) {
		o.lanes = append(o.lanes, appendBits(nil, l))
	}
	return o, nil
}
