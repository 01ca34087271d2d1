package study

import (
	"fmt"
	"strconv"
)

// Batch systems start many processes, and tell each process its index in environment variables.
// Examples are SLURM's arrays and steps, Kubernetes' indexed jobs, and MPI. A worker without the
// flag -shard derives its share from these variables.

// shardsVariable is the environment variable that holds the number of workers, for batch systems
// that do not set it.
const shardsVariable = "STUDY_SHARDS"

// batchShare is the position of a process among those that one batch system has
// started.
type batchShare struct {
	share    Share
	variable string // the variable that it is from
}

// shareIn returns the share of a process according to its environment. If no batch system has
// started the process, the share is all runs. If an array of tasks has ranks in each task, both
// the array and the ranks divide the runs: each rank does a share of the share of its task.
func shareIn(env func(string) string) (batchShare, error) {
	whole := batchShare{share: Share{0, 1}}
	outer, err := firstOf(env, slurmArray, readKubernetes)
	if err != nil {
		return whole, err
	}
	inner, err := firstOf(env, ranks("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ranks("PMI_RANK", "PMI_SIZE"), slurmStep)
	switch {
	case err != nil:
		return whole, err
	case outer == nil && inner == nil:
		return whole, nil
	case inner == nil:
		return *outer, nil
	case outer == nil:
		return *inner, nil
	}
	return batchShare{Share{outer.share.Index*inner.share.Count + inner.share.Index, outer.share.Count * inner.share.Count}, outer.variable + ", " + inner.variable}, nil
}

// firstOf returns the result of the first batch system that has started this process.
func firstOf(env func(string) string, engines ...func(func(string) string) (*batchShare, error)) (*batchShare, error) {
	for _, e := range engines {
		if p, err := e(env); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// slurmArray reads the variables of a task of sbatch --array. SLURM sets the
// smallest and the largest index, their step, and the count. A list like 1,3,7
// has no step, and slurmArray refuses it.
func slurmArray(env func(string) string) (*batchShare, error) {
	const task, least, most, step, count = "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT"
	if env(task) == "" {
		return nil, nil
	}
	n, err := numbersOf(env, task, least, most, step, count)
	if err != nil {
		return nil, err
	}
	id, lo, hi, by, all := n[0], n[1], n[2], max(n[3], 1), n[4]
	if (hi-lo)%by != 0 || (hi-lo)/by+1 != all {
		return nil, fmt.Errorf("the array has %d tasks from %d to %d (%s is %d), which is no range: say --array=0-%d, or give each task its -shard", all, lo, hi, step, by, all-1)
	}
	if id < lo || id > hi || (id-lo)%by != 0 {
		return nil, fmt.Errorf("%s is %d, which is none of %d-%d:%d: give each task its -shard", task, id, lo, hi, by)
	}
	return &batchShare{Share{(id - lo) / by, all}, fmt.Sprintf("task %d of the SLURM array %d-%d:%d", id, lo, hi, by)}, nil
}

// slurmStep reads the variables of a task of srun. It refuses to run in the script of sbatch,
// because the script is one process for any number of tasks. Such a process would do one share,
// and no worker would do the other shares.
func slurmStep(env func(string) string) (*batchShare, error) {
	if env("SLURM_STEP_NUM_TASKS") != "" {
		return ranks("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")(env)
	}
	if env("SLURM_PROCID") == "" || env("SLURM_NTASKS") == "" {
		return nil, nil
	}
	n, err := numbersOf(env, "SLURM_NTASKS")
	if err == nil && n[0] > 1 {
		err = fmt.Errorf("SLURM_NTASKS is %d, and this is the one process of the script: start the worker with srun, or say -shard 0/1", n[0])
	}
	return nil, err
}

// readKubernetes reads the variables of a pod of an indexed job. Kubernetes does
// not set the count.
func readKubernetes(env func(string) string) (*batchShare, error) {
	const index = "JOB_COMPLETION_INDEX"
	if env(index) == "" {
		return nil, nil
	}
	if env(shardsVariable) == "" {
		return nil, fmt.Errorf("%s is %s, and %s is not set: give it the job's completions, or the worker its -shard", index, env(index), shardsVariable)
	}
	return ranks(index, shardsVariable)(env)
}

// ranks returns a function that reads a process's rank and the number of ranks from two variables.
func ranks(rank, size string) func(func(string) string) (*batchShare, error) {
	return func(env func(string) string) (*batchShare, error) {
		if env(rank) == "" {
			return nil, nil
		}
		n, err := numbersOf(env, rank, size)
		if err != nil {
			return nil, err
		}
		if n[0] < 0 || n[0] >= n[1] {
			return nil, fmt.Errorf("%s is %d and %s is %d: no share is that: give the worker its -shard", rank, n[0], size, n[1])
		}
		return &batchShare{Share{n[0], n[1]}, fmt.Sprintf("%s %d of %s %d", rank, n[0], size, n[1])}, nil
	}
}

// numbersOf reads variables whose values must be numbers.
func numbersOf(env func(string) string, names ...string) ([]int, error) {
	list := make([]int, len(names))
	for i, name := range names {
		n, err := strconv.Atoi(env(name))
		if err != nil {
			return nil, fmt.Errorf("%s is %q, not a number: give the worker its -shard", name, env(name))
		}
		list[i] = n
	}
	return list, nil
}
