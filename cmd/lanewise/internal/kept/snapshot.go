package kept

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/diff"
	"github.com/lanewise/lanewise/ecs/snapshot/untyped"
	"github.com/lanewise/lanewise/internal/printable"
)

// printer writes lines, and remembers the first error.
type printer struct {
	to  io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.to, printable.Lines(fmt.Sprintf(format, args...)))
	}
}

// shortName removes the directories of packages from a full name and from its
// type arguments.
func shortName(name string) string { return directories.ReplaceAllString(name, "") }

var directories = regexp.MustCompile(`[^\[\],*]*/`)

// info implements the command snapshot info.
func info(name string, out io.Writer) error {
	f, err := untyped.Open(name)
	if err != nil {
		return err
	}
	return infoOf(f, out)
}

// infoOf prints the information about an open file.
func infoOf(f *untyped.File, out io.Writer) error {
	p := &printer{to: out}
	p.line("format %d, %d bytes in %d frames", f.Version, f.Bytes, f.Frames)
	p.line("hash %016x, of version %d", f.Hash, f.HashVersion)
	p.line("%d entities, %d ids free, %d retired, %d names", f.Entities(), len(f.Free), len(f.Retired), len(f.Names))
	for _, s := range f.Sums {
		p.line("part of the hash: %s %016x", printable.Name(s.Name), s.Sum)
	}
	p.line("components:")
	for i := range f.Components {
		c, rows := &f.Components[i], 0
		for k := range f.Archetypes {
			if a := &f.Archetypes[k]; slices.Contains(a.Components, i) {
				rows += a.Rows
			}
		}
		lanes := ""
		for _, l := range c.Lanes {
			lanes += ", " + printable.Name(l.Name) + " " + printable.Line(l.Shape.Text)
		}
		if c.Elem.Text != "" {
			lanes += ", elements " + printable.Line(c.Elem.Text)
		}
		p.line("  %s: %v, %d entities%s", printable.Name(c.Name), c.Kind, rows, lanes)
	}
	p.line("archetypes:")
	for i := range f.Archetypes {
		a := &f.Archetypes[i]
		var names []string
		for _, at := range a.Components {
			names = append(names, printable.Name(shortName(f.Components[at].Name)))
		}
		p.line("  %d: %d entities in %d chunks; %s", i, a.Rows, len(a.Chunks), strings.Join(names, ", "))
	}
	return p.err
}

// verify implements the command snapshot verify.
func verify(list []string, out io.Writer) error {
	p := &printer{to: out}
	var wrong []string
	for _, name := range list {
		if f, err := untyped.Open(name); err != nil {
			p.line("%s: %s", printable.Name(name), printable.Line(strings.TrimPrefix(err.Error(), "untyped: "+name+": ")))
			wrong = append(wrong, name)
		} else {
			p.line("%s: whole, %d entities, hash %016x", printable.Name(name), f.Entities(), f.Hash)
		}
	}
	if p.err == nil && wrong != nil {
		return fmt.Errorf("%d of %d files: %w", len(wrong), len(list), untyped.ErrCorrupt)
	}
	return p.err
}

// runDiff implements the command snapshot diff.
func runDiff(a, b string, most int, out io.Writer) error {
	f, err := untyped.Open(a)
	if err != nil {
		return err
	}
	g, err := untyped.Open(b)
	if err != nil {
		return err
	}
	text := diff.Text(diff.Files(f, g), most)
	if text == "" {
		_, err := fmt.Fprintln(out, "no difference")
		return err
	}
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	return ErrDiffers
}

// choose finds a component by a part of its name.
func choose(f *untyped.File, name string) (int, error) {
	var found []int
	var names []string
	for i := range f.Components {
		full := f.Components[i].Name
		names = append(names, printable.Name(shortName(full)))
		if name != "" && (full == name || shortName(full) == name || strings.HasSuffix(full, "."+name)) {
			found = append(found, i)
		}
	}
	switch {
	case name == "":
		return 0, usage("export: -component is one of %s", strings.Join(names, ", "))
	case len(found) == 0:
		return 0, fmt.Errorf("there is no component %q: there are %s", name, strings.Join(names, ", "))
	case len(found) > 1:
		return 0, fmt.Errorf("%q may be several: %s, %s", name, printable.Name(f.Components[found[0]].Name), printable.Name(f.Components[found[1]].Name))
	}
	return found[0], nil
}

// export implements the command snapshot export, which prints a line for each
// entity, or for each element of a buffer.
func export(name, component string, out io.Writer) error {
	f, err := untyped.Open(name)
	if err != nil {
		return err
	}
	at, err := choose(f, component)
	if err != nil {
		return err
	}
	c, w := &f.Components[at], csv.NewWriter(out)
	head := []string{"entity", "name"}
	for _, l := range c.Lanes {
		head = appendNames(head, l.Name, &l.Shape)
	}
	switch {
	case c.Kind&untyped.Buffer != 0:
		head = appendNames(append(head, "element"), "value", &c.Elem)
	case c.Kind&(untyped.Managed|untyped.Shared) != 0:
		head = append(head, "bytes")
	}
	if c.Kind&untyped.Enableable != 0 {
		head = append(head, "on")
	}
	_ = w.Write(head)
	for i := range f.Archetypes {
		k := slices.Index(f.Archetypes[i].Components, at)
		for j := range f.Archetypes[i].Chunks {
			if k < 0 {
				break
			}
			chunk := &f.Archetypes[i].Chunks[j]
			for row, e := range chunk.Entities {
				exportRow(w, f, c, &chunk.Columns[k], row, e)
			}
		}
	}
	w.Flush()
	return w.Error()
}

func exportRow(w *csv.Writer, f *untyped.File, c *untyped.Component, col *untyped.Column, row int, e ecs.Entity) {
	line := []string{fmt.Sprintf("%d:%d", e.Index, e.Version), f.Names[e]}
	for i := range col.Lanes {
		s := &c.Lanes[i].Shape
		line = appendNumbers(line, s, col.Lanes[i][row*s.Size:])
	}
	var on []string
	if c.Kind&untyped.Enableable != 0 {
		on = []string{strconv.FormatBool(col.On[row/64]>>(row%64)&1 == 1)}
	}
	switch {
	case c.Kind&untyped.Buffer != 0:
		for i, size := 0, max(c.Elem.Size, 1); (i+1)*size <= len(col.Rows[row]); i++ {
			own := append(slices.Clone(line), strconv.Itoa(i))
			_ = w.Write(append(appendNumbers(own, &c.Elem, col.Rows[row][i*size:]), on...)) // Flush tells
		}
		return
	case c.Kind&untyped.Managed != 0 && col.Rows != nil:
		line = append(line, hex.EncodeToString(col.Rows[row]))
	case c.Kind&(untyped.Managed|untyped.Shared) != 0:
		line = append(line, hex.EncodeToString(col.Value))
	}
	_ = w.Write(append(line, on...))
}

// appendNames appends the names of the numbers of a lane.
func appendNames(list []string, name string, s *untyped.Shape) []string {
	if len(s.Numbers) == 1 {
		return append(list, name)
	}
	for i := range s.Numbers {
		list = append(list, fmt.Sprintf("%s.%d", name, i))
	}
	return list
}

// appendNumbers appends the numbers of a value. Floats get as many digits as
// are needed to read the same number back.
func appendNumbers(list []string, s *untyped.Shape, v []byte) []string {
	for _, n := range s.Numbers {
		var word [8]byte
		copy(word[:], v[n.At:][:n.Size])
		bits := binary.LittleEndian.Uint64(word[:])
		shift := 64 - 8*n.Size
		switch {
		case n.Letter == 'b':
			list = append(list, strconv.FormatBool(bits != 0))
		case n.Letter == 'f' && n.Size == 4:
			list = append(list, strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32))
		case n.Letter == 'f':
			list = append(list, strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64))
		case n.Letter == 'i':
			list = append(list, strconv.FormatInt(int64(bits<<shift)>>shift, 10))
		default:
			list = append(list, strconv.FormatUint(bits, 10))
		}
	}
	return list
}
