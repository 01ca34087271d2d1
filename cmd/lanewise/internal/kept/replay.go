package kept

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/internal/printable"
)

const replayHelp = `Usage: lanewise replay FILE [FILE]

Of one recording it says what is in it, and whether it is whole. Of two it names the
first tick in which they differ, with the system and the component if both were made
BySystem; exit 1 if they do.

It reads the files alone. To do the ticks again takes the program that made them:
see replay.Replay and replay.Compare, which also name entity, lane and both values.

`

// Replay implements the subcommand replay.
func Replay(args []string, out io.Writer) error {
	fs := flag.NewFlagSet("replay", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	if slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "-help" || a == "--help" }) {
		_, err := io.WriteString(out, replayHelp)
		return err
	}
	return runWithFiles(fs, args, out, 1, 2, func(list []string) (err error) {
		var open [2]io.Reader
		for i, name := range list {
			f, bad := os.Open(name)
			if bad != nil {
				return bad
			}
			defer func() { err = errors.Join(err, f.Close()) }()
			open[i] = bufio.NewReaderSize(f, 1<<20)
		}
		if len(list) == 1 {
			return describe(open[0], out)
		}
		d, n, err := replay.Contrast(open[0], open[1])
		if err != nil {
			return err
		}
		if d == nil {
			_, err := fmt.Fprintf(out, "no difference in %d ticks\n", n)
			return err
		}
		if _, err := fmt.Fprintf(out, "%v; %d ticks before it are equal\n", d, n); err != nil {
			return err
		}
		return ErrDiffers
	})
}

// describe prints the contents of a recording.
func describe(from io.Reader, out io.Writer) error {
	r, err := replay.Read(from)
	if err != nil {
		return err
	}
	p := &printer{to: out}
	p.line("world %q, hash %016x of version %d before the first tick, a hash every %d ticks", r.World, r.Start, r.HashVersion, r.Every)
	ticks, inputs, bytes := 0, 0, 0
	var last uint64
	var systems []string
	for {
		t, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			p.line("%d whole ticks", ticks)
			return errors.Join(err, p.err)
		}
		ticks++
		for _, in := range t.Inputs {
			inputs, bytes = inputs+1, bytes+len(in.Value)
		}
		if t.Hashed {
			last = t.Hash
		}
		for _, s := range t.Systems() {
			if !slices.Contains(systems, s) {
				systems = append(systems, s)
			}
		}
	}
	p.line("%d ticks, %d inputs of %d bytes", ticks, inputs, bytes)
	if last != 0 {
		p.line("last hash %016x", last)
	}
	for _, s := range systems {
		p.line("system %s", printable.Name(s))
	}
	return p.err
}
