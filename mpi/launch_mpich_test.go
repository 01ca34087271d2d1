//go:build mpich

package mpi

var launcher = []string{"mpirun.mpich"}

const buildTags = "mpich"

// codeOfKill is what mpirun ends with when a rank was killed.
const codeOfKill = 9
