package study

import (
	"fmt"
	"strconv"
)

// What engines say to a process about its place among others: SLURM's arrays and steps,
// Kubernetes' indexed jobs, the ranks of MPI. A worker that is given no -shard takes its share
// from there.

// shardsVariable is how many workers there are, where an engine does not tell.
const shardsVariable = "STUDY_SHARDS"

// member is where a process is among those of one engine.
type member struct {
	share Share
	by    string // what said so
}

// shareIn finds the share of a process in its environment; all runs, of no engine, if none has
// started it. An array of tasks that have ranks each is both: shares of shares.
func shareIn(env func(string) string) (member, error) {
	whole := member{share: Share{0, 1}}
	outer, err := firstOf(env, slurmArray, kubernetes)
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
	return member{Share{outer.share.Index*inner.share.Count + inner.share.Index, outer.share.Count * inner.share.Count}, outer.by + ", " + inner.by}, nil
}

// firstOf asks engines in turn.
func firstOf(env func(string) string, engines ...func(func(string) string) (*member, error)) (*member, error) {
	for _, e := range engines {
		if p, err := e(env); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// slurmArray understands a task of sbatch --array. SLURM tells the least and the greatest index,
// their distance, and how many there are: a list like 1,3,7 has no distance, and is refused.
func slurmArray(env func(string) string) (*member, error) {
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
	return &member{Share{(id - lo) / by, all}, fmt.Sprintf("task %d of the SLURM array %d-%d:%d", id, lo, hi, by)}, nil
}

// slurmStep understands a task of srun. The script of sbatch is one process, whatever its number of
// tasks: it would do one share of them and no worker the others.
func slurmStep(env func(string) string) (*member, error) {
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

// kubernetes understands a pod of an indexed job. Kubernetes does not tell how many there are.
func kubernetes(env func(string) string) (*member, error) {
	const index = "JOB_COMPLETION_INDEX"
	if env(index) == "" {
		return nil, nil
	}
	if env(shardsVariable) == "" {
		return nil, fmt.Errorf("%s is %s, and %s is not set: give it the job's completions, or the worker its -shard", index, env(index), shardsVariable)
	}
	return ranks(index, shardsVariable)(env)
}

// ranks understands two variables, a place and how many there are.
func ranks(rank, size string) func(func(string) string) (*member, error) {
	return func(env func(string) string) (*member, error) {
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
		return &member{Share{n[0], n[1]}, fmt.Sprintf("%s %d of %s %d", rank, n[0], size, n[1])}, nil
	}
}

// numbersOf reads variables that must be numbers.
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
