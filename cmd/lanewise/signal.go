package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// A stopError is the cause of a context that a signal ended.
type stopError struct{ by os.Signal }

func (e *stopError) Error() string { return fmt.Sprintf("stopped by %v", e.by) }

// untilSignal returns a context that ends when the process receives Ctrl-C or
// SIGTERM, and a function that restores the default handling of signals. A
// second signal ends the process at once.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	stop := func() { signal.Stop(signals) }
	go func() {
		select {
		case s := <-signals:
			stop()
			cancel(&stopError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { stop(); cancel(nil) }
}

// stopCode returns the exit code of a run that was stopped because ctx ended.
func stopCode(ctx context.Context) int {
	if stop, ok := errors.AsType[*stopError](context.Cause(ctx)); ok && stop.by == syscall.SIGTERM {
		return exitTerminated
	}
	return exitStopped
}

// orStopped calls a function that cannot be stopped by a context. If ctx ends
// first, orStopped returns at once. The function may still be waiting for a
// pipe to which no process writes. It then runs until the process exits, but
// its output to the terminal is dropped.
func orStopped(ctx context.Context, t *terminal, do func(t *terminal) error) error {
	result := make(chan error, 1)
	go func() {
		result <- do(&terminal{out: heeding{ctx: ctx, w: t.out}, err: heeding{ctx: ctx, w: t.err}, live: t.live})
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return errors.New("stopped")
	}
}

// heeding is a reader or writer whose calls fail after a context has ended.
type heeding struct {
	ctx context.Context
	r   io.Reader
	w   io.Writer
}

func (h heeding) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := h.r.Read(p)
	if stopped := h.ctx.Err(); stopped != nil {
		return 0, stopped // the result of a call that ended after the context is dropped
	}
	return n, err
}

func (h heeding) Write(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.w.Write(p)
}
