//go:build purego || !(amd64 || arm64)

package kernels

// Views are passed by pointer. go:noinline keeps these calls calls: where the
// compiler instantiates a kernel for another package it would see through an
// inlined one to a body of which it cannot tell that the views stay on the stack.

// available returns the paths of a build without assembly.
func available() []pathID { return []pathID{generic} }

func fill32(dst []float32, s float32) {
	fillGeneric(dst, s)
}

func fill64(dst []float64, s float64) {
	fillGeneric(dst, s)
}

//go:noinline
func vec3AddScaled32(v, x, y *Vec3s[float32], s float32) {
	vec3AddScaledGeneric(v, x, y, s)
}

//go:noinline
func vec3AddScaled64(v, x, y *Vec3s[float64], s float64) {
	vec3AddScaledGeneric(v, x, y, s)
}

//go:noinline
func quatMul32(q, a, b *Quats[float32]) {
	quatMulGeneric(q, a, b)
}

//go:noinline
func quatMul64(q, a, b *Quats[float64]) {
	quatMulGeneric(q, a, b)
}

//go:noinline
func quatNormalize32(q, p *Quats[float32]) {
	quatNormalizeGeneric(q, p)
}

//go:noinline
func quatNormalize64(q, p *Quats[float64]) {
	quatNormalizeGeneric(q, p)
}

//go:noinline
func quatIntegrate32(q, p *Quats[float32], w *Vec3s[float32], half float32) {
	quatIntegrateGeneric(q, p, w, half)
}

//go:noinline
func quatIntegrate64(q, p *Quats[float64], w *Vec3s[float64], half float64) {
	quatIntegrateGeneric(q, p, w, half)
}

//go:noinline
func quatSpin32(q, p *Quats[float32], axis *[3]float32, speed []float32, half float32) int {
	quatSpinGeneric(q, p, axis, speed, half)
	return len(speed)
}

//go:noinline
func quatSpin64(q, p *Quats[float64], axis *[3]float64, speed []float64, half float64) int {
	quatSpinGeneric(q, p, axis, speed, half)
	return len(speed)
}

//go:noinline
func vec3Rotate32(v *Vec3s[float32], q *Quats[float32], x *Vec3s[float32]) {
	vec3RotateGeneric(v, q, x)
}

//go:noinline
func vec3Rotate64(v *Vec3s[float64], q *Quats[float64], x *Vec3s[float64]) {
	vec3RotateGeneric(v, q, x)
}

//go:noinline
func vec3RotateBy32(v *Vec3s[float32], q *[4]float32, x *Vec3s[float32]) {
	vec3RotateByGeneric(v, q, x)
}

//go:noinline
func vec3RotateBy64(v *Vec3s[float64], q *[4]float64, x *Vec3s[float64]) {
	vec3RotateByGeneric(v, q, x)
}

//go:noinline
func mat4Compose32(m *Mat4s[float32], pos *Vec3s[float32], rot *Quats[float32], scale *Vec3s[float32], _ bool) {
	mat4ComposeGeneric(m, pos, rot, scale)
}

//go:noinline
func mat4Compose64(m *Mat4s[float64], pos *Vec3s[float64], rot *Quats[float64], scale *Vec3s[float64], _ bool) {
	mat4ComposeGeneric(m, pos, rot, scale)
}

//go:noinline
func mat4Mul32(m, parent, local *Mat4s[float32]) {
	mat4MulGeneric(m, parent, local)
}

//go:noinline
func mat4Mul64(m, parent, local *Mat4s[float64]) {
	mat4MulGeneric(m, parent, local)
}

//go:noinline
func mat4MulByParent32(m, parent *Mat4s[float32], index []int32, local *Mat4s[float32]) int {
	return mat4MulByParentGeneric(m, parent, index, local)
}

//go:noinline
func mat4MulByParent64(m, parent *Mat4s[float64], index []int32, local *Mat4s[float64]) int {
	return mat4MulByParentGeneric(m, parent, index, local)
}

//go:noinline
func boxesTransform32(b *Boxes[float32], m *Mat4s[float32], local *Boxes[float32]) {
	boxesTransformGeneric(b, m, local)
}

//go:noinline
func boxesUnion32(e *ends[float32], b *Boxes[float32], mask []uint64) {
	boxesUnionFrom(0, e, b, mask)
}

//go:noinline
func boxesInPlanes32(mask []uint64, b *Boxes[float32], walls *walls32, planes int) {
	boxesInPlanesGeneric(mask, b, walls, planes)
}

//go:noinline
func spheresInPlanes32(mask []uint64, s *Spheres[float32], walls *walls32, planes int) {
	spheresInPlanesGeneric(mask, s, walls, planes)
}

//go:noinline
func boxesTransform64(b *Boxes[float64], m *Mat4s[float64], local *Boxes[float64]) {
	boxesTransformGeneric(b, m, local)
}

//go:noinline
func boxesUnion64(e *ends[float64], b *Boxes[float64], mask []uint64) {
	boxesUnionFrom(0, e, b, mask)
}

//go:noinline
func boxesInPlanes64(mask []uint64, b *Boxes[float64], walls *walls64, planes int) {
	boxesInPlanesGeneric(mask, b, walls, planes)
}

//go:noinline
func spheresInPlanes64(mask []uint64, s *Spheres[float64], walls *walls64, planes int) {
	spheresInPlanesGeneric(mask, s, walls, planes)
}

//go:noinline
func vec3DistanceSquared32(dst []float32, v *Vec3s[float32], p *[3]float32) {
	vec3DistanceSquaredGeneric(dst, v, p)
}

//go:noinline
func vec3DistanceSquared64(dst []float64, v *Vec3s[float64], p *[3]float64) {
	vec3DistanceSquaredGeneric(dst, v, p)
}
