//go:build !mpich

package mpi

var launcher = []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"}

const buildTags = "openmpi"

// codeOfKill is what mpirun ends with when a rank was killed.
const codeOfKill = 128 + 9
