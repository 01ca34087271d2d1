//go:build !mpich

package mpi

var launcher = []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"}

const buildTags = "openmpi"

// codeOfKill is the exit code of mpirun after a rank was killed.
const codeOfKill = 128 + 9
