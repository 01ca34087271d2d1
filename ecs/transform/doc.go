// Package transform composes matrices: translation, rotation and scale become
// the LocalToWorld of an entity, along the chain of its parents.
//
// # Conventions
//
// Metres, radians. Quaternions are X, Y, Z, W, unit, Hamilton's. Matrices are
// stored column by column and act on column vectors:
//
//	LocalToWorld  = translation × rotation × scale                 of a root
//	LocalToParent = translation × rotation × scale                 of a child
//	LocalToWorld  = the parent's LocalToWorld × LocalToParent      of a child
//
// # Components
//
// A root has [LocalToWorld] and any of [Translation], [Rotation], [Scale] and
// [NonUniformScale]; what it lacks counts as none. A child has [Parent] and
// [LocalToParent] as well:
//
//	wheel := w.Spawn(transform.Translation{Y: 5}, transform.Identity, transform.LocalToWorld{})
//	lamp := w.Spawn(transform.Translation{X: 1}, transform.Parent{Entity: wheel},
//		transform.LocalToParent{}, transform.LocalToWorld{})
//
// [LocalTransform] with [PostTransformMatrix] is another way to say the same in
// one component; a child with it needs no LocalToParent. What has less than that, or
// parts of both, keeps the matrix that it was given, without a word:
// [ComputeLocalToWorld] says what is wrong. Pivots ([RotationPivot], [ScalePivot]) count by way of
// [CompositeRotation] and [CompositeScale], angles ([RotationEulerXYZ] and so on)
// by way of [Rotation]; [ParentScaleInverse] keeps the parent's scale from a
// child, [WorldToLocal] is the inverse of LocalToWorld. A component that joins the
// write group of LocalToWorld takes that over for the entities that have it and in
// which it is on.
//
// [PreviousParent] and [Children] belong to this package. Every component and
// system exists for float32 and for float64, from one generic source; the components that
// are used most have a short name in float32, and with 64 at its end in float64. A child and
// its parent are of the same kind, or have both.
//
// A parent has LocalToWorld from the start. A child that is given one without it,
// or with that of the other width alone, loses [Parent] and [LocalToParent] in
// the next update and is a root from then on, as if its parent did not exist. A
// parent that loses one of two widths later, and keeps the other, keeps its children
// too: their matrices of the width that it has not stay as they are, all zeros if
// there never were any. So do those of a child that has both widths, under a parent
// that has one.
//
// # Systems
//
// They stand in [Group], in the simulation of every world that system.NewWorld or
// app.Play makes with the registered systems, if the program imports this
// package. A world of ecs.NewWorld has no systems: its matrices stay as they are.
// In their order:
//
//	Parents                     brings the lists of children up to date
//	CompositeScaleSystemOf      scales about pivots
//	RotationEulerSystemOf       turns angles into rotations
//	PostRotationEulerSystemOf   the same for PostRotation
//	CompositeRotationSystemOf   turns about pivots
//	TRSToLocalToWorldOf         composes the matrices of roots
//	LocalTransformToWorldOf     the same for roots with LocalTransform
//	ParentScaleInverseSystemOf  undoes the scales of parents
//	TRSToLocalToParentOf        composes the local matrices of children
//	HierarchyOf                 computes the world matrices of children
//	WorldToLocalSystemOf        inverts world matrices
//
// A parent set, changed or removed before the group runs shows in the matrices
// when it has run. What has not changed is not computed again.
//
// Entities that are inactive, and all below them, active or not, keep the matrices
// that they had, and so do prefabs; only the matrix of a root with LocalTransform is
// made all the same. They have those that they should in the update after they, and
// those above them, are active again.
//
// # Promises
//
// Matrices have the same bits on every machine and for any number of workers. A
// chain of parents may be as long as memory allows, and a parent may have any
// number of children. Parents in a circle are reported and left out. The steady
// state allocates nothing.
//
// # Where things are
//
// Components stand in components.go, composite.go, euler.go and localtransform.go, and in
// groups.go what takes part in making what. rules.go has the terms by which it is decided
// whose matrix is made from what: the systems ask them by queries, [ComputeLocalToWorld] and
// the advice by an entity (reader.go). A new way to make a matrix begins there. Then there is a
// file for each system or two: pivots.go, angles.go, trs.go with compose.go, localtoworld.go,
// scaleinverse.go, parents.go, hierarchy.go, worldtolocal.go; install.go lists them.
//
// The hierarchy has a plan. Package internal/trees says which rows are on which level and
// where their parents are, plan.go what is known of their matrices during an update, stages.go
// which rows are done at a time, hierarchy.go what the jobs of an update look at and compute;
// few.go does without jobs. What is saved where some rows are others' to make is in save.go,
// roots that stay where their parent left them in staying.go.
package transform
