package jobs

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak runs graphs of every shape on pools of every kind. It runs for the time of the flag
// -jobs.soak, while other processes keep all processors busy. It fails if a job is lost or runs
// twice, or if nothing changes for a minute.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("-jobs.soak is not set: make soak sets it")
	}
	stop := foreignLoad(t)
	defer stop()
	var graphs, jobs atomic.Int64
	var wg sync.WaitGroup
	end := time.Now().Add(*soak)
	for user := range uint64(3) {
		wg.Go(func() {
			for seed := uint64(0); time.Now().Before(end) && !t.Failed(); seed++ {
				rng := rand.New(rand.NewPCG(seed, user))
				opts := []Option{Workers([]int{1, 2, 3, 8, 64}[rng.IntN(5)]), seeded(seed), Watchdog(time.Minute, func(l LiveJobs) {
					var text strings.Builder
					_ = l.WriteText(&text)
					t.Errorf("user %d, seed %d: nothing moves:\n%s", user, seed, &text)
				})}
				if rng.IntN(2) == 0 {
					opts = append(opts, Futex())
				}
				p := New(opts...)
				for range 20 {
					jobs.Add(int64(soakGraph(t, p, rng)))
					graphs.Add(1)
					if rng.IntN(4) == 0 {
						time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond)
					}
				}
				if err := p.Close(); err != nil {
					t.Errorf("user %d, seed %d: %v", user, seed, err)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d graphs, %d jobs", graphs.Load(), jobs.Load())
}

// soakGraph runs one random graph and returns the number of its jobs.
func soakGraph(t *testing.T, p *Pool, rng *rand.Rand) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sc := p.Scope(ctx)
	n := 1 + rng.IntN(150)
	ran := make([]atomic.Int32, n)
	want := make([]int32, n)
	handles := make([]Handle, n)
	cancelled := rng.IntN(10) == 0
	for i := range n {
		var after []Handle
		for range rng.IntN(3) {
			if i > 0 {
				after = append(after, handles[rng.IntN(i)])
			}
		}
		priority := Priority(rng.IntN(3) - 1)
		one := Func(func(*Task) { ran[i].Add(1) })
		many := RangeFunc(func(_ *Task, lo, hi int) { ran[i].Add(int32(hi - lo)) })
		switch k := rng.IntN(100); {
		case k < 40:
			handles[i], want[i] = p.ScheduleAt(priority, one, after...), 1
		case k < 70:
			size := rng.IntN(300)
			handles[i], want[i] = p.ParallelForAt(priority, many, size, 1+rng.IntN(9), after...), int32(size)
		case k < 80:
			handles[i] = p.ScheduleAt(priority, Func(func(t *Task) {
				if err := t.Wait(t.ParallelFor(many, 20, 3, t.Schedule(one))); err != nil && !errors.Is(err, context.Canceled) {
					panic(err)
				}
			}), after...)
			want[i] = 21
		case k < 84:
			handles[i], want[i] = p.External(sc.ctx, func(context.Context) error {
				time.Sleep(50 * time.Microsecond)
				ran[i].Add(1)
				return nil
			}, after...), 1
		case k < 88:
			handles[i], want[i] = p.ScheduleHere(one, after...), 1
		case k < 90:
			handles[i], want[i] = p.ScheduleAt(priority, Func(func(*Task) { time.Sleep(time.Millisecond); ran[i].Add(1) }), after...), 1
		default:
			handles[i] = Combine(after...)
		}
		if rng.IntN(30) == 0 {
			if err := handles[rng.IntN(i+1)].Wait(); err != nil && !cancelled {
				t.Error(err)
			}
		}
		if cancelled && i == n/2 {
			cancel()
		}
	}
	if err := sc.End(); err != nil && (!cancelled || !errors.Is(err, context.Canceled)) {
		t.Error(err)
	}
	_ = Combine(handles...).Wait() // combined jobs do not belong to the scope
	for i := range ran {
		got := ran[i].Load()
		if !handles[i].Done() {
			t.Errorf("!handles[i].Done(): job %d of %d: %d of %d ran, done: %v", i, n, got, want[i], handles[i].Done())
		} else if got != want[i] && (!cancelled || got > want[i]) {
			t.Errorf("got != want[i] && (!cancelled || got > want[i]): job %d of %d: %d of %d ran, done: %v", i, n, got, want[i], handles[i].Done())
		}
	}
	return n
}

// foreignLoad starts one process for each processor, which keeps the processor busy.
func foreignLoad(t *testing.T) (stop func()) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stops []func()
	for range runtime.NumCPU() {
		cmd := exec.Command(self, "-test.run=^TestForeignLoad$", "-jobs.load")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stops = append(stops, func() { in.Close(); _ = cmd.Wait() })
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// TestForeignLoad is the process that foreignLoad starts. This process keeps a processor busy until
// its input ends.
func TestForeignLoad(t *testing.T) {
	if !*load {
		t.Skip("-jobs.load is not set: TestSoak starts this as a program")
	}
	var over atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		over.Store(true)
	}()
	for !over.Load() {
		pause(100)
	}
}
