//go:build !js

package system

import (
	"context"
	"log/slog"
)

// defaultLogger returns the logger of worlds without the option [WithLogger].
func defaultLogger() Logger { return slog.Default() }

// debugs reports whether l may log at level Debug.
func debugs(l Logger) bool {
	if l, ok := l.(*slog.Logger); ok {
		return l.Enabled(context.Background(), slog.LevelDebug)
	}
	return l != Logger(discard{})
}
