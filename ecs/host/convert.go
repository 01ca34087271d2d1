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

// NodeOf is an object with objects below it.
type NodeOf[T kernels.Float] interface {
	ObjectOf[T]

	// Children yields the nodes below, in order. Nil means that there are none.
	Children() iter.Seq[NodeOf[T]]
}

// Nodes in both widths.
type (
	Node   = NodeOf[float32]
	Node64 = NodeOf[float64]
)

// Components is implemented by nodes whose entities have more than the
// components that Convert gives them.
type Components interface{ Components() []any }

// Convert makes an entity of each node of a tree: with LocalToWorld, with Parent
// if it is not the root, bound to the node, and with [CopyInitialTransform], so
// that it is where the node is from the next frame on. [Components] of a node
// come to that: with LocalToParent and Translation, say, it follows its parent
// from where the node is.
//
// It returns the entities in the order in which it met the nodes: each before
// those below it. After an error nothing has changed: a node is nil, is not
// alive, cannot be compared, stands in the tree twice, or has components that are
// none.
func Convert[T kernels.Float](w *ecs.World, root NodeOf[T]) ([]ecs.Entity, error) {
	list, err := collect(root)
	if err != nil {
		return nil, err
	}
	if err := rehearse(list); err != nil {
		return nil, err
	}
	entities := make([]ecs.Entity, 0, len(list))
	for i, v := range list {
		parent := ecs.Entity{}
		if v.parent >= 0 {
			parent = entities[v.parent]
		}
		e, err := spawn(w, v.values(parent))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("host: Convert: node %d: %w", i, err), w.DestroyAll(entities))
		}
		entities = append(entities, e)
	}
	for i, e := range entities {
		tableOf[T](w).put(e, list[i].node)
	}
	return entities, nil
}

// visit is a node on the way through a tree.
type visit[T kernels.Float] struct {
	node   NodeOf[T]
	parent int // its place in the list, or -1
}

// values are the components of the node's entity.
func (v visit[T]) values(parent ecs.Entity) []any {
	values := []any{transform.LocalToWorldOf[T]{M: v.node.WorldMatrix()}, Bound{}, CopyInitialTransform{}}
	if v.parent >= 0 {
		values = append(values, transform.Parent{Entity: parent})
	}
	if more, ok := v.node.(Components); ok {
		values = append(values, more.Components()...)
	}
	return values
}

// collect lists the nodes of a tree, each before those below it.
func collect[T kernels.Float](root NodeOf[T]) (list []visit[T], err error) {
	seen := map[NodeOf[T]]bool{}
	open := []visit[T]{{root, -1}}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		switch {
		case v.node == nil:
			return nil, fmt.Errorf("host: Convert: node %d is nil: %w", len(list), ecs.ErrArgument)
		case !reflect.ValueOf(v.node).Comparable():
			return nil, fmt.Errorf("host: Convert: node %d is a %T, of which one cannot be told from another: let nodes be pointers: %w", len(list), v.node, ecs.ErrArgument)
		case seen[v.node]:
			return nil, fmt.Errorf("host: Convert: node %d stands in the tree twice: %w", len(list), ecs.ErrArgument)
		case !v.node.Alive():
			return nil, fmt.Errorf("host: Convert: node %d is gone: %w", len(list), ecs.ErrDisposed)
		}
		seen[v.node] = true
		at, first := len(list), len(open)
		list = append(list, v)
		if children := v.node.Children(); children != nil {
			for child := range children {
				open = append(open, visit[T]{child, at})
			}
		}
		for i, j := first, len(open)-1; i < j; i, j = i+1, j-1 {
			open[i], open[j] = open[j], open[i] // the first child is next
		}
	}
	return list, nil
}

// rehearse spawns the entities in a world that is thrown away, to find out whether
// it can be done.
func rehearse[T kernels.Float](list []visit[T]) (err error) {
	w := ecs.NewWorld("rehearsal of Convert")
	defer func() { err = errors.Join(err, w.Close()) }()
	for i, v := range list {
		if _, err := spawn(w, v.values(ecs.Entity{})); err != nil {
			return fmt.Errorf("host: Convert: node %d: %w", i, err)
		}
	}
	return nil
}

// spawn is World.Spawn with an error in the place of its panic.
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
