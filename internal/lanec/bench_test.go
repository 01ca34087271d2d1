package lanec

import (
	"os"
	"strings"
	"testing"
)

// BenchmarkHundred compiles a hundred kernels of one package for all paths. They come from
// nine copies of the example, whose loops are as people write them, and from random
// kernels, which are ten times as long. Each iteration reads the imported package again, as
// each run of lanec does.
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
		// Each copy is a package of its own, because lanec compiles one package per run.
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
