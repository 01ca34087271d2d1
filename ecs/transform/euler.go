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

// EulerOrder is one of XYZ, XZY, YXZ, YZX, ZXY and ZYX, which are types, so that a component says
// its order. For lanes of angles [kernels.Quats.FromEuler] takes a [kernels.RotationOrder] instead.
type EulerOrder interface{ order() kernels.RotationOrder }

func (XYZ) order() kernels.RotationOrder { return kernels.OrderXYZ }
func (XZY) order() kernels.RotationOrder { return kernels.OrderXZY }
func (YXZ) order() kernels.RotationOrder { return kernels.OrderYXZ }
func (YZX) order() kernels.RotationOrder { return kernels.OrderYZX }
func (ZXY) order() kernels.RotationOrder { return kernels.OrderZXY }
func (ZYX) order() kernels.RotationOrder { return kernels.OrderZYX }

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
