package ecs

import "reflect"

// internAll interns those of the values given that are shared components of a, in
// the order of its stores.
func (w *catalog) internAll(op string, a *archetype, given []any) (values [maxShared]int32, err error) {
	for k, s := range a.stores {
		for _, v := range given {
			if reflect.TypeOf(v) != s.comp.typ {
				continue
			}
			if values[k], err = w.intern(op, s, v); err != nil {
				return values, err
			}
		}
	}
	return values, nil
}

// commitWith begins a structural change of archetype a, which has shared components:
// it interns those of the values given that are, and returns their group.
func (w *catalog) commitWith(op string, a *archetype, given []any) (*group, error) {
	var values [maxShared]int32
	err := w.interning(func() (err error) {
		if values, err = w.internAll(op, a, given); err != nil {
			return err
		}
		return w.commit(op)
	})
	if err != nil {
		return nil, err
	}
	return a.groups.of(values[:a.shared]), nil
}
