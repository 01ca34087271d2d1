package clock

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// The rates of this package are Savers of package system: images keep how far they have come, and the step or interval
// that they go by. Numbers are little end first, behind a letter that names the rate.

// AppendState is that of a Saver.
func (r *catchUp) AppendState(out []byte) []byte {
	out = append(out, 'C')
	for _, v := range [...]float64{r.step, r.last, r.seen} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint64(out, uint64(r.steps))
}

// LoadState is that of a Saver.
func (r *catchUp) LoadState(in []byte) error {
	w, err := rateWords(in, 'C', 4)
	if err != nil {
		return err
	}
	*r = catchUp{step: math.Float64frombits(w[0]), last: math.Float64frombits(w[1]), seen: math.Float64frombits(w[2]), steps: int(w[3])}
	return nil
}

// AppendState is that of a Saver.
func (r *simple) AppendState(out []byte) []byte {
	out = append(out, 'S')
	for _, v := range [...]float64{r.step, r.base} {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint64(out, uint64(r.steps))
}

// LoadState is that of a Saver.
func (r *simple) LoadState(in []byte) error {
	w, err := rateWords(in, 'S', 3)
	if err != nil {
		return err
	}
	*r = simple{step: math.Float64frombits(w[0]), base: math.Float64frombits(w[1]), steps: int(w[2])}
	return nil
}

// AppendState is that of a Saver. Of a variable that reads a time of its own what it has
// read last is not state: the time of another process says nothing.
func (r *variable) AppendState(out []byte) []byte {
	seen := r.seen
	if r.now != nil {
		seen = 0
	}
	out = append(out, 'V')
	for _, v := range [...]time.Duration{r.interval, seen, r.due, r.elapsed} {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	started := uint64(0)
	if r.started {
		started = 1
	}
	return binary.LittleEndian.AppendUint64(out, started)
}

// LoadState is that of a Saver.
func (r *variable) LoadState(in []byte) error {
	w, err := rateWords(in, 'V', 5)
	if err != nil {
		return err
	}
	own := variable{
		interval: time.Duration(w[0]), now: r.now, seen: time.Duration(w[1]), due: time.Duration(w[2]), elapsed: time.Duration(w[3]),
		started: w[4] != 0,
	}
	if own.now != nil {
		own.seen = own.now()
	}
	*r = own
	return nil
}

// rateWords reads n words behind the letter of a rate.
func rateWords(in []byte, letter byte, n int) ([]uint64, error) {
	if len(in) != 1+8*n || in[0] != letter {
		return nil, fmt.Errorf("it is of another kind of rate: give the group the one that it had")
	}
	words := make([]uint64, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(in[1+8*i:])
	}
	if step := math.Float64frombits(words[0]); letter != 'V' && !(step >= minimumStep && step <= maximumStep) || letter == 'V' && time.Duration(words[0]) < time.Millisecond {
		return nil, fmt.Errorf("its step is out of bounds")
	}
	if letter != 'V' {
		// A time to which a step adds nothing would be due for ever.
		step, at := math.Float64frombits(words[0]), math.Float64frombits(words[1])
		if !(at >= 0 && at+step > at) || words[n-1] > math.MaxInt {
			return nil, fmt.Errorf("its time or its number of steps is out of bounds")
		}
	}
	return words, nil
}
