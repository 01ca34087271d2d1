package jobs

import (
	"fmt"
	"strings"
)

// Level says how much a pool checks.
type Level int

const (
	// Check finds conflicting jobs and leaked jobs and returns them as errors. It is the default.
	Check Level = iota
	// Off checks nothing but what is needed to go on.
	Off
	// Panic panics at once where Check would return an error, except for
	// Scope.End, and remembers where each job was scheduled. What a wait runs it
	// runs on a goroutine of its own, which a test that fails there may end. It is
	// for tests.
	Panic
)

var levelNames = [...]string{Check: "Check", Off: "Off", Panic: "Panic"}

// check panics if there is no such level.
func (l Level) check() {
	if int(l) < 0 || int(l) >= len(levelNames) {
		panic(fmt.Sprintf("jobs: Safety: level is %d: there are %s", l, strings.Join(levelNames[:], ", ")))
	}
}
