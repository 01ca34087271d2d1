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

// ErrSnapshot is returned for three kinds of data: data that is no snapshot, a damaged snapshot,
// and a snapshot of another world.
var ErrSnapshot = errors.New("the snapshot cannot be loaded")

const (
	manifestName   = "manifest.json"
	snapshotFormat = 1
	suffix         = ".rows"
)

// manifest lists the parts of a snapshot. It is written last.
type manifest struct {
	Format int    `json:"format"`
	Tick   int    `json:"tick"`
	Rows   int64  `json:"rows"`
	Hash   string `json:"hash"` // hash of all rows, as of Domain.Hash
	Files  []part `json:"files"`
}

// part describes the file of one rank.
type part struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	CRC   string `json:"crc32c"`
	Error string `json:"error,omitempty"`
}

// partName matches the file names that savePart uses, and no others.
var partName = regexp.MustCompile(`^tick--?[0-9]+-rank-[0-9]+-of-[0-9]+-[0-9a-f]{8}\.rows$`)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(b []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(b, castagnoli)) }

// Save writes the rows of all ranks to a directory that all of them can access:
// one file for each rank, and a manifest. The manifest replaces that of the last snapshot
// when all files are complete. [Domain.Load] reads the snapshot on any number of ranks.
// Ghosts, and entities that are not rows, are not saved. Save does not interpret the name
// of the directory as a pattern. It removes only files of earlier calls of Save. Files
// have the mode of the umask.
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
	return d.comm.shareRootFailure(op, failure)
}

// shareRootFailure returns an error on all ranks if rank 0 has failed.
func (c *Comm) shareRootFailure(op string, failure []byte) error {
	failure, err := c.Broadcast(failure, 0)
	if err == nil && len(failure) > 0 {
		err = c.fail(op, errors.New(string(failure)))
	}
	return err
}

// savePart writes the file of this rank.
func (d *Domain[T]) savePart(dir string) (p part) {
	b, err := d.packer.Pack(nil, d.appendEntities(nil))
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	p = part{Bytes: int64(len(b)), CRC: sum(b)}
	// The checksum in the name ensures that a file never replaces one that the
	// last manifest still lists.
	p.Name = fmt.Sprintf("tick-%d-rank-%d-of-%d-%s%s", d.comm.Tick, d.comm.Rank(), d.comm.Size(), p.CRC, suffix)
	if err == nil {
		err = replace(filepath.Join(dir, p.Name), b, false)
	}
	if err != nil {
		p.Error = err.Error()
	}
	return p
}

// replace writes a file as a whole or not at all. Only rank 0 removes the files
// of killed jobs, when it writes the manifest. The reason is that some file systems do not
// share locks between machines. On such a file system, a rank cannot see which files are
// still being written.
func replace(name string, b []byte, sweep bool) error {
	return atomicfile.Write(name, atomicfile.Options{Sync: true, NoSweep: !sweep}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// save writes the manifest of all parts, and removes the files of the last
// snapshot.
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
	old, err := os.ReadDir(dir) // not Glob, because the name of the directory may contain pattern characters
	for _, e := range old {
		if partName.MatchString(e.Name()) && !keep[e.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// Load loads a snapshot that Save has written into a world without rows. The number of
// ranks may differ from the number of ranks at the time of the save. Load restores the
// rows, and returns the tick. The next Exchange moves the rows to their ranks. A damaged or
// missing file is an error on all ranks.
func (d *Domain[T]) Load(dir string) error {
	const op = "Load"
	if err := d.early.checkEnded(d.comm, op); err != nil {
		return err
	}
	var b, failure []byte
	if d.comm.Rank() == 0 {
		var err error
		if b, err = os.ReadFile(filepath.Join(dir, manifestName)); err != nil {
			failure = []byte(fmt.Sprintf("%v: %v", ErrSnapshot, err))
		}
	}
	if err := d.comm.shareRootFailure(op, failure); err != nil {
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
	if err := d.comm.shareFailure(op, reason); err != nil {
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

// shareFailure returns an error on all ranks if one rank has failed. The error contains that rank's reason.
func (c *Comm) shareFailure(op, reason string) error {
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
