package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// former lists the checks that CI ran on each push before it had two tiers. None of these checks may
// be lost.
const former = `test full model jobs-model skips mutants paths race guard purego noworlds v3 386 cpus arm64
	riscv64 s390x dist vet vet-exact lint generate examples hashes window browser engines mpi bench-once fuzz
	opinion lanec`

// shortened lists the checks that became shorter on a push. It maps each check to the nightly target
// that runs the part that a push leaves out.
var shortened = map[string]string{
	"race": "race-full", "guard": "guard-full", "purego": "purego-full", "386": "386-full", "arm64": "arm64-full", "dist": "ports",
}

// TestTiers checks three rules: each check is a target in exactly one of the tiers, no former check
// is lost, and CONTRIBUTING.md has a row for each check that a push leaves out.
func TestTiers(t *testing.T) {
	push, nightly, two := words(t, "checks"), words(t, "nightly-checks"), words(t, "two-at-a-time")
	all := slices.Concat(push, nightly)
	for _, name := range strings.Fields(former) {
		if !slices.Contains(all, name) {
			t.Errorf("%s is in neither tier", name)
		}
	}
	for short, full := range shortened {
		if !slices.Contains(push, short) || !slices.Contains(nightly, full) {
			t.Errorf("want %s on a push and %s once a night", short, full)
		}
	}
	for _, name := range two {
		if !slices.Contains(all, name) {
			t.Errorf("%s of TWO is in neither tier", name)
		}
	}
	if push[0] != "test" {
		t.Errorf("the push tier begins with %s, not with the tests", push[0])
	}
	makefile, page := text(t, "../../Makefile"), text(t, "../../CONTRIBUTING.md")
	for i, name := range all {
		if slices.Contains(all[:i], name) {
			t.Errorf("%s is named twice", name)
		}
		if !strings.Contains(makefile, "\n"+name+": ") {
			t.Errorf("the Makefile has no target %s", name)
		}
	}
	for _, name := range nightly {
		if !strings.Contains(page, "\n| `"+name+"` | ") {
			t.Errorf("CONTRIBUTING.md has no row for %s", name)
		}
	}
}

// TestRunNamesItsTiers checks that .ci/run refuses unknown tiers and targets, because otherwise a
// mistyped name would run no check.
func TestRunNamesItsTiers(t *testing.T) {
	for args, want := range map[string]string{
		"nightlong":       "usage: .ci/run [push|nightly [target...]]",
		"nightly fullest": "the nightly tier has no target fullest; it has full model ",
	} {
		out, err := exec.Command("bash", append([]string{"../../.ci/run"}, strings.Fields(args)...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: error %v, output %q, want %q", args, err, out, want)
		}
	}
}

// TestWorkflows checks that the workflow of the nightly tier has a job for each of its targets.
// Workflows may run no other commands, so that every check can also be run without the hosting
// service.
func TestWorkflows(t *testing.T) {
	names := regexp.MustCompile(`(?m)^          - (\S+)$`)
	var jobs []string
	for _, m := range names.FindAllStringSubmatch(text(t, "../../.github/workflows/nightly.yml"), -1) {
		jobs = append(jobs, m[1])
	}
	if nightly := words(t, "nightly-checks"); !slices.Equal(jobs, nightly) {
		t.Errorf("nightly.yml has jobs for\n%v, the Makefile for\n%v", jobs, nightly)
	}
	for _, file := range []string{"push.yml", "nightly.yml"} {
		for line := range strings.Lines(text(t, "../../.github/workflows/"+file)) {
			if _, command, ok := strings.Cut(line, "run: "); ok && !strings.HasPrefix(command, "make ") {
				t.Errorf("%s runs %q, which is no target of make", file, strings.TrimSpace(command))
			}
		}
	}
}

// words returns the words that a target of make prints.
func words(t *testing.T, target string) []string {
	t.Helper()
	out, err := exec.Command("make", "-s", "-C", "../..", target).Output()
	if err != nil || len(out) == 0 {
		t.Fatalf("make %s: %v, %q", target, err, out)
	}
	return strings.Fields(string(out))
}

// text returns a file.
func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
