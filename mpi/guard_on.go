//go:build lanewise_guard

package mpi

const guard = true
