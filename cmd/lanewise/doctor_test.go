package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/doctor"
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

// TestDoctorJSON reads the report by the names that others rely on.
func TestDoctorJSON(t *testing.T) {
	keepPath(t)
	out, err, code := lanewise(t, "doctor", "-json", "-each", "1us", "-only", "^Mat4s.Mul/f64")
	var r struct {
		CPU, Path string
		Kernels   []map[string]any
	}
	if parse := json.Unmarshal([]byte(out), &r); parse != nil || code != exitOK || err != "" {
		t.Fatalf("exit code %d, %v\n%s%s", code, parse, out, err)
	}
	if r.CPU == "" || r.Path != kernels.Path() || len(r.Kernels) != len(kernels.Paths()) {
		t.Errorf("cpu %q, path %q, %d rows", r.CPU, r.Path, len(r.Kernels))
	}
	for i, row := range r.Kernels {
		if row["name"] != "Mat4s.Mul" || row["type"] != "f64" || row["path"] != kernels.Paths()[i] || row["agree"] != true {
			t.Errorf("row %d is %v", i, row)
		}
		for _, number := range []string{"ns", "gbps"} {
			if _, ok := row[number].(float64); !ok {
				t.Errorf("row %d has no number %s: %v", i, number, row)
			}
		}
	}
}

// A kernel that does not agree with the generic path is marked, reported and an
// error, which is exit code 1.
func TestDoctorDiffers(t *testing.T) {
	keepPath(t)
	runs := 0
	wrong := doctor.New("Wrong", "f32", func(dst []float32) {
		runs++
		for i := range dst {
			dst[i] = float32(runs)
		}
	})
	o := doctor.Options{Lengths: []int{3}, Each: 1, Footprint: 64, Memory: 64}
	for _, asJSON := range []bool{false, true} {
		var out, report bytes.Buffer
		err := examine(t.Context(), []*doctor.Kernel{wrong}, &o, asJSON, &terminal{out: &out, err: &report})
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
