package printable

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTexts(t *testing.T) {
	for _, c := range []struct{ in, name, line, lines string }{
		{"", `""`, "", ""},
		{"game.Body[int]", "game.Body[int]", "game.Body[int]", "game.Body[int]"},
		{"Größe 大 🎈 é", "Größe 大 🎈 é", "Größe 大 🎈 é", "Größe 大 🎈 é"},
		{`a"b\c`, `a"b\c`, `a"b\c`, `a"b\c`},
		{"\x1b[2Jx", `"\x1b[2Jx"`, `\x1b[2Jx`, `\x1b[2Jx`},
		{"a\nb\tc\r", `"a\nb\tc\r"`, `a\nb\tc\r`, "a\nb\tc\\r"},
		{"a\u202eb\u200b", `"a\u202eb\u200b"`, `a\u202eb\u200b`, `a\u202eb\u200b`},
		{"\xff\x9b31m\u009b", `"\xff\x9b31m\u009b"`, `\xff\x9b31m\u009b`, `\xff\x9b31m\u009b`},
		{"\ufffd\x7f", `"\ufffd\x7f"`, "\ufffd" + `\x7f`, "\ufffd" + `\x7f`},
	} {
		if c.in == "\ufffd\x7f" {
			c.name = strconv.Quote(c.in)
		}
		if got := Name(c.in); got != c.name {
			t.Errorf("Name(%q) = %s, want %s", c.in, got, c.name)
		}
		if got := Line(c.in); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.line)
		}
		if got := Lines(c.in); got != c.lines {
			t.Errorf("Lines(%q) = %q, want %q", c.in, got, c.lines)
		}
	}
}

// TestRandom checks with random text that the result is UTF-8 without control characters and that
// printable characters are unchanged.
func TestRandom(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 46))
		var b []byte
		for range rng.IntN(30) {
			if rng.IntN(2) == 0 {
				b = append(b, byte(rng.IntN(256)))
			} else {
				b = utf8.AppendRune(b, rune(rng.IntN(0x11000)))
			}
		}
		s := string(b)
		var to strings.Builder
		if n, err := Writer(&to).Write(b); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
		for _, got := range []string{Name(s), Line(s), strings.NewReplacer("\n", "", "\t", "").Replace(to.String())} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Fatalf("seed %d: %q is shown as %q", seed, s, got)
			}
		}
		if plain := strconv.Quote(s); plain == `"`+s+`"` && Line(s) != s {
			t.Fatalf("seed %d: %q is shown as %q", seed, s, Line(s))
		}
	}
}
