package study

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var slurm = flag.Bool("study.slurm", false, "start SLURM and munge (Debian: slurm-wlm, munge), as root, and do a study on them")

var slurmKills = flag.Int("study.slurmkills", 1, "how many tasks of arrays the test of SLURM kills")

// TestSLURM kills a task of an array and its processes in the middle of a study. Another array does
// the missing runs, and the table must be the same as the table of one process. The script is the
// one in the guide.
//
// Conformance: 526
func TestSLURM(t *testing.T) {
	if !*slurm {
		t.Skip("needs SLURM: -study.slurm starts it (make engines)")
	}
	cluster := startCluster(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, alone := t.TempDir(), t.TempDir()
	seeds := 12 + 2**slurmKills // a task does about four runs before it is killed, once per array
	runs := 4 * seeds           // of 0.4 s, so that a task has not ended before it is killed
	design := []string{"pace=0.1:0.4:0.1", "ticks=20", "sleep=20000", "-seeds", fmt.Sprint(seeds)}
	must(t, append([]string{"sweep", "-out", alone, "-cores", "16"}, design...)...)
	must(t, append([]string{"sweep", "-plan", "-out", dir + "/first"}, design...)...)
	write(t, dir+"/job.sh", strings.ReplaceAll(pageOn(t, "#!/bin/sh\n#SBATCH"), "./epidemic", exe))

	jobs := 0
	for killed := 0; killed < *slurmKills; jobs++ {
		job := cluster.submit(t, dir)
		for _, task := range rand.Perm(4) {
			kept := func() int {
				b, _ := os.ReadFile(fmt.Sprintf("%s/first/worker-%d-of-4.log", dir, task))
				return bytes.Count(b, []byte("\nR "))
			}
			from := kept()
			wait(t, fmt.Sprintf("record of task %d", task), func() bool { return kept() > from || !cluster.has(job) })
			if kept() == seeds {
				t.Fatalf("task %d has done all its runs after %d kills: too few for a test", task, killed)
			}
			time.Sleep(rand.N(400 * time.Millisecond)) // any moment of the next run is valid
			if killed < *slurmKills && cluster.command("scancel", "--full", "--signal=KILL", fmt.Sprintf("%s_%d", job, task)).Run() == nil {
				killed++
			}
		}
		cluster.wait(t, job)
	}
	out, _, code := walkProgram(t, "table", "-out", dir+"/first")
	if have := strings.Count(out, "\n") - 1; have >= runs || have < runs/20 {
		t.Errorf("%d runs of %d have ended (exit %d): a task of the last array was killed", have, runs, code)
	}
	cluster.wait(t, cluster.submit(t, dir))
	t.Logf("killed %d tasks of %d arrays; %d runs", *slurmKills, jobs, runs)
	for _, table := range []string{"result", "where", "runs"} {
		want, _ := must(t, "table", "-out", alone, table)
		got, _ := must(t, "table", "-out", dir+"/first", table)
		if got != want || len(got) < runs*20 {
			t.Errorf("table %s has %d bytes, that of one process %d", table, len(got), len(want))
		}
	}
	said := ""
	names, _ := filepath.Glob(dir + "/slurm-*.out")
	for _, name := range names {
		said += read(t, name)
	}
	for i := range 4 {
		if want := fmt.Sprintf("task %d of the SLURM array 0-3:1: share %d/4\n", i, i); strings.Count(said, want) != jobs+1 {
			t.Errorf("no worker says %q %d times:\n%s", want, jobs+1, said)
		}
	}
	write(t, dir+"/job.sh", strings.ReplaceAll(read(t, dir+"/job.sh"), "--array=0-3", "--array=1,3,7"))
	cluster.wait(t, cluster.submit(t, dir))
	names, _ = filepath.Glob(dir + "/slurm-*_7.out")
	if len(names) != 1 || !strings.Contains(read(t, names[0]), "which is no range: say --array=0-2") {
		t.Errorf("--array=1,3,7: %v", names)
	}
}

// cluster is a SLURM cluster on this machine.
type cluster struct{ conf string }

// startCluster starts munge, SLURM's controller and a node in a directory of the test.
func startCluster(t *testing.T) *cluster {
	dir, err := os.MkdirTemp("", "slurm") // a short path, because it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	c := &cluster{conf: dir + "/slurm.conf"}
	write(t, c.conf, fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/ctld.pid
SlurmdPidFile=%[2]s/d.pid
SlurmctldLogFile=%[2]s/ctld.log
SlurmdLogFile=%[2]s/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=%[5]d State=UNKNOWN
PartitionName=test Nodes=%[1]s Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
`, host, dir, freePort(t), freePort(t), runtime.NumCPU()))
	write(t, dir+"/munge.key", strings.Repeat("a key of this test alone. ", 8))
	if err := errors.Join(os.Chmod(dir+"/munge.key", 0o600), os.Mkdir(dir+"/state", 0o755), os.Mkdir(dir+"/spool", 0o755)); err != nil {
		t.Fatal(err)
	}
	var running []func()
	t.Cleanup(func() {
		for i := len(running) - 1; i >= 0; i-- {
			running[i]()
		}
		if t.Failed() {
			t.Logf("slurmctld:\n%s\nslurmd:\n%s", tailOf(dir+"/ctld.log"), tailOf(dir+"/d.log"))
		}
		_ = os.RemoveAll(dir)
	})
	for _, args := range [][]string{
		{"munged", "--foreground", "--force", "--socket=" + dir + "/munge.socket", "--key-file=" + dir + "/munge.key", "--pid-file=" + dir + "/munge.pid", "--seed-file=" + dir + "/munge.seed", "--log-file=" + dir + "/munge.log"},
		{"slurmctld", "-D", "-f", c.conf},
		{"slurmd", "-D", "-f", c.conf},
	} {
		ctx, stop := context.WithCancel(context.Background())
		name, err := exec.LookPath(args[0])
		if err != nil {
			name = "/usr/sbin/" + args[0]
		}
		cmd := exec.CommandContext(ctx, name, args[1:]...)
		cmd.Env = append(os.Environ(), "SLURM_CONF="+c.conf)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 10 * time.Second
		if err := cmd.Start(); err != nil {
			stop()
			t.Fatal(err)
		}
		running = append(running, func() {
			stop()
			_ = cmd.Wait()
		})
		if args[0] == "munged" {
			wait(t, "munge", func() bool { _, err := os.Stat(dir + "/munge.socket"); return err == nil })
		}
	}
	wait(t, "SLURM", func() bool {
		out, err := c.command("sinfo", "-h", "-o", "%t").Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle"
	})
	return c
}

func (c *cluster) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "SLURM_CONF="+c.conf, "LANEWISE_STUDY_TEST=walk")
	return cmd
}

// ask runs a SLURM command.
func (c *cluster) ask(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.command(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// submit submits the job in a directory and returns its number.
func (c *cluster) submit(t *testing.T, dir string) string {
	t.Helper()
	return c.ask(t, "sbatch", "--parsable", "-D", dir, dir+"/job.sh")
}

// wait waits until a job has ended.
func (c *cluster) wait(t *testing.T, job string) {
	t.Helper()
	wait(t, "end of job "+job, func() bool { return !c.has(job) })
}

// has reports whether a job is still running.
func (c *cluster) has(job string) bool {
	out, err := c.command("squeue", "-h", "-j", job).Output()
	if err != nil { // the job is forgotten after a while; a busy controller gives another message
		exit := new(exec.ExitError)
		return !errors.As(err, &exit) || !bytes.Contains(exit.Stderr, []byte("Invalid job id"))
	}
	return len(bytes.TrimSpace(out)) > 0
}

// wait waits for an event, and fails if it does not come within the time limit.
func wait(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !happened(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("two minutes, and no %s", what)
		}
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// tailOf returns the end of a log.
func tailOf(name string) string {
	b, _ := os.ReadFile(name)
	return string(b[max(0, len(b)-3000):])
}
