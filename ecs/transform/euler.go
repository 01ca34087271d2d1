package transform

import "github.com/lanewise/lanewise/kernels"

// Orders of three turns about the X, Y and Z axis: XYZ turns about X first.
type (
	XYZ struct{}
	XZY struct{}
	YXZ struct{}
	YZX struct{}
	ZXY struct{}
	ZYX struct{}
)

// EulerOrder is one of XYZ, XZY, YXZ, YZX, ZXY and ZYX: types, so that a component says its order. A program that has its angles in components
// needs no other; [kernels.EulerOrder] has values of the same names and meaning, for calls of [kernels.Quats.FromEuler] on lanes.
type EulerOrder interface{ order() kernels.EulerOrder }

func (XYZ) order() kernels.EulerOrder { return kernels.XYZ }
func (XZY) order() kernels.EulerOrder { return kernels.XZY }
func (YXZ) order() kernels.EulerOrder { return kernels.YXZ }
func (YZX) order() kernels.EulerOrder { return kernels.YZX }
func (ZXY) order() kernels.EulerOrder { return kernels.ZXY }
func (ZYX) order() kernels.EulerOrder { return kernels.ZYX }

// RotationEulerOf is how an entity is turned, as three angles in radians, which
// are applied in the order O. The entity's Rotation is computed from it.
type RotationEulerOf[T kernels.Float, O EulerOrder] struct{ X, Y, Z T }

// PostRotationEulerOf is the same for the entity's PostRotation.
type PostRotationEulerOf[T kernels.Float, O EulerOrder] struct{ X, Y, Z T }

// Angles in float32.
type (
	RotationEulerXYZ = RotationEulerOf[float32, XYZ]
	RotationEulerXZY = RotationEulerOf[float32, XZY]
	RotationEulerYXZ = RotationEulerOf[float32, YXZ]
	RotationEulerYZX = RotationEulerOf[float32, YZX]
	RotationEulerZXY = RotationEulerOf[float32, ZXY]
	RotationEulerZYX = RotationEulerOf[float32, ZYX]
)

// Column shows a column of angles as three lanes.
func (RotationEulerOf[T, O]) Column() (c kernels.Vec3s[T]) { return }

// Column shows a column of angles as three lanes.
func (PostRotationEulerOf[T, O]) Column() (c kernels.Vec3s[T]) { return }
