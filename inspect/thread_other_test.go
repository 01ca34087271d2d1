//go:build !linux

package inspect

import "time"

// threadTime returns 0, because the time is not available on this system.
func threadTime() time.Duration { return 0 }
