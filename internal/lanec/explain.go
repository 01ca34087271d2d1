package lanec

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/lanewise/lanewise/internal/lanec/ir"
	"github.com/lanewise/lanewise/internal/lanec/wasm"
)

// Explain reports on each kernel. For each kernel, it prints the loops and lanes. For
// each path, it prints the number of registers, of values in memory, and of
// instructions per vector of rows.
func (p *Package) Explain(out io.Writer) error {
	for _, k := range p.Kernels {
		if err := k.explain(out); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kernel) explain(out io.Writer) error {
	reads, writes := 0, 0
	for _, s := range k.IR.Streams {
		switch {
		case s.Offset == 0:
		case s.Written:
			writes++
		default:
			reads++
		}
	}
	loops, branches, found, listed, put, width := 0, 0, 0, 0, 0, strconv.Itoa(8*k.IR.Width)
	k.IR.Entry.Walk(func(it ir.Item, _ *ir.Region, depth int) {
		switch it := it.(type) {
		case *ir.Loop:
			if it.Once {
				branches++
			} else if depth > 0 {
				loops++
			}
		case *ir.Value:
			switch it.Op {
			case ir.Gather:
				found++
			case ir.Pick:
				listed++
			}
			put += len(it.Puts)
			if it.Kind.IsHalf() {
				width = "64 and 32"
			}
		}
	})
	fmt.Fprintf(out, "%s, of %s at %v\n", k.Name, k.Source, k.At)
	fmt.Fprintf(out, "  %s rows; elements of %s bits; %d lanes read, %d written; %d loops in a row\n", k.IR.Number, width, reads, writes, loops)
	if branches > 0 {
		fmt.Fprintf(out, "  branches that all rows take or none: %d\n", branches)
	}
	if found+put > 0 {
		fmt.Fprintf(out, "  elements at computed indices: %d looked up, %d written row by row\n", found, put)
	}
	if listed > 0 {
		fmt.Fprintf(out, "  elements at indices of a list that rows share: %d, one load for a vector\n", listed)
	}
	if k.NoSIMD != nil {
		fmt.Fprintf(out, "  WebAssembly: Go source, because of %s\n", strings.TrimPrefix(k.NoSIMD.Error(), wasm.ErrUnsupported.Error()+": "))
	} else {
		fmt.Fprintf(out, "  WebAssembly: vectors of %d rows, with Go 1.27\n", 16/k.IR.Width)
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "  path\trows a vector\tregisters\tin memory\tinstructions a vector\tof them in loops\tdivisions, roots\tcycles a vector\tcycles a turn\t")
	for _, path := range k.Paths {
		rows := map[string]int{"AVX2": 32, "AVX512": 64, "NEON": 16}[path.Name] / k.IR.Width
		c := count(path.Text, rows)
		fmt.Fprintf(w, "  %s\t%d\t%d\t%d\t%d\t%d\t%d\t%v\t%v\t\n", path.Name, rows, path.Places.Peak[0], path.Places.Spilled, c.all, len(c.loops), c.slow,
			boundOf(c.rest, path.Name), boundOf(c.loops, path.Name))
	}
	return w.Flush()
}

// counts holds the numbers of instructions in the loop over whole vectors: in
// total, in inner loops, and outside of these.
type counts struct {
	all, slow   int
	loops, rest []string
}

func count(text string, rows int) (c counts) {
	inside, inner := false, 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch label := strings.TrimSuffix(line, ":"); {
		case line == fmt.Sprintf("loop%d:", rows):
			inside = true
		case line == "tail:":
			inside = false
		case strings.HasPrefix(line, "turn") && label != line:
			inner++
		case strings.HasPrefix(line, "out") && label != line:
			inner--
		case inside && strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "\tPCALIGN"):
			c.all++
			if inner > 0 {
				c.loops = append(c.loops, line)
			} else {
				c.rest = append(c.rest, line)
			}
			if divides(line) {
				c.slow++
			}
		}
	}
	return c
}
