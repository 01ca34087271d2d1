package kernels

import "fmt"

// Float is the set of element types. Every kernel exists for both.
type Float interface{ float32 | float64 }

// Vec3s is a column of vectors: row i is (X[i], Y[i], Z[i]).
type Vec3s[T Float] struct{ X, Y, Z []T }

// Quats is a column of quaternions: row i is X[i]i + Y[i]j + Z[i]k + W[i].
type Quats[T Float] struct{ X, Y, Z, W []T }

// Mat4s is a column of 4×4 matrices. Each matrix is one block of sixteen elements, column by
// column: M[i][4*c+r] is the element in row r and column c.
type Mat4s[T Float] struct{ M [][16]T }

// Len returns the number of rows: the length of X. Kernels require the same
// length of every lane.
func (v *Vec3s[T]) Len() int { return len(v.X) }

// Len returns the number of rows: the length of X. Kernels require the same
// length of every lane.
func (q *Quats[T]) Len() int { return len(q.X) }

// Len returns the number of rows.
func (m *Mat4s[T]) Len() int { return len(m.M) }

// Slice returns the rows from lo up to, but not including, hi. The rows share memory with v.
// hi may be larger than Len, up to the capacity, as for any slice.
func (v *Vec3s[T]) Slice(lo, hi int) Vec3s[T] {
	return Vec3s[T]{v.X[lo:hi], v.Y[lo:hi], v.Z[lo:hi]}
}

// Slice returns the rows from lo up to, but not including, hi. The rows share memory with q.
// hi may be larger than Len, up to the capacity, as for any slice.
func (q *Quats[T]) Slice(lo, hi int) Quats[T] {
	return Quats[T]{q.X[lo:hi], q.Y[lo:hi], q.Z[lo:hi], q.W[lo:hi]}
}

// Slice returns the rows from lo up to, but not including, hi. The rows share memory with m.
// hi may be larger than Len, up to the capacity, as for any slice.
func (m *Mat4s[T]) Slice(lo, hi int) Mat4s[T] { return Mat4s[T]{m.M[lo:hi]} }

// vec3Has reports whether every lane has n rows.
func vec3Has[T Float](v *Vec3s[T], n int) bool {
	return len(v.X) == n && len(v.Y) == n && len(v.Z) == n
}

// vec2Has, vec4Has and quatHas report whether every lane has n rows.
func vec2Has[T Float](v *Vec2s[T], n int) bool { return len(v.X) == n && len(v.Y) == n }

func vec4Has[T Float](v *Vec4s[T], n int) bool {
	return len(v.X) == n && len(v.Y) == n && len(v.Z) == n && len(v.W) == n
}

func quatHas[T Float](q *Quats[T], n int) bool {
	return len(q.X) == n && len(q.Y) == n && len(q.Z) == n && len(q.W) == n
}

// A span is the memory of one lane and its name in messages.
type span struct {
	name string
	base address
	size uintptr // of one row, in bytes
	rows int
}

func vec3Spans[T Float](v *Vec3s[T], name string) []span {
	return []span{spanOf(name+".X", v.X), spanOf(name+".Y", v.Y), spanOf(name+".Z", v.Z)}
}

func quatSpans[T Float](q *Quats[T], name string) []span {
	return []span{spanOf(name+".X", q.X), spanOf(name+".Y", q.Y), spanOf(name+".Z", q.Z), spanOf(name+".W", q.W)}
}

func mat4Spans[T Float](m *Mat4s[T], name string) []span { return []span{spanOf(name+".M", m.M)} }

func lane[E any](name string, p []E) []span { return []span{spanOf(name, p)} }

// lengths returns the panic message for the first lane whose length differs from that
// of the first lane of dst.
func lengths(kernel string, dst []span, operands ...[]span) string {
	first := dst[0]
	for _, lanes := range append([][]span{dst}, operands...) {
		for _, l := range lanes {
			if l.rows != first.rows {
				return fmt.Sprintf("kernels: %s: len(%s) is %d, len(%s) is %d", kernel, l.name, l.rows, first.name, first.rows)
			}
		}
	}
	return "kernels: " + kernel + ": lengths differ"
}
