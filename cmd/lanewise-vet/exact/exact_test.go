package exact

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// TestFindings compares the findings and the suggested fixes with the comments and the .golden files
// in testdata.
func TestFindings(t *testing.T) {
	for _, pkg := range []string{"product", "maths", "dotted", "order", "adds", "iterators", "accept", "calls", "vec", "plain", "callbacks", "seq", "asmcalls", "asm", "gonums", "shadowed", "escapes"} {
		t.Run(pkg, func(t *testing.T) {
			analysistest.RunWithSuggestedFixes(factless{t}, analysistest.TestData(), Analyzer, pkg)
		})
	}
}

// TestMended checks that the fixed files compile, and that the analyzer reports no finding in
// them that has a fix.
func TestMended(t *testing.T) {
	from, to := filepath.Join("testdata", "src"), filepath.Join(t.TempDir(), "testdata", "src")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	goldens, err := filepath.Glob(filepath.Join(from, "*", "*.golden"))
	if err != nil || len(goldens) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	var names []string
	for _, golden := range goldens {
		text, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(to, filepath.Base(filepath.Dir(golden)), strings.TrimSuffix(filepath.Base(golden), ".golden"))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	for _, name := range names { // all files of a package are fixed by now
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

// TestEverywhere analyzes a package that does not import ecs.
func TestEverywhere(t *testing.T) {
	everywhere = true
	defer func() { everywhere = false }()
	results := analysistest.Run(silent{}, analysistest.TestData(), Analyzer, "plain")
	if n := len(results[0].Diagnostics); n != 1 {
		t.Errorf("%d findings with -all, want 1", n)
	}
}

// TestImports checks that the analyzer examines exactly the packages that import any package of
// the library.
func TestImports(t *testing.T) {
	for path, want := range map[string]bool{
		"github.com/lanewise/lanewise": true, "github.com/lanewise/lanewise/kernels": true, "github.com/lanewise/lanewise/ecs/transform": true,
		"github.com/lanewise/lanewise/near": true, "github.com/lanewise/lanewiser": false, "math": false,
	} {
		if got := LooksAt([]string{"fmt", path}); got != want {
			t.Errorf("a package that imports %s: looked at is %v, want %v", path, got, want)
		}
	}
}

// TestUnseen compares the list that -help prints with the list in the guide.
func TestUnseen(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "guide", "vet.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "### What it does not see\n")
	if !ok {
		t.Fatal("docs/guide/vet.md has no section \"What it does not see\"")
	}
	section, _, _ = strings.Cut(section, "\n#")
	plain := strings.NewReplacer("`", "", "\n  ", " ").Replace(section)
	var got []string
	for line := range strings.Lines(plain) {
		if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			got = append(got, item)
		}
	}
	if !slices.Equal(got, unseen) {
		t.Errorf("docs/guide/vet.md lists\n%s\nand -help\n%s", strings.Join(got, "\n"), strings.Join(unseen, "\n"))
	}
	for _, item := range unseen {
		if !strings.Contains(Analyzer.Doc, item) {
			t.Errorf("-help leaves out %q", item)
		}
	}
}

// TestTwice checks that the analyzer may ignore 2*x if x is a product. The compiler writes x+x and may
// fuse the addition with the product, but the result has the same bits. It treats x/0.5 as 2*x.
func TestTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	for n := range 200_000 {
		a, b := math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
		if n%2 == 0 { // near the smallest and the largest numbers
			b = math.Ldexp(1+r.Float64(), r.IntN(140)-1090*(n/2%2)+(950*(1-n/2%2))) / a
		}
		product := float64(a * b)
		fused, plain := math.FMA(a, b, product), 2*product
		if math.Float64bits(fused) != math.Float64bits(plain) && plain == plain {
			t.Fatalf("a*b + a*b rounded once is %x, 2*(a*b) is %x, for %x and %x", fused, plain, a, b)
		}
		c, d := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		short := float32(c * d)
		if once, plain := float32(float64(c)*float64(d)+float64(short)), 2*short; math.Float32bits(once) != math.Float32bits(plain) && plain == plain {
			t.Fatalf("c*d + c*d rounded once is %x, 2*(c*d) is %x, for %x and %x", once, plain, c, d)
		}
	}
	for f, lines := range fusedIn(t, "package p\n\nfunc f(x, z float64) float64 { return 2*x + z }\nfunc g(x, z float64) float64 { return x/0.5 - z }\nfunc h(x, z float32) float32 { two := float32(2); return z + x*two }\n") {
		t.Errorf("%s is fused in lines %v: the compiler does not write 2*x as x+x", f, lines)
	}
}

// complexProduct multiplies two complex numbers as the compiler does.
//
//go:noinline
func complexProduct(a, b complex128) complex128 { return a * b }

// fusedSum is a sum that some compilers round once.
//
//go:noinline
func fusedSum(a, b, c float64) float64 { return a*b + c }

// TestComplexProduct checks that the fix of a complex product gives the same bits as the product itself, for all
// kinds of numbers. It runs only where Go does not fuse, for example on amd64.
func TestComplexProduct(t *testing.T) {
	x := 1 + math.Ldexp(1, -30)
	if fusedSum(x, x, -1) == float64(x*x)-1 {
		r := rand.New(rand.NewPCG(5, 8))
		special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64}
		number := func() float64 {
			if r.IntN(2) == 0 {
				return special[r.IntN(len(special))]
			}
			return math.Float64frombits(r.Uint64())
		}
		same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
		for range 100_000 {
			a, b := complex(number(), number()), complex(number(), number())
			got := complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
			if want := complexProduct(a, b); !same(real(got), real(want)) || !same(imag(got), imag(want)) {
				t.Fatalf("%v * %v is %v, by parts %v", a, b, want, got)
			}
		}
	}
}

// silent ignores the errors of analysistest, which does not expect findings in these files.
type silent struct{}

func (silent) Errorf(string, ...any) {}

// factless ignores errors about unexpected facts of functions, because only the tests of package
// calls check facts.
type factless struct{ *testing.T }

func (f factless) Errorf(format string, args ...any) {
	if !strings.Contains(format, "unexpected %s") || len(args) < 2 || args[1] != "fact" {
		f.T.Helper()
		f.T.Errorf(format, args...)
	}
}

// TestLibraryRoots compares the list libraryRoots with the paths of the standard library of this
// toolchain.
func TestLibraryRoots(t *testing.T) {
	list, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(list)) {
		if root, _, _ := strings.Cut(path, "/"); root != "vendor" && !slices.Contains(libraryRoots, root) {
			t.Errorf("libraryRoots lacks %s", root)
		}
	}
}

// TestBuiltin checks that builtin returns no name for a call of another function.
func TestBuiltin(t *testing.T) {
	f, size := ast.NewIdent("f"), ast.NewIdent("size")
	pass := &analysis.Pass{TypesInfo: &types.Info{Uses: map[*ast.Ident]types.Object{
		f: types.NewFunc(token.NoPos, nil, "f", types.NewSignatureType(nil, nil, nil, nil, nil, false)), size: types.Universe.Lookup("len"),
	}}}
	for _, c := range []struct {
		fun  ast.Expr
		want string
	}{{f, ""}, {&ast.SelectorExpr{X: f, Sel: size}, ""}, {size, "len"}, {&ast.ParenExpr{X: size}, "len"}} {
		if got := builtin(pass, &ast.CallExpr{Fun: c.fun}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
