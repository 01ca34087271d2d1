package mpi

import (
	"reflect"
)

// Hash returns the hash of all rows of all ranks, with all components except
// the given ones. Hash equals [ecs.Query.HashRows] over one world with the same rows, so it
// does not depend on the distribution of rows.
func (d *Domain[T]) Hash(except ...reflect.Type) (uint64, error) {
	const op = "Hash"
	h, err := d.own.HashRows(d.split.ID, except...)
	if err != nil {
		return 0, d.comm.fail(op, err)
	}
	v := []int64{int64(h)}
	if err := d.comm.wait(op, d.comm.wire.Sum(v)); err != nil {
		return 0, err
	}
	return uint64(v[0]), nil
}

// Rows returns the number of rows of the world, on all ranks.
func (d *Domain[T]) Rows() (int64, error) {
	v := []int64{int64(d.own.Count())}
	err := d.comm.SumInts(v)
	return v[0], err
}
