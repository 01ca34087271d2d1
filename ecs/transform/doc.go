// Package transform computes the matrices of entities. The package composes translation, rotation and
// scale to LocalToWorld, along the chain of an entity's parents.
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
// Hamilton's product. Matrices are in column-major order and multiply column vectors:
//
//	LocalToWorld  = translation × rotation × scale                 of a root
//	LocalToParent = translation × rotation × scale                 of a child
//	LocalToWorld  = the parent's LocalToWorld × LocalToParent      of a child
//
// # Components
//
// A root has [LocalToWorld] and any of [Translation], [Rotation], [Scale] and [NonUniformScale]. A
// missing component means the identity. A child also has [Parent] and [LocalToParent].
//
// [LocalTransform] holds translation, rotation and a uniform scale in one component, and
// [PostTransformMatrix] adds a non-uniform scale or a shear. A child with LocalTransform needs no
// LocalToParent. If an entity lacks a necessary component, or has components of both sets, it keeps
// its matrix, and the update returns no error. [ComputeLocalToWorld] and system.Warnings report the
// fault. If a component of another package belongs to the write group of LocalToWorld, that package
// must compute the matrices of the entities whose component is enabled.
//
// Programs must not change [PreviousParent] and [Children]. Each component and system is one
// generic type, which exists for float32 and for float64. For the most common components there is a
// short name for float32, and a name that ends in 64 for float64. A child and its parent must have
// the same width, or both must have both widths.
//
// A parent needs LocalToWorld before it gets children. A child loses [Parent] and [LocalToParent]
// in the next update if its parent has no LocalToWorld, or only the LocalToWorld of the other
// width. From then on it is a root, as if its parent did not exist. If a parent has both widths and
// later loses one of them, it keeps its children. From then on, the children's matrices of the lost
// width do not change. If matrices of the lost width were never computed, they are zero. A child
// that has both widths also keeps its matrices of one width if its parent has only the other width.
//
// # Systems
//
// The systems are in [Group]. If the program imports this package, Group is in the Simulation of
// every world that system.NewWorld or app.Play creates with the registered systems. A world of
// ecs.NewWorld has no systems, so its matrices do not change. These are the systems in their order:
//
//	Parents                  brings the lists of children up to date
//	TRSToLocalToWorldOf      composes the matrices of roots
//	LocalTransformToWorldOf  the same for roots with LocalTransform
//	TRSToLocalToParentOf     composes the local matrices of children
//	HierarchyOf              computes the world matrices of children
//
// If a program adds, changes or removes a Parent before the group runs, the matrices are correct
// after the group has run. Matrices whose components have not changed are not recomputed.
//
// Inactive entities and prefabs keep their matrices, except for an inactive root with
// LocalTransform. All entities below them also keep their matrices, active or not. Inactive
// entities, prefabs and the entities below them get the correct matrices in the first update after
// they and their ancestors are active.
//
// A program may write a matrix directly. The matrix stays until the entity's components change, its
// parent's matrix changes, or rows are added to or removed from its chunk. To keep it longer, use a
// component in the write group of LocalToWorld (see above).
//
// # Promises
//
// Matrices are bit for bit the same on every machine and for any number of workers. A chain of
// parents may be as long as memory allows, and a parent may have any number of children. Parents
// that form a cycle are reported and skipped. In the steady state, the systems allocate nothing.
// After a Restore, a rollback, or a load from a file, the world computes the same matrices as the
// first time, and marks the same chunks as changed.
//
// # Design
//
// The components from which a matrix is composed are its parts. Systems and [ComputeLocalToWorld]
// use the same rules and the same formulas, so that both compute the same bits. The rules are terms
// of queries. They say from which parts an entity's matrix is composed. The formulas read inputs.
// For a system, the inputs are the columns of a chunk. For ComputeLocalToWorld, the input is one
// entity, which is handled as columns of one row. The functions for single matrices compute the
// same bits as the kernels. TestOneRow compares them.
//
// A component of another package that is in a write group claims the matrix of an entity. If the
// component can be disabled, it may claim only some rows of a chunk. Such a chunk is called
// divided. A given matrix is one that no system computes.
//
// [Parents] converts Parent, which programs write, to lists of children and PreviousParent. The
// later systems read only PreviousParent, because it is consistent with the lists. The hierarchy
// computes matrices according to a plan. The plan contains a forest of roots and nodes. A root of
// the forest is an entity that has children and no parent. A node is an entity with a parent. The
// rows of a chunk are cut into segments. All rows of a segment have the same depth in their
// trees. If possible, all their parents are in one chunk. A stage is a list of segments whose
// parents are computed in earlier stages. A stage is divided into blocks. A worker takes a block
// and computes its segments in order.
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
