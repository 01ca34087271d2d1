package kept

import (
	"bufio"
	"errors"
	"flag"
	"io"
	"os"
	"slices"

	"github.com/lanewise/lanewise/ecs/replay"
	"github.com/lanewise/lanewise/internal/printable"
)

const replayHelp = `Usage: lanewise replay FILE [FILE]

Of one recording it says what is in it, and whether it is whole. Of two it names the
first tick that differs, or the ticks from one equal hash to the next different one.
If both were made with replay.BySystem, it names the system and the component too,
and with replay.Values the entity, the lane and both values. Otherwise it says which
recordings to make again, and which options to add. Exit 1 if they differ.

It reads the files alone. A program checks itself against its recording with
replay.Verify, or with replay.Replay if its inputs come from outside.

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
		p := &printer{to: out}
		switch {
		case d == nil && err != nil:
			return err
		case d == nil:
			p.line("no difference in %d ticks", n)
			return p.err
		}
		d.Labels = [2]string(list)
		p.line("%v; the first %d ticks are equal", d, n)
		if advice := d.Advice(); advice != "" {
			p.line("%s", advice)
		}
		return errors.Join(p.err, err, ErrDiffers) // with a difference, err says why the values of the tick cannot be read
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
	ticks, inputs, bytes, valued := 0, 0, 0, 0
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
		if len(t.Snapshot()) > 0 {
			valued++
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
	if valued > 0 {
		p.line("the values after %d ticks", valued)
	}
	for _, s := range systems {
		p.line("system %s", printable.Name(s))
	}
	return p.err
}
