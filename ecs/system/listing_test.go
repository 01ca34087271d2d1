package system

import (
	"regexp"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/listing"
)

// TestUnseenIsOneLoad reads what the compiler makes of the package: functions that watch all worlds cost a
// frame one atomic load, at its end, and systems, jobs and chunks nothing.
func TestUnseenIsOneLoad(t *testing.T) {
	text, err := listing.Of([]string{"GOARCH=amd64"}, ".")
	if err != nil {
		t.Fatal(err)
	}
	begins, uses := regexp.MustCompile(`^\S*/system\.(\S+) STEXT`), regexp.MustCompile(`\t(\S+)\t.*/system\.everyBorder(\+\d+)?\(SB\)`)
	function, loads := "", 0
	for line := range strings.Lines(text) {
		if m := begins.FindStringSubmatch(line); m != nil {
			function = m[1]
		}
		m := uses.FindStringSubmatch(line)
		switch {
		case m == nil || strings.HasPrefix(function, "onEveryBorder"):
		case function == "(*attachment).endBorder" && m[1] == "MOVQ":
			loads++
		default:
			t.Errorf("%s looks at what watches all worlds: %s", function, line)
		}
	}
	if loads != 1 {
		t.Errorf("the end of a frame looks %d times at what watches all worlds, want once", loads)
	}
}
