package jobs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// byChance is the strategy of PCT with a number of changes in the given number of steps.
func byChance(seed uint64, changes, steps int) strategy {
	rng := rand.New(rand.NewPCG(seed, 7))
	high := map[int]int{} // by thread
	at := map[int]bool{}
	for range changes {
		at[rng.IntN(steps)] = true
	}
	low := 0
	return func(step int, ready []int, last int) int {
		best := 0
		for i, th := range ready {
			if _, ok := high[th]; !ok {
				high[th] = 1 + rng.IntN(1<<20)
			}
			if high[th] > high[ready[best]] {
				best = i
			}
		}
		if at[step] || step%97 == 96 { // no thread keeps the others waiting for ever
			low--
			high[ready[best]] = low
			return slices.Index(ready, slices.MaxFunc(ready, func(a, b int) int { return high[a] - high[b] }))
		}
		return best
	}
}

// byTurns goes through the schedules that leave a thread which could go on at most bound
// times, the last places first.
type byTurns struct {
	bound  int
	prefix []turn // choices to repeat
	path   []turn // of this schedule
}

type turn struct{ choice, options, keep, left int }

func (b *byTurns) choose(_ int, ready []int, last int) int {
	k := len(b.path)
	if k < len(b.prefix) {
		t := b.prefix[k]
		t.options = len(ready)
		b.path = append(b.path, t)
		return t.choice
	}
	left := 0
	if k > 0 {
		left = b.path[k-1].left
	}
	t := turn{choice: 0, options: len(ready), keep: slices.Index(ready, last), left: left}
	if t.keep >= 0 {
		t.choice = t.keep
	}
	b.path = append(b.path, t)
	return t.choice
}

// next prepares the next schedule. It returns false when there is none.
func (b *byTurns) next() bool {
	for k := len(b.path) - 1; k >= 0; k-- {
		t := b.path[k]
		before := 0
		if k > 0 {
			before = b.path[k-1].left
		}
		for t.choice = b.after(t); t.choice < t.options; t.choice = b.after(t) {
			t.left = before
			if t.keep >= 0 {
				t.left++
			}
			if t.left > b.bound {
				break
			}
			b.prefix = append(slices.Clone(b.path[:k]), t)
			b.path = nil
			return true
		}
	}
	return false
}

// after is the choice after that of t: the thread that ran comes first, then the others.
func (b *byTurns) after(t turn) int {
	switch {
	case t.keep < 0:
		return t.choice + 1
	case t.choice == t.keep:
		if t.keep == 0 {
			return 1
		}
		return 0
	case t.choice+1 == t.keep:
		return t.choice + 2
	}
	return t.choice + 1
}

// recorded repeats a schedule.
func recorded(t *testing.T, text string) strategy {
	var list []int
	for _, s := range strings.Split(strings.TrimSuffix(text, ","), ",") {
		var choice, times int
		if _, err := fmt.Sscanf(s, "%dx%d", &choice, &times); err != nil {
			t.Fatalf("-jobs.schedule: %q: %v", s, err)
		}
		for range times {
			list = append(list, choice)
		}
	}
	k := -1
	return func(int, []int, int) int {
		if k++; k < len(list) {
			return list[k]
		}
		return 0
	}
}
