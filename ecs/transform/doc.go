// Package transform computes matrices: translation, rotation and scale become
// the LocalToWorld of an entity, along the chain of its parents.
//
//	wheel := w.Spawn(transform.Translation{Y: 5}, transform.Identity, transform.LocalToWorld{})
//	lamp := w.Spawn(transform.Translation{X: 1}, transform.Parent{Entity: wheel},
//		transform.LocalToParent{}, transform.LocalToWorld{})
//	err := system.Update(w) // w is a world of system.NewWorld
//	m, err := ecs.Get[transform.LocalToWorld](w, lamp)
//	x, y, z := m.Position()
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
// [NonUniformScale]; a part that it lacks is the identity. A child has [Parent] and
// [LocalToParent] as well.
//
// [LocalTransform] holds translation, rotation and an even scale in one component, and
// [PostTransformMatrix] adds an uneven scale or a shear; a child with it needs no LocalToParent.
// An entity that has less than that, or parts of both sets, keeps the matrix that it was given, and no
// update says so: [ComputeLocalToWorld] and system.Warnings name the fault. A component that joins the
// write group of LocalToWorld takes the computation over for the entities that have it and in
// which it is on.
//
// [PreviousParent] and [Children] belong to this package. Every component and
// system exists for float32 and for float64, from one generic source; the components that
// are used most have a short name in float32, and one that ends in 64 in float64. A child and
// its parent are of the same kind, or have both.
//
// A parent has LocalToWorld from the start. A child that is given one without it,
// or with that of the other width alone, loses [Parent] and [LocalToParent] in
// the next update and is a root from then on, as if its parent did not exist. A
// parent that loses one of two widths later, and keeps the other, keeps its children
// too: their matrices of the lost width stay as they are, all zeros if
// there never were any. So do those of a child that has both widths, under a parent
// that has one.
//
// # Systems
//
// They are in [Group], in the simulation of every world that system.NewWorld or
// app.Play makes with the registered systems, if the program imports this
// package. A world of ecs.NewWorld has no systems: its matrices stay as they are.
// In their order:
//
//	Parents                  brings the lists of children up to date
//	TRSToLocalToWorldOf      composes the matrices of roots
//	LocalTransformToWorldOf  the same for roots with LocalTransform
//	TRSToLocalToParentOf     composes the local matrices of children
//	HierarchyOf              computes the world matrices of children
//
// A parent set, changed or removed before the group runs shows in the matrices
// when it has run. Matrices whose parts have not changed are not computed again.
//
// Entities that are inactive, and all below them, active or not, keep the matrices
// that they had, and so do prefabs; only the matrix of a root with LocalTransform is
// computed nevertheless. They get the right matrices in the first update after they, and
// those above them, are active again.
//
// A matrix that a program writes beside its parts stays until the entity's parts change, its parent's matrix changes,
// or rows come to its chunk or go from it. A component that takes the computation over (see above) keeps it for longer.
//
// # Promises
//
// Matrices have the same bits on every machine and for any number of workers. A
// chain of parents may be as long as memory allows, and a parent may have any
// number of children. Parents in a circle are reported and left out. The steady
// state allocates nothing. A world that goes back to an image, by a Restore, a rollback
// or a file, goes on with the same matrices, and the same chunks count as changed.
//
// # Design
//
// The components that a matrix is composed of are its parts. Systems and [ComputeLocalToWorld] share one set of
// rules and one set of formulas, so that both give the same bits. The rules are terms of queries: they say which entity's matrix is
// made of which parts. The formulas take inputs: the columns of a chunk, for a system, or one entity as a
// column of one row. Arithmetic for single matrices has the bits of the kernels, because TestOneRow compares them.
//
// A component of another package that is in a write group claims the matrix of an entity. If it can be switched off, it claims some rows
// of a chunk: the chunk is divided. A given matrix is one that no system computes.
//
// [Parents] turns Parent, which users write, into lists of children and PreviousParent. The systems after it read PreviousParent
// alone, because that is consistent with the lists. For the hierarchy there is a plan.
// Roots that have children, and nodes, which are entities with a parent, are in its forest: rows
// of chunks, cut into segments of one level whose parents are in one chunk, if possible. A stage is a list of segments whose
// parents are all done in earlier stages, in blocks that workers take; a worker does the segments of a block in order.
//
// Three invariants hold.
//
// A matrix is computed if it may have changed, and another one is not touched, because a chunk that is
// written counts as changed for everybody. A chunk that was left alone may have other rows than before, since rows move. During an
// update the plan's slices stay valid, because a structural change waits for the jobs.
//
// A row is computed after its parent's row, in a later stage or later in the same block, and
// by one block only. So no two workers write one row, none reads a row that another one writes in the same
// stage, and the bits do not depend on the number of workers.
//
// The forest is that of PreviousParent when an update begins. Package internal/trees says how it is kept
// so, and lists its own invariants.
package transform
