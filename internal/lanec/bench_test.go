package lanec

import (
	"os"
	"strings"
	"testing"
)

// BenchmarkHundred compiles a hundred kernels of one package for all paths. They are nine
// copies of the example, with loops as people write them, and random kernels, which are ten
// times as long. An imported package is read each time, as in each run of lanec.
func BenchmarkHundred(b *testing.B) {
	const head = "package own\n\nimport (\n\t\"math\"\n\n\t\"github.com/lanewise/lanewise/kernels\"\n)\n\nvar _ = math.Sqrt\n\n"
	text, err := os.ReadFile("../../examples/lanec/kernels.go")
	if err != nil {
		b.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "//go:generate")
	_, example, _ = strings.Cut(example, "\n")
	var random strings.Builder
	for i := range 100 {
		source, _ := randomKernel(1, i, i%3 == 2, false)
		random.WriteString(source)
	}
	files := map[string]string{"random/own.go": head + random.String()}
	for _, n := range strings.Split("abcdefghi", "") {
		// Each copy is a package, because lanec compiles one at a time.
		files["people/"+n+"/own.go"] = head + example
	}
	dir := module(b, files)
	for _, c := range []struct {
		name string
		dirs []string
	}{{"people", strings.Split("people/a people/b people/c people/d people/e people/f people/g people/h people/i", " ")}, {"random", []string{"random"}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				kernels := 0
				for _, d := range c.dirs {
					p, err := Compile(dir + "/" + d)
					if err != nil {
						b.Fatal(err)
					}
					kernels += len(p.Kernels)
				}
				if kernels < 100 {
					b.Fatalf("%d kernels", kernels)
				}
			}
		})
	}
}
