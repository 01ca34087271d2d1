package orrery

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/snapshot"
)

// bodiesPiece is the name of the piece of a snapshot that holds the checksum of
// its bodies.
const bodiesPiece = "bodies"

// AppendState implements system.Saver. The date is the whole state, because
// positions depend only on the date.
func (c *Calendar) AppendState(out []byte) []byte {
	return binary.LittleEndian.AppendUint64(out, math.Float64bits(c.date))
}

// LoadState implements system.Saver.
func (c *Calendar) LoadState(in []byte) error {
	if len(in) != 8 {
		return fmt.Errorf("a date has 8 bytes, not %d", len(in))
	}
	c.date = math.Float64frombits(binary.LittleEndian.Uint64(in))
	return nil
}

// sumOf returns a checksum of the names of a set of bodies, in their order.
func sumOf(set *catalogue.Set) []byte {
	h := fnv.New64a()
	for i := range set.Bodies {
		fmt.Fprintf(h, "%d %s\n", set.Bodies[i].Kind, set.Bodies[i].Name)
	}
	for i := range set.Minors {
		fmt.Fprintf(h, "%s\n", set.Minors[i].Name)
	}
	return h.Sum(nil)
}

// Write writes the state after the last step, as a snapshot.
func (o *Orrery) Write(to io.Writer) error {
	m, err := ecs.Capture(o.world, nil)
	if err != nil {
		return err
	}
	_, err = snapshot.Write(to, m, snapshot.OnPool(o.world.Pool()), snapshot.Piece(bodiesPiece, o.sum))
	return err
}

// Load restores a state that Write has written for the same bodies, and returns
// its date. An error changes nothing.
func (o *Orrery) Load(path string) (date float64, err error) {
	pieces := map[string][]byte{}
	on := snapshot.OnPool(o.world.Pool())
	if _, err := snapshot.Open(path, on, snapshot.Pieces(pieces)); err != nil {
		return 0, err
	}
	if string(pieces[bodiesPiece]) != string(o.sum) {
		return 0, fmt.Errorf("%s: it is of other bodies: give the catalogue and the tables that it was made with", path)
	}
	err = snapshot.Load(o.world, path, on)
	return o.Date(), err
}
