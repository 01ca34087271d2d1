//go:build !linux

package inspect

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return 0 }
