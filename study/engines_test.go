package study

import (
	"fmt"
	"strings"
	"testing"
)

// environment returns a lookup function for these variables, for example "A=1 B=2".
func environment(text string) func(string) string {
	set := map[string]string{}
	for _, f := range strings.Fields(text) {
		name, value, _ := strings.Cut(f, "=")
		set[name] = value
	}
	return func(name string) string { return set[name] }
}

// array returns the variables that SLURM sets for a task of an array.
func array(id, lo, hi, step, count int) string {
	return fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d SLURM_ARRAY_TASK_MIN=%d SLURM_ARRAY_TASK_MAX=%d SLURM_ARRAY_TASK_STEP=%d SLURM_ARRAY_TASK_COUNT=%d SLURM_PROCID=0 SLURM_NTASKS=1", id, lo, hi, step, count)
}

// TestShareIn checks that the study derives the share from the variables of each engine, or returns an error with a
// remedy.
func TestShareIn(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"", "0/1 "},
		{array(0, 0, 3, 1, 4), "0/4 task 0 of the SLURM array 0-3:1"},
		{array(7, 1, 10, 3, 4), "2/4 task 7 of the SLURM array 1-10:3"},
		{array(5, 5, 5, 1, 1), "0/1 task 5 of the SLURM array 5-5:1"},
		{array(3, 1, 7, 1, 3), "the array has 3 tasks from 1 to 7 (SLURM_ARRAY_TASK_STEP is 1), which is no range: say --array=0-2, or give each task its -shard"},
		{array(3, 1, 7, 2, 3), "which is no range: say --array=0-2"},
		{array(2, 1, 7, 2, 4), "SLURM_ARRAY_TASK_ID is 2, which is none of 1-7:2"},
		{"SLURM_ARRAY_TASK_ID=3", `SLURM_ARRAY_TASK_MIN is "", not a number`},
		{"SLURM_PROCID=2 SLURM_NTASKS=5 SLURM_STEP_NUM_TASKS=5", "2/5 SLURM_PROCID 2"},
		{"SLURM_PROCID=0 SLURM_NTASKS=1", "0/1 "},
		{"SLURM_PROCID=0 SLURM_NTASKS=4", "start the worker with srun, or say -shard 0/1"},
		{"SLURM_PROCID=0 SLURM_NTASKS=x", "SLURM_NTASKS is \"x\""},
		{"SLURM_PROCID=4 SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID is 4 and SLURM_STEP_NUM_TASKS is 4: no share"},
		{"JOB_COMPLETION_INDEX=3 STUDY_SHARDS=8", "3/8 JOB_COMPLETION_INDEX 3"},
		{"JOB_COMPLETION_INDEX=3", "STUDY_SHARDS is not set: give it the job's completions"},
		{"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 SLURM_NTASKS=3", "1/3 OMPI"},
		{"PMI_RANK=2 PMI_SIZE=3", "2/3 PMI_RANK 2"},
		{"PMI_RANK=-1 PMI_SIZE=3", "no share is that"},
		{array(2, 0, 3, 1, 4) + " SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2", "5/8 task 2 of the SLURM array 0-3:1, SLURM_PROCID 1"},
		{array(2, 0, 3, 1, 4) + " SLURM_NTASKS=2", "start the worker with srun"},
	} {
		p, err := shareIn(environment(c.env))
		got := fmt.Sprintf("%v %s", p.share, p.variable)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || c.want == "0/1 " && got != c.want {
			t.Errorf("%s: %s, want %s", c.env, got, c.want)
		}
	}
	for _, n := range []int{1, 3, 64} { // every task gets a different share
		seen := map[Share]bool{}
		for i := range n {
			for r := range 3 {
				p, err := shareIn(environment(array(10+5*i, 10, 10+5*(n-1), 5, n) + fmt.Sprintf(" PMI_RANK=%d PMI_SIZE=3", r)))
				if err != nil || p.share.Count != 3*n || seen[p.share] {
					t.Errorf("task %d of %d, rank %d: %v, %v", i, n, r, p.share, err)
				}
				seen[p.share] = true
			}
		}
	}
}
