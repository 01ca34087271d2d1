package host

import (
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/transform"
	"github.com/lanewise/lanewise/kernels"
)

// NodeOf is an object that has child objects, such as a node of a scene graph.
type NodeOf[T kernels.Float] interface {
	ObjectOf[T]

	// Children yields the child nodes in order. A nil result means that there are no children.
	Children() iter.Seq[NodeOf[T]]
}

// These are the node types for float32 and float64.
type (
	Node   = NodeOf[float32]
	Node64 = NodeOf[float64]
)

// Components is implemented by nodes that add components to the entities of [Convert].
type Components interface{ Components() []any }

// Convert creates an entity for each node of a tree, and binds the node to its entity. Each entity
// gets LocalToWorld and [CopyInitialTransform], and each entity except the root gets Parent.
// Therefore each entity is at the place of its node from the next frame on. Each entity also gets
// the [Components] of its node. For example, with LocalToParent and Translation, the entity
// follows its parent and starts at the place of the node.
//
// Convert returns the entities in the order in which it visited the nodes. Each parent comes before
// its children. If Convert returns an error, nothing has changed. Convert returns an error in four
// cases: a node is nil, not alive or not comparable; a node is in the tree twice; a node is already
// bound to an entity; or its components are not valid. The error contains the node's index in the
// order of the visits, its type, and its name if the node has a method Name or String.
func Convert[T kernels.Float](w *ecs.World, root NodeOf[T]) ([]ecs.Entity, error) {
	if err := requireWorld("Convert", w); err != nil {
		return nil, err
	}
	list, err := collectNodes(w, root)
	if err != nil {
		return nil, err
	}
	if err := dryRun(list); err != nil {
		return nil, err
	}
	entities := make([]ecs.Entity, 0, len(list))
	for i, v := range list {
		parent := ecs.Entity{}
		if v.parentIndex >= 0 {
			parent = entities[v.parentIndex]
		}
		e, err := spawn(w, v.components(parent))
		if err != nil {
			return nil, errors.Join(v.nodeError(i, "%w", err), ecs.DestroyAll(w, ecs.Entities(entities)))
		}
		entities = append(entities, e)
	}
	for i, e := range entities {
		bindingsOf[T](w).bindObject(e, list[i].node)
	}
	return entities, nil
}

// visitedNode is a node of a tree that Convert has visited.
type visitedNode[T kernels.Float] struct {
	node        NodeOf[T]
	parentIndex int // index of its parent in the list, or -1
}

// components returns the components that the node's entity gets.
func (v visitedNode[T]) components(parent ecs.Entity) []any {
	values := []any{transform.LocalToWorldOf[T]{M: v.node.WorldMatrix()}, Bound{}, CopyInitialTransform{}}
	if v.parentIndex >= 0 {
		values = append(values, transform.Parent{Entity: parent})
	}
	if more, ok := v.node.(Components); ok {
		values = append(values, more.Components()...)
	}
	return values
}

// nodeError returns an error that describes the node. i is the index of the node in the list.
func (v visitedNode[T]) nodeError(i int, format string, args ...any) error {
	return fmt.Errorf("host: Convert: node %d, %s: "+format, append([]any{i, describe(v.node)}, args...)...)
}

// nilNodeError returns the error of a nil node. The error names the parent.
func (v visitedNode[T]) nilNodeError(list []visitedNode[T]) error {
	if v.parentIndex < 0 {
		return fmt.Errorf("host: Convert: node 0 is nil: %w", ecs.ErrArgument)
	}
	return list[v.parentIndex].nodeError(v.parentIndex, "one of its children is nil: %w", ecs.ErrArgument)
}

// collectNodes lists the nodes of a tree, each parent before its children.
func collectNodes[T kernels.Float](w *ecs.World, root NodeOf[T]) (list []visitedNode[T], err error) {
	t := bindingsOf[T](w)
	seen := map[NodeOf[T]]int{}
	open := []visitedNode[T]{{root, -1}}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		at, first := len(list), len(open)
		if isNil(v.node) {
			return nil, v.nilNodeError(list)
		}
		if !reflect.ValueOf(v.node).Comparable() {
			return nil, v.nodeError(at, "it cannot be told from another: let nodes be pointers: %w", ecs.ErrArgument)
		}
		if before, ok := seen[v.node]; ok {
			return nil, v.nodeError(at, "it stands in the tree twice, the first time as node %d: %w", before, ecs.ErrArgument)
		}
		if owner, ok := t.ownerOf(w, v.node); ok {
			return nil, v.nodeError(at, "it is bound to entity %v: Unbind lets it go: %w", owner, ecs.ErrState)
		}
		if !v.node.Alive() {
			return nil, v.nodeError(at, "it is gone: %w", ecs.ErrDisposed)
		}
		seen[v.node] = at
		list = append(list, v)
		if children := v.node.Children(); children != nil {
			for child := range children {
				open = append(open, visitedNode[T]{child, at})
			}
		}
		for i, j := first, len(open)-1; i < j; i, j = i+1, j-1 {
			open[i], open[j] = open[j], open[i] // put the first child on top of the stack, so that it is visited next
		}
	}
	return list, nil
}

// dryRun creates the entities in a temporary world, so that errors are found before w changes.
func dryRun[T kernels.Float](list []visitedNode[T]) (err error) {
	w := ecs.NewWorld("dry run of Convert")
	defer func() { err = errors.Join(err, w.Close()) }()
	for i, v := range list {
		if _, err := spawn(w, v.components(ecs.Entity{})); err != nil {
			return v.nodeError(i, "%w", err)
		}
	}
	return nil
}

// spawn calls World.Spawn, and returns a panic as an error.
func spawn(w *ecs.World, values []any) (e ecs.Entity, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *ecs.Error:
			err = v
		default:
			panic(v)
		}
	}()
	return w.Spawn(values...), nil
}
