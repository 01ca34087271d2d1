package inspect

import (
	"math"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// now is the clock of this package.
func now() time.Duration { return profile.Clock() }

// toMicros converts a duration to microseconds, the unit of all times in answers.
func toMicros(d time.Duration) float64 { return math.Round(float64(d)/10) / 100 }
