//go:build mpich

package mpi

var launcher = []string{"mpirun.mpich"}

const buildTags = "mpich"

// codeOfKill is the exit code of mpirun after a rank was killed.
const codeOfKill = 9
