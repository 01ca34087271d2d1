package design

import (
	"flag"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/messages"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

// If heard is set, it collects the messages that wantError sees.
var heard *messages.List

// TestMessages compares the messages about misuse with testdata. It also looks in the source
// for messages that no call reaches.
func TestMessages(t *testing.T) {
	heard = &messages.List{T: t, Edit: func(text string) string {
		if strings.HasPrefix(text, "parse error on line") {
			return "parse error: …" // of package encoding/csv
		}
		return text
	}}
	defer func() { heard = nil }()
	for _, test := range []func(*testing.T){TestTags, TestSet, TestAxes, TestDesigns, TestList, TestUTF8} {
		test(t)
	}
	heard.Compare(*updateMessages, 35)
}
