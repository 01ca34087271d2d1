package benchbin

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got := Parse("goos: linux\nBenchmarkFlat/n=10/go=lanes-2  \t 200\t 4.5 ns/op\t 0.5 least-ns/entity\t 0 B/op\nBenchmarkOne\t 1\t 9 ns/op\nBenchmarkOne\t 1\t 7 ns/op\nBenchmarkOne\t 1\t 8 ns/op\nBenchmark words that are no result\nPASS\n")
	if want := []string{"Flat/n=10/go=lanes", "One"}; !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Fatalf("names are %v, want %v", got, want)
	}
	if got["One"]["ns/op"] != 7 {
		t.Errorf("the time of One is %v, want the least", got["One"])
	}
	if want := map[string]float64{"ns/op": 4.5, "least-ns/entity": 0.5, "B/op": 0}; !maps.Equal(got["Flat/n=10/go=lanes"], want) {
		t.Errorf("numbers are %v, want %v", got["Flat/n=10/go=lanes"], want)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := Median(c.list); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.list, got, c.want)
		}
	}
}

// TestBuild builds and runs the benchmarks of a small module, and tries to build those of a
// module with a mistake.
func TestBuild(t *testing.T) {
	write := func(test string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"go.mod": "module a\n\ngo 1.26\n", "p/p.go": "package p\n",
			"p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) {\n\t" + test + "\n}\n\nfunc BenchmarkB(b *testing.B) {\n\tb.Fatal(\"no apples\")\n}\n",
		} {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	b, err := Build(write(`b.ReportMetric(3, "apples")`), "./p", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Run(Spec{"A", "1x", 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if got["A"]["apples"] != 3 {
		t.Errorf("results are %v, want 3 apples", got)
	}
	if _, err := b.Run(Spec{Pattern: "B", Time: "1x"}); err == nil || !strings.Contains(err.Error(), "no apples") {
		t.Errorf("error is %v, want that of the benchmark", err)
	}
	if _, err := Build(write("x"), "./p", t.TempDir()); err == nil || !strings.Contains(err.Error(), "undefined: x") {
		t.Errorf("error is %v, want that of the compiler", err)
	}
}
