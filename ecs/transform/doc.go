// Package transform computes the matrices of entities: it composes translation, rotation and scale
// to LocalToWorld, along the chain of an entity's parents.
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
// Lengths are in metres and angles in radians. Quaternions are X, Y, Z, W, of unit length, with
// Hamilton's product. Matrices are stored column by column and multiply column vectors:
//
//	LocalToWorld  = translation × rotation × scale                 of a root
//	LocalToParent = translation × rotation × scale                 of a child
//	LocalToWorld  = the parent's LocalToWorld × LocalToParent      of a child
//
// # Components
//
// A root has [LocalToWorld] and any of [Translation], [Rotation], [Scale] and [NonUniformScale]; a
// missing one means the identity. A child has [Parent] and [LocalToParent] as well.
//
// [LocalTransform] holds translation, rotation and a uniform scale in one component, and
// [PostTransformMatrix] adds a non-uniform scale or a shear; a child with LocalTransform needs no
// LocalToParent. An entity that lacks a necessary component, or has components of both sets, keeps
// the matrix that it has, without an error of the update: [ComputeLocalToWorld] and system.Warnings
// name the fault. If a component of another package joins the write group of LocalToWorld, that
// package computes the matrix of the entities that have the component and in which it is on.
//
// [PreviousParent] and [Children] belong to this package. Every component and system exists for
// float32 and for float64, from one generic source. The most common components have a short name in
// float32, and one that ends in 64 in float64. A child and its parent have the same width, or both
// widths.
//
// A parent needs LocalToWorld before it gets children. A child whose parent lacks it, or has only
// the other width, loses [Parent] and [LocalToParent] in the next update and is a root from then
// on, as if its parent did not exist. A parent that loses one of two widths later keeps its
// children, but their matrices of the lost width do not change any more, and are zero if they were
// never computed. The same is true for a child with both widths under a parent with one.
//
// # Systems
//
// The systems are in [Group], in the Simulation of every world that system.NewWorld or app.Play
// makes with the registered systems, if the program imports this package. A world of ecs.NewWorld
// has no systems, so its matrices do not change. The systems in their order:
//
//	Parents                  brings the lists of children up to date
//	TRSToLocalToWorldOf      composes the matrices of roots
//	LocalTransformToWorldOf  the same for roots with LocalTransform
//	TRSToLocalToParentOf     composes the local matrices of children
//	HierarchyOf              computes the world matrices of children
//
// If a program adds, changes or removes a Parent before the group runs, the matrices are right
// after the group has run. Matrices whose components have not changed are not computed again.
//
// Inactive entities and prefabs keep their matrices, and so do all entities below them, active or
// not. The matrix of an inactive root with LocalTransform is the one exception. All of them get the
// right matrices in the first update after they, and those above them, are active.
//
// A program may write a matrix directly. It stays until the entity's components change, its
// parent's matrix changes, or rows come to its chunk or leave it. To keep it longer, use a
// component in the write group of LocalToWorld (see above).
//
// # Promises
//
// Matrices have the same bits on every machine and for any number of workers. A chain of parents
// may be as long as memory allows, and a parent may have any number of children. Parents that form
// a cycle are reported and skipped. The steady state allocates nothing. After a world has gone back
// to an image, by a Restore, a rollback or a file, it computes the same matrices, and marks the
// same chunks as changed, as the first time.
//
// # Design
//
// The components from which a matrix is composed are its parts. Systems and [ComputeLocalToWorld]
// share one set of rules and one set of formulas, so that both give the same bits. The rules are
// terms of queries; they say from which parts an entity's matrix is composed. The formulas take
// inputs: the columns of a chunk, for a system, or one entity as a column of one row. The
// arithmetic for single matrices has the bits of the kernels; TestOneRow compares them.
//
// A component of another package that is in a write group claims the matrix of an entity. If it can
// be switched off, it may claim only some rows of a chunk; such a chunk is divided. A given matrix
// is one that no system computes.
//
// [Parents] turns Parent, which programs write, into lists of children and PreviousParent. The
// later systems read only PreviousParent, because it is consistent with the lists. The hierarchy
// has a plan. Its forest contains the roots with children, and the nodes, which are entities with a
// parent. The rows of a chunk are cut into segments of one level, if possible with all parents in
// one chunk. A stage is a list of segments whose parents are computed in earlier stages. It is
// divided into blocks; a worker takes a block and computes its segments in order.
//
// Three invariants hold:
//
//   - A matrix is written only if it may have changed, because writing a chunk marks it as changed for all readers.
//     A chunk that was not written may still have other rows than before, because rows move. During an update the plan's slices
//     stay valid, because a structural change waits for the jobs.
//   - A row is computed after its parent's row, in a later stage or later in the same block, and by one block only. Therefore no
//     two workers write the same row, none reads a row that another writes in the same stage, and the bits do not depend on the number
//     of workers.
//   - The forest is that of PreviousParent at the beginning of an update. Package internal/trees says how it is updated, and
//     lists its own invariants.
package transform
