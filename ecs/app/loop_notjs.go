//go:build !js

package app

import (
	"context"
	"time"
)

// pauses waits between the frames of a run.
type pauses struct{}

func newPauses() pauses { return pauses{} }

func (pauses) close() {}

// wait waits for the time left, which may be negative. It returns false if ctx has ended.
func (pauses) wait(ctx context.Context, l *Loop, left time.Duration) bool {
	return left <= 0 || sleep(ctx, left, l, l.Worlds)
}
