package journal

import "testing"

// BenchmarkRead reads logs of about 16 MB, as a starting worker does.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name string
		rows int
	}{{"record=300B", 200}, {"record=10kB", 10_000}} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			l, err := Open(dir, "a", "id")
			if err != nil {
				b.Fatal(err)
			}
			runs := 0
			for ; l.end < 16<<20; runs++ {
				rows := make([]byte, c.rows)
				rec, err := Append(nil, Entry{Kind: Ended, Run: runs, State: 1, Body: Checksum(rows)}, []byte("{}\n"), rows, []byte("\n"))
				if err == nil {
					err = l.Begin(runs, 1)
				}
				if err == nil {
					err = l.Keep(rec)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(l.end)
			if err := l.file.Close(); err != nil { // as if killed: no index is written
				b.Fatal(err)
			}
			for b.Loop() {
				if p, err := Read(dir, "id", runs); err != nil || p.Done != runs {
					b.Fatal(p.Done, err)
				}
			}
		})
	}
}
