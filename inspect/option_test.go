package inspect

import (
	"testing"
	"time"
)

// TestBudgetPanics checks that Budget refuses a duration that is not positive, because the inspector
// could never answer.
func TestBudgetPanics(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "inspect: Budget: d is 0s, must be above 0", -time.Second: "inspect: Budget: d is -1s, must be above 0"} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("got panic %v, want %q", got, want)
				}
			}()
			Budget(d)
		}()
	}
}

// TestNilOption checks that the panic names a nil option by its position.
func TestNilOption(t *testing.T) {
	defer func() {
		if got, want := recover(), "inspect: New: option 0 is nil"; got != want {
			t.Errorf("got panic %v, want %q", got, want)
		}
	}()
	New(nil)
}
