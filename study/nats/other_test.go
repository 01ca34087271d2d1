package nats

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// TestAnotherStudy has a worker outlive its coordinator and find the coordinator of another study at
// the same address. The worker must end, and none of its results may enter the other study.
func TestAnotherStudy(t *testing.T) {
	one := t.TempDir()
	must(t, "sweep", "-plan", "-out", one, "pace=0.1:0.4:0.1", "sleep=4000", "-seeds", "20")
	two, alone := plan(t, "pace=1:4:1", "sleep=1000", "-seeds", "20")
	addr := freeAddr(t)
	serve := func(dir string) *program {
		p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", addr, "-block", "0", "-progress", "none")
		p.hear(t, "join with: join -at nats://"+addr)
		return p
	}
	first := serve(one)
	stays := begin(t, self(t), nil, "join", "-at", "nats://"+addr, "-cores", "2")
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if b, _ := os.ReadFile(one + "/worker-collector.log"); bytes.Count(b, []byte("\nR ")) > 2 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("two minutes, and no results of the first study")
		}
	}
	_ = first.Process.Kill()
	first.end(t, -1)
	second := serve(two)
	if said := stays.end(t, 1); !strings.Contains(said, "another study is handed out") {
		t.Errorf("the worker of the first study says\n%s", said)
	}
	begin(t, self(t), nil, "join", "-at", "nats://"+addr, "-cores", "2").end(t, 0)
	second.end(t, 0)
	compareTables(t, two, alone)
}

// TestGone ends a coordinator permanently while a worker has a result for it. The worker must wait as
// long as its option says and then end.
func TestGone(t *testing.T) {
	dir := t.TempDir()
	must(t, "sweep", "-plan", "-out", dir, "-seeds", "4")
	p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-block", "0", "-progress", "none")
	addr := p.hear(t, "join with: join -at ")
	w := begin(t, self(t), []string{"LANEWISE_STUDY_GATE=" + dir + "/gate"}, "join", "-at", addr, "-cores", "1", "-patience", "2s")
	w.hear(t, "joined")
	time.Sleep(time.Second) // very likely it has a block by now
	_ = p.Process.Kill()
	p.end(t, -1)
	if err := os.WriteFile(dir+"/gate", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if said := w.end(t, 1); !strings.Contains(said, "nothing is heard of serve for 2s") {
		t.Errorf("the worker says\n%s", said)
	}
}

// TestLongComparison checks that a run is compared even if it takes longer than the coordinator waits
// for results.
func TestLongComparison(t *testing.T) {
	dir := t.TempDir()
	must(t, "sweep", "-plan", "-out", dir, "sleep=500000") // 5 s
	p := begin(t, self(t), nil, "serve", "-out", dir, "-addr", "127.0.0.1:0", "-block", "0", "-lease", "500ms", "-progress", "lines")
	addr := p.hear(t, "join with: join -at ")
	a := begin(t, self(t), nil, "join", "-at", addr, "-cores", "1")
	b := begin(t, self(t), []string{"LANEWISE_STUDY_ARCH=other"}, "join", "-at", addr, "-cores", "1")
	said := p.end(t, 0)
	if compared := a.end(t, 0) + b.end(t, 0); strings.Contains(said, "were not done again") || strings.Count(compared, ", 1 to compare") != 1 {
		t.Errorf("the coordinator says\n%s\nthe workers say\n%s", said, compared)
	}
}
