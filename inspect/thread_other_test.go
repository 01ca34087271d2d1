//go:build !linux

package inspect

import "time"

// threadTime is not known.
func threadTime() time.Duration { return 0 }
