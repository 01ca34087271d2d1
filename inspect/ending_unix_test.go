//go:build unix

package inspect

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/lanewise/lanewise/ecs/app"
)

// TestSignalEndsPause checks that a signal ends a run with app.Signals, although the inspector makes its owner wait.
func TestSignalEndsPause(t *testing.T) {
	for _, way := range ways {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(way.name+"/"+signal.String(), func(t *testing.T) {
				s := newStage(t, 10, Allow(Control))
				s.stop()
				ended := make(chan error, 1)
				go func() { ended <- app.Run(t.Context(), s.w, app.Signals(), app.Step(1.0/60), app.Pace(way.hz)) }()
				for _, request := range way.requests {
					post[Controlled](s, "/api/control", request...)
				}
				time.Sleep(5 * time.Millisecond)
				p, err := os.FindProcess(os.Getpid())
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Signal(signal); err != nil {
					t.Fatal(err)
				}
				returns(t, ended, nil)
			})
		}
	}
}
