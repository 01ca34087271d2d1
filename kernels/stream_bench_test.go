package kernels

import (
	"fmt"
	"testing"
)

// BenchmarkComposeStream composes matrices with Compose and ComposeStream. Some runs call the
// kernel once for each chunk, others once for all rows.
func BenchmarkComposeStream(b *testing.B) {
	b.Run("type=f32", benchStream[float32])
	b.Run("type=f64", benchStream[float64])
}

func benchStream[T Float](b *testing.B) {
	defer use(Path())
	for _, n := range []int{20_000, 65_000, 131_000, 262_000, 1_000_000} {
		m := &Mat4s[T]{make([][16]T, n)}
		pos, rot, scale := randomVecs[T](n), randomQuats[T](n), randomVecs[T](n)
		for _, rows := range []int{144, n} {
			for _, path := range Paths() {
				use(path)
				for _, past := range []bool{false, true} {
					b.Run(fmt.Sprintf("n=%d/rows=%d/path=%s/stream=%v", n, rows, path, past), func(b *testing.B) {
						for b.Loop() {
							composeParts(m, pos, rot, scale, rows, past)
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
					})
				}
			}
		}
	}
}

func composeParts[T Float](m *Mat4s[T], pos *Vec3s[T], rot *Quats[T], scale *Vec3s[T], rows int, past bool) {
	for lo := 0; lo < m.Len(); lo += rows {
		hi := min(lo+rows, m.Len())
		ms, ps, rs, ss := m.Slice(lo, hi), pos.Slice(lo, hi), rot.Slice(lo, hi), scale.Slice(lo, hi)
		if past {
			ms.ComposeStream(&ps, &rs, &ss)
		} else {
			ms.Compose(&ps, &rs, &ss)
		}
	}
}
