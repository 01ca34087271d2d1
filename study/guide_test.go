package study

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// pageOn returns the block of docs/guide/engines.md that begins with the given line.
func pageOn(t *testing.T, first string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/guide/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```[a-z]+\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if strings.HasPrefix(m[1], first) {
			return m[1]
		}
	}
	t.Fatalf("docs/guide/engines.md has no block that begins with %s", first)
	return ""
}

// find returns the first group of a regular expression in a text.
func find(t *testing.T, text, expression string) string {
	t.Helper()
	m := regexp.MustCompile(expression).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in\n%s", expression, text)
	}
	return m[1]
}

// TestManifest checks the manifest on the page about engines: its pods must cover all shares if they have the
// environment variables that Kubernetes sets for an indexed job.
func TestManifest(t *testing.T) {
	text := pageOn(t, "apiVersion: batch/v1")
	completions, shards := find(t, text, `completions: (\d+)`), find(t, text, `name: `+shardsVariable+`\s+value: "(\d+)"`)
	if completions != shards || find(t, text, `completionMode: (\w+)`) != "Indexed" {
		t.Errorf("%s completions, %s shards", completions, shards)
	}
	n := 0
	for ; fmt.Sprint(n) != completions; n++ {
		p, err := shareIn(environment(fmt.Sprintf("JOB_COMPLETION_INDEX=%d %s=%s", n, shardsVariable, shards)))
		if err != nil || p.share.Index != n || fmt.Sprint(p.share.Count) != completions {
			t.Errorf("pod %d: %v, %v", n, p.share, err)
		}
	}
	if args := find(t, text, `args: \["(.*)"\]`); args != `worker", "-out", "/study/first` {
		t.Errorf("the worker is called with %s", args)
	}
}

// TestScript checks the script for SLURM on the page about engines: its tasks must cover all shares.
func TestScript(t *testing.T) {
	text := pageOn(t, "#!/bin/sh\n#SBATCH")
	var lo, hi int
	if _, err := fmt.Sscanf(find(t, text, `--array=(\S+)`), "%d-%d", &lo, &hi); err != nil {
		t.Fatal(err)
	}
	seen := map[Share]bool{}
	for id := lo; id <= hi; id++ {
		p, err := shareIn(environment(array(id, lo, hi, 1, hi-lo+1)))
		if err != nil || seen[p.share] || p.share.Count != hi-lo+1 {
			t.Errorf("task %d: %v, %v", id, p.share, err)
		}
		seen[p.share] = true
	}
	if len(seen) != 4 || find(t, text, `--ntasks=(\d+)`) != "1" {
		t.Errorf("shares %v", seen)
	}
}
