package orrery

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
)

// WriteTable writes positions as comma-separated values, with a header. First
// come the rows of the tables by kind, then the minor planets in the order of
// the catalogue. Kind and name together identify a row. Numbers have as many
// digits as are needed to read the same float64 back.
func WriteTable(w io.Writer, p *Places, set *catalogue.Set) error {
	out := csv.NewWriter(w)
	row := []string{"id", "name", "kind", "x", "y", "z"}
	if err := out.Write(row); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for kind := catalogue.Star; kind <= catalogue.Moon; kind++ {
		for i := range set.Bodies {
			if b := &set.Bodies[i]; b.Kind == kind {
				row[0], row[1], row[2] = strconv.Itoa(b.ID), b.Name, kind.String()
				row[3], row[4], row[5] = number(p.Bodies.X[i]), number(p.Bodies.Y[i]), number(p.Bodies.Z[i])
				if err := out.Write(row); err != nil {
					return err
				}
			}
		}
	}
	for i := range set.Minors {
		row[0], row[1], row[2] = set.Minors[i].ID, set.Minors[i].Name, catalogue.Asteroid.String()
		row[3], row[4], row[5] = number(p.Minors.X[i]), number(p.Minors.Y[i]), number(p.Minors.Z[i])
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
