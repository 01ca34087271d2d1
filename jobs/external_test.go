package jobs

import (
	"context"
	"errors"
	"testing"
)

type key struct{}

func TestExternal(t *testing.T) {
	limit(t)
	boom := errors.New("boom")
	pools(t, func(t *testing.T, p *Pool) {
		ctx := context.WithValue(context.Background(), key{}, 7)
		sc := p.Scope(ctx)
		order := make(chan int, 10)
		first := sc.Schedule(Func(func(*Task) { order <- 1 }))
		out := p.External(sc.ctx, func(ctx context.Context) error {
			order <- 2
			if ctx.Value(key{}) != 7 {
				return errors.New("another context")
			}
			return nil
		}, first)
		sc.Schedule(Func(func(*Task) { order <- 3 }), out)
		if err := sc.End(); err != nil || <-order != 1 || <-order != 2 || <-order != 3 {
			t.Error("out of order", err)
		}
		bad := p.External(context.Background(), func(context.Context) error { return boom })
		skipped := p.Schedule(Func(func(*Task) { order <- 4 }), bad)
		if err := skipped.Wait(); err != boom || len(order) != 0 {
			t.Error(err, len(order))
		}
		var pe *PanicError
		if err := p.External(context.Background(), func(context.Context) error { panic("help") }).Wait(); !errors.As(err, &pe) || pe.Value != "help" || pe.Job == "" {
			t.Error(err)
		}
		if err := p.External(context.Background(), func(context.Context) error { exit(); return nil }).Wait(); !errors.Is(err, ErrExited) {
			t.Error(err)
		}
	})
}

func TestExternalIsNotBegunWhenCancelled(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h := p.External(ctx, func(context.Context) error { return errors.New("begun") })
	if err := h.Wait(); err != context.Canceled {
		t.Error(err)
	}
	if err := p.Schedule(&nothing{}, h).Wait(); err != context.Canceled {
		t.Errorf("behind it: %v", err)
	}
}

// TestWithoutContext: to give no context is refused where it is done, not on a worker, where it would end the program.
func TestWithoutContext(t *testing.T) {
	limit(t)
	p := New(Workers(2))
	defer p.Close()
	var none context.Context
	for fn, do := range map[string]func(){
		"External":    func() { p.External(none, func(context.Context) error { return nil }) },
		"Scope.Begin": func() { p.Scope(none) },
	} {
		func() {
			defer func() {
				if v, want := recover(), "jobs: "+fn+": the context is nil: pass context.Background()"; v != want {
					t.Errorf("%s: %v, want the panic %q", fn, v, want)
				}
			}()
			do()
		}()
		if err := p.Schedule(&nothing{}).Wait(); err != nil {
			t.Errorf("after %s: %v", fn, err)
		}
	}
}
