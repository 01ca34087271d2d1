package exact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestFindings holds what is reported, and what the mends make of it, to the
// comments and the .golden files in testdata.
func TestFindings(t *testing.T) {
	for _, pkg := range []string{"product", "maths", "maps", "iterators", "accept", "calls", "vec", "plain"} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.RunWithSuggestedFixes(factless{t}, analysistest.TestData(), Analyzer, pkg)
		})
	}
}

// TestMended wants the mended files to compile, and nothing that has a mend to be
// reported in them.
func TestMended(t *testing.T) {
	from, to := filepath.Join("testdata", "src"), filepath.Join(t.TempDir(), "testdata", "src")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	goldens, err := filepath.Glob(filepath.Join(from, "*", "*.golden"))
	if err != nil || len(goldens) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, golden := range goldens {
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(to, filepath.Base(filepath.Dir(golden)), strings.TrimSuffix(filepath.Base(golden), ".golden"))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			result := analysistest.Run(silent{}, filepath.Dir(to), Analyzer, filepath.Base(filepath.Dir(name)))[0]
			if p := result.Action.Package; p.IllTyped || len(p.Errors) > 0 {
				t.Error("what the mends made does not compile:", p.Errors)
			}
			for _, d := range result.Diagnostics {
				if len(d.SuggestedFixes) > 0 {
					t.Errorf("%v: mended, and reported again: %s", result.Pass.Fset.Position(d.Pos), d.Message)
				}
			}
		})
	}
}

// TestEverywhere looks at a package that does not import ecs.
func TestEverywhere(t *testing.T) {
	everywhere = true
	defer func() { everywhere = false }()
	results := analysistest.Run(silent{}, analysistest.TestData(), Analyzer, "plain")
	if n := len(results[0].Diagnostics); n != 1 {
		t.Errorf("%d findings with -all, want 1", n)
	}
}

// silent takes the errors of analysistest, which wants no finding there.
type silent struct{}

func (silent) Errorf(string, ...any) {}

// factless leaves out that functions have facts: what they say is seen in package
// calls.
type factless struct{ *testing.T }

func (f factless) Errorf(format string, args ...any) {
	if !strings.Contains(format, "unexpected %s") || len(args) < 2 || args[1] != "fact" {
		f.T.Helper()
		f.T.Errorf(format, args...)
	}
}
