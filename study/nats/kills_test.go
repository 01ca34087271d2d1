package nats

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

var kills = flag.Int("study.kills", 3, "how often the test of random kills kills")

// TestKillsAtRandom kills workers and coordinators at random moments and starts a successor for each.
// The tables must be the same as the tables of one process.
//
// Conformance: 528, 529
func TestKillsAtRandom(t *testing.T) {
	runs := 4 * (10 + 2**kills) // a kill takes less than about 6 runs, so runs are always left
	dir, alone := plan(t, "pace=0.1:0.4:0.1", "sleep=2000", "-seeds", fmt.Sprint(runs/4))
	addr := freeAddr(t)
	serve := func() *program {
		p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", addr, "-lease", "500ms", "-block", "60ms", "-progress", "none")
		p.hear(t, "join with: join -at nats://"+addr)
		return p
	}
	join := func() *program {
		return begin(t, self(t), nil, "join", "-at", "nats://"+addr, "-cores", "2")
	}
	kept := func() int {
		b, _ := os.ReadFile(dir + "/worker-collector.log")
		return bytes.Count(b, []byte("\nR "))
	}
	all := []*program{serve(), join(), join()} // the coordinator and two workers
	killed := [3]int{}
	for range *kills {
		victim := rand.IntN(len(all))
		from, more := kept(), rand.IntN(5)
		for end := time.Now().Add(2 * time.Minute); kept() < from+more; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("two minutes, and no %d results more after kills %v:\n%s", more, killed, all[0].all)
			}
		}
		time.Sleep(rand.N(30 * time.Millisecond)) // any moment is valid
		_ = all[victim].Process.Signal(syscall.SIGKILL)
		all[victim].end(t, -1) // not 0, because it did not end by itself
		if victim == 0 {
			all[0] = serve()
		} else {
			all[victim] = join()
		}
		killed[victim]++
	}
	said := all[0].end(t, 0)
	if !strings.Contains(said, fmt.Sprintf("%d of %d runs have ended", runs, runs)) {
		t.Errorf("the last coordinator says\n%s", said)
	}
	all[1].end(t, 0)
	all[2].end(t, 0)
	compareTables(t, dir, alone)
	t.Logf("killed %d coordinators and %d workers; %d runs, tables byte for byte those of one process", killed[0], killed[1]+killed[2], runs)
}
