package design

import (
	"flag"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/internal/messages"
)

var updateMessages = flag.Bool("lanewise.update", false, "write testdata/messages.golden anew")

// heard keeps what wants hears, if it is set.
var heard *messages.List

// TestMessages holds what misuse is answered with to testdata, and looks for messages in the source that none of it
// leads to.
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
