package inspect

import (
	"math"
	"time"

	"github.com/lanewise/lanewise/jobs/profile"
)

// now is the time of everything here.
func now() time.Duration { return profile.Clock() }

// micros is a duration in microseconds, as all times of the data are.
func micros(d time.Duration) float64 { return math.Round(float64(d)/10) / 100 }
