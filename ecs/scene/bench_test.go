package scene

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// manyText is a text of n entities with two components.
func manyText(n int) []byte {
	var o strings.Builder
	o.WriteString("{\"entities\": {\n")
	for i := range n {
		fmt.Fprintf(&o, "\t\"e%d\": {\"Position\": {\"X\": %d.5, \"Y\": 2, \"Z\": 3}, \"Velocity\": {\"X\": 1, \"Y\": %d, \"Z\": 0}},\n", i, i, i)
	}
	o.WriteString("}}\n")
	return []byte(o.String())
}

func BenchmarkScene(b *testing.B) {
	for _, n := range []int{1_000, 20_000, 200_000} {
		text := manyText(n)
		rate := func(b *testing.B, per float64, unit string) {
			b.ReportMetric(per*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, unit)
		}
		b.Run(fmt.Sprintf("do=parse/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				parse(b, text)
			}
			rate(b, 2, "Mcomponents/s")
		})
		b.Run(fmt.Sprintf("do=bake/n=%d", n), func(b *testing.B) { // the text and all
			for b.Loop() {
				bakeOnce(b, text)
			}
			rate(b, 2, "Mcomponents/s")
		})
		file := bytesOf(b, bakeOnce(b, text))
		b.Run(fmt.Sprintf("do=read/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				readOnce(b, file)
			}
			rate(b, 1, "Mrows/s")
		})
	}
}

func parse(b *testing.B, text []byte) *Document {
	d, err := Parse("bench", text)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func bakeOnce(b *testing.B, text []byte) *Baked {
	s, err := parse(b, text).Bake()
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func readOnce(b *testing.B, file []byte) {
	if _, err := ReadBaked(bytes.NewReader(file)); err != nil {
		b.Fatal(err)
	}
}
