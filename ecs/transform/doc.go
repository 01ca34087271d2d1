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
// A matrix that a program writes instead of its parts stays until the entity's parts change, its parent's matrix changes,
// or rows come to its chunk or go from it. A component that takes the making over (see above) keeps it for longer.
//
// # Promises
//
// Matrices have the same bits on every machine and for any number of workers. A
// chain of parents may be as long as memory allows, and a parent may have any
// number of children. Parents in a circle are reported and left out. The steady
// state allocates nothing. A world that goes back to an image, by a Restore, a rollback
// or a file, goes on with the same matrices, and the same chunks count as changed.
//
// # Words
//
// What makes a matrix is its parts. A part that somebody else makes is claimed, by a component of
// another package in a write group; what the systems here make, for all rows of a chunk or for
// those that are not claimed, is own. Chunks of which others make some rows are divided. A matrix
// that nothing makes is given, and counts as it is.
//
// [Parents] turns Parent, which is what users say, into lists of children and PreviousParent, which
// is what is so: everything behind it believes PreviousParent. Of that the hierarchy has a plan.
// Roots that have children and all nodes, which are entities with a parent, are in its forest: rows
// of chunks, cut into segments of one level, whose parents lie together. A stage is segments whose
// parents are all done in stages before, in blocks that workers take; a block is done in order.
//
// # What must hold
//
// Systems and [ComputeLocalToWorld] have one set of rules and one of formulas. Which entity's matrix
// is made of what is said by terms, which systems put into queries and single entities are asked by.
// What is computed is said for inputs, which are the columns of a chunk, or one row that is made for
// an entity. So both give the same bits, and tests compare them so. Arithmetic for single values is
// held to the kernels' by TestOneRow.
//
// A matrix that could have changed is computed, another is not touched: a chunk is marked as
// changed only if it was written. That a chunk was left alone is no promise that its matrices stand
// where they stood, for rows move; during an update the plan's slices are good, since a structural
// change waits for the jobs.
//
// A row is computed after its parent's row, in a stage behind, or behind it in the same block, and
// by one block only. So no two workers write one row, none reads what another writes in the same
// stage, and bits do not depend on how many there are.
//
// The forest is that of PreviousParent when an update begins: package internal/trees says by what it
// stays so, and lists its own invariants.
//
// # Where things are
//
// Components stand in components.go, composite.go, euler.go and localtransform.go, and in
// groups.go what takes part in making what.
//
// A new part, or another formula, begins in three places. rules.go has the terms of what is made of
// what. parts.go says which of several parts counts. compose.go has the formula of a local matrix,
// pivots.go those of the composites, angles.go and scaleinverse.go what becomes of angles and of the
// scale of a parent: functions of inputs (inputs.go), which the systems beside them call for chunks and
// compute.go for one entity. A component that a formula reads has a method row in inputs.go; what is
// computed before others is made in compute.go in the order of the systems. matrix.go has the
// arithmetic of single matrices. The advice of advise.go and lacking.go names parts that are missing;
// reader.go reads the components of one entity.
//
// The other systems stand in trs.go, localtoworld.go, parents.go, hierarchy.go and worldtolocal.go;
// install.go lists them all, and group.go is the group that they are in. streaming.go decides
// whether they write past the caches.
//
// The hierarchy's forest is package internal/trees, plan.go what is known of matrices during an
// update, stages.go which rows are done at a time, hierarchy.go what the jobs of an update look at
// and compute; few.go does without jobs. What is saved where some rows are others' to make is in
// save.go, roots that stay where their parent left them in staying.go; restored.go has what an image keeps of the systems, and
// what they do after a Restore.
package transform
