package design

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ReadList reads a list of points from CSV: a line of parameters' names, then a
// line of values for each point. Columns that are no parameters are refused when
// the design is bound; spaces around values do not count.
func ReadList(r io.Reader) (columns []string, rows [][]string, err error) {
	c := csv.NewReader(r)
	c.TrimLeadingSpace = true
	columns, err = c.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil, errors.New("the list is empty: its first line names parameters")
	}
	if err != nil {
		return nil, nil, err
	}
	columns[0] = strings.TrimPrefix(columns[0], "\ufeff")
	if rows, err = c.ReadAll(); err != nil {
		return nil, nil, err
	}
	for _, row := range append(rows, columns) {
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
	}
	if len(rows) == 0 {
		return nil, nil, fmt.Errorf("the list has no points: below its first line, %s, come their values", strings.Join(columns, ","))
	}
	return columns, rows, nil
}
