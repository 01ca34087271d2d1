package inspect

import (
	"fmt"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/jobs"
)

// BenchmarkSeen measures the cost of a client that requests the frame four times a second. One
// operation runs the same frames without requests and then with such a client; each run takes a fifth
// of a second. The benchmark reports the ratio of the fastest runs.
func BenchmarkSeen(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			w, in := newMovingWorld(b, n)
			steps := 1
			for runFor(b, w, steps) < 200*time.Millisecond {
				steps *= 2
			}
			least := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				for k, run := range []func() time.Duration{
					func() time.Duration { return runUnseen(b, w, in, steps) },
					func() time.Duration { return runSeen(b, w, in, steps) },
				} {
					least[k] = min(least[k], run())
				}
			}
			b.ReportMetric(float64(least[1])/float64(least[0]), "seen/unseen")
			b.ReportMetric(float64(least[0])/float64(steps)/1e3, "µs/frame")
		})
	}
}

// newMovingWorld creates a world of n moving entities with matrices, on two workers.
func newMovingWorld(b *testing.B, n int) (*ecs.World, *Inspector) {
	pool := jobs.New(jobs.Workers(2))
	w, err := system.NewWorld("moving", system.OnPool(pool), system.Only(system.Of[mover]()))
	if err != nil {
		b.Fatal(err)
	}
	if err := transformSystems(w); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		w.Spawn(transform.Translation{X: float32(i)}, Speed{X: 1, Y: 2}, transform.LocalToWorld{})
	}
	in := New(Token("secret"), Only(w))
	b.Cleanup(func() {
		_ = in.Close()
		_ = w.Close()
		_ = pool.Close()
	})
	return w, in
}

// runFor returns the time that the given number of frames takes.
func runFor(b *testing.B, w *ecs.World, steps int) time.Duration {
	begin := time.Now()
	for range steps {
		if err := system.Update(w); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(begin)
}

// runUnseen waits until the inspector has stopped recording, and then runs frames.
func runUnseen(b *testing.B, w *ecs.World, in *Inspector, steps int) time.Duration {
	in.lastRequest.Store(int64(now() - lease))
	for in.hooked() {
		runFor(b, w, 1)
	}
	return runFor(b, w, steps)
}

// runSeen runs frames while a client sends requests.
func runSeen(b *testing.B, w *ecs.World, in *Inspector, steps int) time.Duration {
	over, ended := make(chan bool), make(chan bool)
	asked := make(chan bool, 1)
	go func() {
		defer close(ended)
		v := in.find(w)
		for {
			request(b, in, v, []string{"/api/frame"})
			select {
			case asked <- true:
			default:
			}
			select {
			case <-over:
				return
			case <-time.After(250 * time.Millisecond):
			}
		}
	}()
	for answered := false; !answered; {
		runFor(b, w, 1)
		select {
		case <-asked:
			answered = true
		default:
		}
	}
	took := runFor(b, w, steps)
	close(over)
	for {
		select {
		case <-ended:
			return took
		default:
			runFor(b, w, 1) // for a request that still waits
		}
	}
}
