package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/doctor"
	"github.com/lanewise/lanewise/internal/fpmode"
	"github.com/lanewise/lanewise/kernels"
)

func TestDoctor(t *testing.T) {
	keepPath(t)
	out, err, code := lanewise(t, "doctor", "-each", "1us", "-only", "^(Sum|Dot)/")
	lines := strings.Split(out, "\n")
	if code != exitOK || err != "" || !strings.HasPrefix(lines[0], "CPU    ") {
		t.Fatalf("exit code %d\n%s%s", code, out, err)
	}
	for _, want := range []string{
		"\npath   " + kernels.Path() + " of ",
		"GB/s in memory",
		fmt.Sprintf("\n%d comparisons, 0 differences\n", 4*len(kernels.Paths())),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	head := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "kernel ") })
	if bar := strings.Index(lines[head], "│"); strings.Index(lines[head+1], "│") != bar {
		t.Errorf("the columns do not stand below their heads:\n%s", out)
	}
	rows := slices.DeleteFunc(lines, func(l string) bool {
		return !strings.HasPrefix(l, "Sum ") && !strings.HasPrefix(l, "Dot ")
	})
	if len(rows) != 4 {
		t.Errorf("%d rows, want 4:\n%s", len(rows), out)
	}
}

// TestDoctorJSON reads the JSON report. It fails if a name on which other programs rely is missing,
// or if there is an unknown name.
func TestDoctorJSON(t *testing.T) {
	keepPath(t)
	out, err, code := lanewise(t, "doctor", "-json", "-each", "1us", "-only", "^Mat4s.MulAffine/f64")
	var r map[string]any
	if parse := json.Unmarshal([]byte(out), &r); parse != nil || code != exitOK || err != "" {
		t.Fatalf("exit code %d, %v\n%s%s", code, parse, out, err)
	}
	checkKeys(t, r, map[string]string{
		"cpu": "string", "path": "string", "kernels": "[]interface {}",
		"cpus": "float64", "build": "string", "why": "string", "memory_gbps": "float64", "cache_gbps": "float64", "each_seconds": "float64",
	})
	rows := r["kernels"].([]any)
	if r["cpu"] == "" || r["path"] != kernels.Path() || len(rows) != len(kernels.Paths()) {
		t.Errorf("cpu %q, path %q, %d rows", r["cpu"], r["path"], len(rows))
	}
	for i, row := range rows {
		row := row.(map[string]any)
		checkKeys(t, row, map[string]string{"name": "string", "type": "string", "path": "string", "agree": "bool", "ns": "float64", "gbps": "float64"})
		if row["name"] != "Mat4s.MulAffine" || row["type"] != "f64" || row["path"] != kernels.Paths()[i] || row["agree"] != true {
			t.Errorf("row %d is %v", i, row)
		}
	}
}

// checkKeys compares the names and types of an object's values with want, and checks that the output
// of -h explains each name.
func checkKeys(t *testing.T, object map[string]any, want map[string]string) {
	t.Helper()
	help, _, _ := lanewise(t, "doctor", "-h")
	got := map[string]string{}
	for key, value := range object {
		got[key] = fmt.Sprintf("%T", value)
		if !regexp.MustCompile(`\b` + key + `\b`).MatchString(help) {
			t.Errorf("-h does not tell of %s:\n%s", key, help)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("keys %v, want %v", got, want)
	}
}

// TestDoctorGoals checks that goals have a separate table. For each goal, it must show the
// measurement on the current path, and whether it meets the goal.
func TestDoctorGoals(t *testing.T) {
	out, err, code := lanewise(t, "doctor", "-goals", "-each", "1us", "-only", "^(Exp|Uniform by index)/f32")
	if code != exitOK || err != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, err)
	}
	for _, want := range []string{
		"measured on " + kernels.Path(),
		`\nExp/f32 +[0-9.]+ ns a row +at most +0\.66  (met|missed) \(0\.7 × SLEEF on a Zen 3\)\n`,
		`\nUniform by index/f32 +[0-9.]+ ns a row +at most +0\.50  (met|missed) `,
		`\n[012] of 2 goals met; `,
		regexp.QuoteMeta(besidePlain) + "\n$",
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, "kernel ") || strings.Contains(out, "differences") {
		t.Errorf("kernels were examined:\n%s", out)
	}
	out, err, code = lanewise(t, "doctor", "-json", "-goals", "-each", "1us", "-only", "^Log/f64$")
	var r struct {
		Kernels []any
		Goals   []map[string]any
	}
	if parse := json.Unmarshal([]byte(out), &r); parse != nil || code != exitOK || err != "" || r.Kernels == nil || len(r.Kernels) != 0 || len(r.Goals) != 1 {
		t.Fatalf("exit code %d, %v\n%s%s", code, parse, out, err)
	}
	checkKeys(t, r.Goals[0], map[string]string{"name": "string", "what": "string", "aim": "float64", "more": "bool", "from": "string", "measured": "float64", "met": "bool"})
	if g := r.Goals[0]; g["name"] != "Log/f64" || g["met"] != (g["measured"].(float64) <= g["aim"].(float64)) {
		t.Errorf("%v", g)
	}
	if _, err, code := lanewise(t, "doctor", "-goals", "-only", "Vec3s"); code != exitUsage || !strings.Contains(err, "no goal has such a name") {
		t.Errorf("exit code %d: %s", code, err)
	}
}

// wrongKernel returns a kernel whose result is different at each call.
func wrongKernel() *doctor.Kernel {
	runs := 0
	return doctor.New("Wrong", "f32", func(dst []float32) {
		runs++
		for i := range dst {
			dst[i] = float32(runs)
		}
	})
}

// TestMain runs the command instead of the tests if a test has started this binary as the command.
func TestMain(m *testing.M) {
	if os.Getenv("LANEWISE_TEST_WRONG") != "" {
		right := listKernels
		listKernels = func(only *regexp.Regexp) []*doctor.Kernel { return append(right(only), wrongKernel()) }
		main()
	}
	os.Exit(m.Run())
}

// TestDoctorExits runs the doctor as a process on a wrong kernel.
func TestDoctorExits(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts the test program anew, which nothing emulates there")
	}
	for _, flags := range []string{"-each=1us", "-json"} {
		cmd := exec.Command(os.Args[0], "doctor", "-each", "1us", "-only", "^Fill/f32$", flags)
		cmd.Env = append(os.Environ(), "LANEWISE_TEST_WRONG=1")
		var out, report bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &report
		_ = cmd.Run() // the code shows the result
		if code := cmd.ProcessState.ExitCode(); code != exitError {
			t.Errorf("doctor %s: exit code %d, want %d\n%s%s", flags, code, exitError, &out, &report)
		}
		all := len(kernels.Paths())
		if want := fmt.Sprintf("lanewise doctor: %d of %d differ from the generic path\n", all, 2*all); !strings.HasSuffix(report.String(), want) {
			t.Errorf("reported %q, want %q at the end", &report, want)
		}
		if flags != "-json" {
			continue
		}
		var r struct{ Kernels []map[string]any }
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Kernels) != 2*all {
			t.Fatalf("%v, %d rows\n%s", err, len(r.Kernels), &out)
		}
		for _, row := range r.Kernels {
			wrong := row["name"] == "Wrong"
			if why, ok := row["why"].(string); row["agree"] == wrong || ok != wrong || wrong && !strings.Contains(why, "rows: lane 0: element 0 is ") {
				t.Errorf("row %v", row)
			}
		}
	}
}

// TestDoctorDiffers checks that the doctor marks and reports a kernel that differs from the generic
// path, and that the exit code is then 1.
func TestDoctorDiffers(t *testing.T) {
	keepPath(t)
	wrong := wrongKernel()
	o := doctor.Options{Lengths: []int{3}, Each: 1, Footprint: 64, Memory: 64}
	for _, asJSON := range []bool{false, true} {
		var out, report bytes.Buffer
		err := examine(t.Context(), []*doctor.Kernel{wrong}, nil, &o, asJSON, &terminal{out: &out, err: &report})
		all := len(kernels.Paths())
		if want := fmt.Sprintf("%d of %d differ from the generic path", all, all); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if got := report.String(); strings.Count(got, "Wrong/f32 on ") != all || !strings.Contains(got, "3 rows: lane 0: element 0 is ") {
			t.Errorf("reported: %s", got)
		}
		mark, json := strings.Contains(out.String(), "≠"), strings.Contains(out.String(), `"agree": false`)
		if mark == asJSON || json != asJSON {
			t.Errorf("printed:\n%s", out.String())
		}
	}
}

// TestDoctorLooksAtThreads checks that the doctor examines no kernel if a thread treats subnormal
// numbers as zero.
func TestDoctorLooksAtThreads(t *testing.T) {
	defer func(was func() error) { checkThreads = was }(checkThreads)
	checkThreads = func() error { return &fpmode.ErrMode{Threads: 1, Of: 2, What: "take subnormal numbers for zero"} }
	out, err, code := lanewise(t, "doctor", "-each", "1us", "-only", "^Fill/f32$")
	if code != exitError || out != "" || !strings.HasPrefix(err, "lanewise doctor: 1 of 2 threads take subnormal numbers for zero") || !strings.Contains(err, "-ffast-math") {
		t.Errorf("exit code %d, out %q, reported %q", code, out, err)
	}
}
