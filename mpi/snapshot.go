package mpi

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/lanewise/lanewise/internal/atomicfile"
)

// ErrSnapshot is returned for a snapshot that is none, is damaged, or is of another world.
var ErrSnapshot = errors.New("the snapshot cannot be loaded")

const (
	manifestName   = "manifest.json"
	snapshotFormat = 1
	suffix         = ".rows"
)

// manifest says what a snapshot consists of. It is written when all else has been.
type manifest struct {
	Format int    `json:"format"`
	Tick   int    `json:"tick"`
	Rows   int64  `json:"rows"`
	Hash   string `json:"hash"` // of all rows, as Domain.Hash has it
	Files  []part `json:"files"`
}

// part is what one rank wrote.
type part struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	CRC   string `json:"crc32c"`
	Error string `json:"error,omitempty"`
}

// partName matches the names that savePart gives, and no others.
var partName = regexp.MustCompile(`^tick--?[0-9]+-rank-[0-9]+-of-[0-9]+-[0-9a-f]{8}\.rows$`)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(b []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(b, castagnoli)) }

// Save writes the rows of all ranks to a directory that all of them see: a file a rank, and one manifest, which takes the place of that of the
// snapshot before when all files are whole. [Domain.Load] takes it up on any number of ranks. Ghosts, and entities that are no rows, are
// not in it. The name of the directory is no pattern, and only files that an earlier Save has written are removed. Files have the mode that the umask leaves.
func (d *Domain[T]) Save(dir string) error {
	const op = "Save"
	hash, err := d.Hash()
	if err != nil {
		return err
	}
	rows, err := d.Rows()
	if err != nil {
		return err
	}
	own, err := json.Marshal(d.savePart(dir))
	if err != nil {
		return d.comm.fail(op, err)
	}
	all, err := d.comm.Gather(own, 0)
	if err != nil {
		return err
	}
	var failure []byte
	if d.comm.Rank() == 0 {
		m := manifest{Format: snapshotFormat, Tick: d.comm.Tick, Rows: rows, Hash: fmt.Sprintf("%016x", hash)}
		if err := m.save(dir, all); err != nil {
			failure = []byte(err.Error())
		}
	}
	return d.comm.told(op, failure)
}

// told fails on all ranks if rank 0 has failed.
func (c *Comm) told(op string, failure []byte) error {
	failure, err := c.Broadcast(failure, 0)
	if err == nil && len(failure) > 0 {
		err = c.fail(op, errors.New(string(failure)))
	}
	return err
}

// savePart writes the file of this rank.
func (d *Domain[T]) savePart(dir string) (p part) {
	b, err := d.packer.Pack(nil, d.entities(nil))
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	p = part{Bytes: int64(len(b)), CRC: sum(b)}
	// With the sum in its name a file never takes the place of one that the manifest before still lists.
	p.Name = fmt.Sprintf("tick-%d-rank-%d-of-%d-%s%s", d.comm.Tick, d.comm.Rank(), d.comm.Size(), p.CRC, suffix)
	if err == nil {
		err = replace(filepath.Join(dir, p.Name), b, false)
	}
	if err != nil {
		p.Error = err.Error()
	}
	return p
}

// replace writes a file as a whole or not at all. Files of killed jobs are removed with the manifest, which rank 0 writes alone: on file systems whose locks do not
// reach other machines a rank cannot see who is still writing.
func replace(name string, b []byte, sweep bool) error {
	return atomicfile.Write(name, atomicfile.Options{Sync: true, NoSweep: !sweep}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// save writes the manifest of what all ranks wrote, and removes the files of the snapshot before.
func (m *manifest) save(dir string, parts [][]byte) error {
	keep := map[string]bool{}
	for r, b := range parts {
		var p part
		if err := json.Unmarshal(b, &p); err != nil {
			return err
		}
		if p.Error != "" {
			return fmt.Errorf("rank %d: %s", r, p.Error)
		}
		m.Files, keep[p.Name] = append(m.Files, p), true
	}
	b, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(dir, manifestName), b, true); err != nil {
		return err
	}
	old, err := os.ReadDir(dir) // not a pattern: the directory may have any name
	for _, e := range old {
		if partName.MatchString(e.Name()) && !keep[e.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// Load takes up what Save has written, on as many ranks as there are now, into a world that has no rows yet: the rows, and the tick.
// The next Exchange brings them where they belong. A file that is damaged or missing is an error on all ranks.
func (d *Domain[T]) Load(dir string) error {
	const op = "Load"
	if err := d.early.ended(d.comm, op); err != nil {
		return err
	}
	var b, failure []byte
	if d.comm.Rank() == 0 {
		var err error
		if b, err = os.ReadFile(filepath.Join(dir, manifestName)); err != nil {
			failure = []byte(fmt.Sprintf("%v: %v", ErrSnapshot, err))
		}
	}
	if err := d.comm.told(op, failure); err != nil {
		return err
	}
	b, err := d.comm.Broadcast(b, 0)
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil || m.Format != snapshotFormat {
		return d.comm.fail(op, fmt.Errorf("%w: %s is no manifest of format %d: %v", ErrSnapshot, filepath.Join(dir, manifestName), snapshotFormat, err))
	}
	var reason string
	if err := d.loadParts(dir, &m); err != nil {
		reason = err.Error()
	}
	if err := d.comm.agree(op, reason); err != nil {
		return err
	}
	rows, err := d.Rows()
	if err != nil {
		return err
	}
	hash, err := d.Hash()
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%016x", hash); rows != m.Rows || got != m.Hash {
		return d.comm.fail(op, fmt.Errorf("%w: %d rows with hash %s, saved were %d with %s", ErrSnapshot, rows, got, m.Rows, m.Hash))
	}
	d.comm.Tick = m.Tick
	return nil
}

// agree fails on all ranks if it does on one, and says on which.
func (c *Comm) agree(op, reason string) error {
	out := make([][]byte, c.Size())
	for r := range out {
		out[r] = []byte(reason)
	}
	in, err := c.exchange(op, out, nil)
	if err != nil {
		return err
	}
	for r, b := range in {
		if len(b) > 0 {
			return c.fail(op, fmt.Errorf("%w: on rank %d: %s", ErrSnapshot, r, b))
		}
	}
	return nil
}

// loadParts reads this rank's share of the files.
func (d *Domain[T]) loadParts(dir string, m *manifest) error {
	if n := d.own.Count(); n > 0 {
		return fmt.Errorf("the world has %d rows already: load into one without any", n)
	}
	for i := d.comm.Rank(); i < len(m.Files); i += d.comm.Size() {
		f := m.Files[i]
		if f.Name != filepath.Base(f.Name) || !strings.HasSuffix(f.Name, suffix) {
			return fmt.Errorf("%q is no name of a part", f.Name)
		}
		b, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			return err
		}
		if int64(len(b)) != f.Bytes || sum(b) != f.CRC {
			return fmt.Errorf("%s has %d bytes with CRC %s, saved were %d with %s", f.Name, len(b), sum(b), f.Bytes, f.CRC)
		}
		if _, err := d.packer.Unpack(b); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}
