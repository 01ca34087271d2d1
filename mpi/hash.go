package mpi

import (
	"reflect"
)

// Hash is the hash of all rows of the world, those of all ranks: with all they have, the values of the components of except left
// out. It is that of [ecs.Query.HashRows] over one world with the same rows, so it does not depend on which rank has which.
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

// Rows is how many rows the world has, on all ranks.
func (d *Domain[T]) Rows() (int64, error) {
	v := []int64{int64(d.own.Count())}
	err := d.comm.SumInts(v)
	return v[0], err
}
