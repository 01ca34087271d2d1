package transform_test

import "github.com/lanewise/lanewise/ecs"

// tree returns e and all entities below it.
func (m *model[T]) tree(e ecs.Entity) []ecs.Entity {
	tree := []ecs.Entity{e}
	for _, id := range m.ids {
		if id != e && m.isBelow(id, e) {
			tree = append(tree, id)
		}
	}
	return tree
}

// copyTree makes two copies of e and of all entities below it, as a linked group.
func (m *model[T]) copyTree(e ecs.Entity) {
	tree := m.tree(e)
	if len(tree) > 40 {
		return
	}
	group := make([]ecs.Linked, len(tree))
	for i, id := range tree {
		group[i].Entity = id
	}
	m.ok(ecs.Add(m.w, e, ecs.BufferOf(group...)))
	copies, err := m.w.Instantiate(e, 2)
	m.ok(err)
	for _, c := range copies {
		m.addTree(tree, c)
		m.unlink(c)
	}
	m.unlink(e)
	m.linked += len(tree) - 1
}

// addTree adds the group of c, which is a copy of tree, to the model.
func (m *model[T]) addTree(tree []ecs.Entity, c ecs.Entity) {
	group, err := ecs.GetBuffer[ecs.Linked](m.w, c)
	m.ok(err)
	if group.Len() != len(tree) || group.Slice()[0].Entity != c {
		m.Fatalf("the copy %v of %v is of the group %v", c, tree, group.Slice())
	}
	copyOf := map[ecs.Entity]ecs.Entity{}
	for i, l := range group.Slice() {
		copyOf[tree[i]] = l.Entity
	}
	for _, id := range tree {
		n := *m.node[id]
		if p, ok := copyOf[n.parent]; ok {
			n.parent = p
		}
		m.add(copyOf[id], &n)
	}
}

// unlink removes e from its linked group, so that destroying e does not destroy the other entities of
// the group.
func (m *model[T]) unlink(e ecs.Entity) {
	_, err := ecs.Remove[ecs.LinkedGroup](m.w, e)
	m.ok(err)
}
