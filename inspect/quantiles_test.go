package inspect

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
)

// sampleOnce takes one sample of a watch, in slices that end after a random time.
func sampleOnce(t *testing.T, w *ecs.World, watch *watch, draw *rand.Rand) []float64 {
	t.Helper()
	before := len(watch.frames)
	for begin, frame := time.Now(), uint64(1); len(watch.frames) == before; frame++ {
		watch.sample(&ownerSlice{world: w, probes: probes{}, until: now() + time.Duration(draw.IntN(100))*time.Microsecond}, frame)
		if watch.errorText != "" || time.Since(begin) > generous {
			t.Fatalf("no sample: %s", watch.errorText)
		}
	}
	return watch.values[len(watch.values)-watch.width:]
}

// wantQuantiles compares a sample with the quantiles of a list.
func wantQuantiles(t *testing.T, what string, got, list []float64) {
	t.Helper()
	list = slices.DeleteFunc(slices.Clone(list), math.IsNaN)
	slices.Sort(list)
	for k, x := range got {
		if len(list) == 0 {
			if !math.IsNaN(x) {
				t.Errorf("%s: quantile %d of no number is %v", what, k, x)
			}
			continue
		}
		if want := list[int(math.Floor(float64(len(list)-1)*float64(k)/4+0.5))]; x != want {
			t.Errorf("%s: quantile %d of %d numbers is %v, want %v", what, k, len(list), x, want)
		}
	}
}

// TestQuantiles compares quantiles of random worlds with those of a list of all numbers. Some entities have a NaN or an infinity,
// some are off, and some archetypes do not match.
func TestQuantiles(t *testing.T) {
	for seed := range uint64(30) {
		draw := rand.New(rand.NewPCG(seed, 11))
		w := ecs.NewWorld("random")
		var all, awake []float64
		for range draw.IntN(2000) {
			x := math.Floor(draw.Float64() * 100)
			switch draw.IntN(20) {
			case 0:
				x = math.NaN()
			case 1:
				x = math.Inf(1 - 2*draw.IntN(2))
			}
			list := []any{Mark{}}
			has, sleeps := draw.IntN(8) > 0, draw.IntN(2) == 0
			if has {
				list = append(list, Wide{F: x})
			}
			if sleeps {
				list = append(list, Asleep{})
			}
			if draw.IntN(3) == 0 {
				list = append(list, Health{})
			}
			e := w.Spawn(list...)
			on := sleeps && draw.IntN(3) > 0
			if sleeps && !on {
				if err := ecs.SetEnabled[Asleep](w, e, false); err != nil {
					t.Fatal(err)
				}
			}
			if has {
				all = append(all, x)
			}
			if has && on {
				awake = append(awake, x)
			}
		}
		for spec, list := range map[string][]float64{"quantiles Wide.F": all, "quantiles Wide.F Asleep": awake} {
			c, err := parseWatch(spec)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 { // the memory of a sample is used again
				wantQuantiles(t, fmt.Sprintf("seed %d: %s", seed, spec), sampleOnce(t, w, c, draw), list)
			}
			if c.passed != len(list) || c.read != len(list) {
				t.Errorf("seed %d: %s: %d of %d rows were read, want %d", seed, spec, c.read, c.passed, len(list))
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestQuantilesOfMany checks that a watch reads every step-th row of a large world, with the smallest power of two for which it
// need not read too many.
func TestQuantilesOfMany(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 12))
	for _, n := range []int{maxQuantileRows, maxQuantileRows + 1, 2 * maxQuantileRows, 100_003} {
		w := ecs.NewWorld("large")
		k, awake := 0, 0 // awake counts the entities whose Asleep is on; Health contains the index among them
		var off []ecs.Entity
		for c := range w.Create(w.Archetype(ecs.With[Health](), ecs.With[Speed](), ecs.With[Asleep]()), n+n/2).Chunks() {
			points, speed := *ecs.Column[Health](c), ecs.Column[Speed](c)
			for i := range points {
				points[i], speed.X[i] = int32(awake), float32(k)
				if k%3 == 2 {
					off = append(off, c.Entities()[i])
				} else {
					awake++
				}
				k++
			}
		}
		for _, e := range off {
			if err := ecs.SetEnabled[Asleep](w, e, false); err != nil {
				t.Fatal(err)
			}
		}
		for spec, n := range map[string]int{"quantiles Speed.X": k, "quantiles Health Asleep": awake} {
			c, err := parseWatch(spec)
			if err != nil {
				t.Fatal(err)
			}
			step := 1
			for (n+step-1)/step > maxQuantileRows {
				step *= 2
			}
			var list []float64
			for x := 0; x < n; x += step {
				list = append(list, float64(x))
			}
			for range 2 {
				wantQuantiles(t, fmt.Sprintf("%s of %d", spec, n), sampleOnce(t, w, c, draw), list)
				if c.passed != n || c.read != len(list) {
					t.Errorf("%s: %d of %d rows were read, want %d of %d", spec, c.read, c.passed, len(list), n)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestQuantilesAnswer polls a watch of quantiles of a running world. No sample may get lost, and each consists of five numbers in
// ascending order.
func TestQuantilesAnswer(t *testing.T) {
	s := newStage(t, 5000)
	since, samples := uint64(0), 0
	var frames []uint64
	for begin := time.Now(); samples < 5; s.awaitFrames(2) {
		out := get[Watches](s, "/api/watches", "watch", "quantiles transform.Translation.X Speed", "watch", "quantiles Speed.X #9999", "since", fmt.Sprint(since))
		if time.Since(begin) > generous {
			t.Fatalf("%d samples: %+v", samples, out)
		}
		since = out.Frame
		for k, v := range out.Watches[0].Values {
			list := v.([]any)
			if samples++; len(list) != 5 || !slices.IsSortedFunc(list, func(a, b any) int { return int(math.Copysign(1, a.(float64)-b.(float64))) }) {
				t.Errorf("sample %v", v)
			}
			frames = append(frames, out.Watches[0].Frames[k])
		}
		if w := out.Watches[0]; w.Error != "" || samples > 0 && (w.Count != 5000 || w.Seen != 5000) {
			t.Errorf("%d of %d, %s", w.Seen, w.Count, w.Error)
		}
		for _, v := range out.Watches[1].Values {
			if list := v.([]any); len(list) != 5 || list[0] != "NaN" {
				t.Errorf("quantiles of no number: %v", v)
			}
		}
	}
	if !slices.IsSorted(frames) || len(slices.Compact(slices.Clone(frames))) != len(frames) {
		t.Errorf("frames %v", frames)
	}
	w := &watch{width: quantileLevels}
	for n := range uint64(keptValues + 7) {
		x := float64(n)
		w.add(n, x, x, x, x, x)
	}
	if len(w.frames) != keptValues || len(w.values) != 5*keptValues || w.values[0] != 7 || w.frames[0] != 7 {
		t.Errorf("%d values from %v, and %d frames from %v", len(w.values), w.values[0], len(w.frames), w.frames[0])
	}
}
