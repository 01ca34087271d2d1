package design

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ReadList reads a list of points from CSV: a line of parameter names, then a
// line of values for each point. Bind refuses columns that are not parameters.
// Spaces around values are removed, except inside quotes.
func ReadList(r io.Reader) (columns []string, rows [][]string, err error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // spreadsheets begin a file with it
	lines := bytes.Split(text, []byte{'\n'})
	c := csv.NewReader(bytes.NewReader(text))
	c.TrimLeadingSpace = true
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for i := range row {
			if line, column := c.FieldPos(i); !bytes.HasPrefix(lines[line-1][column-1:], []byte{'"'}) {
				row[i] = strings.TrimSpace(row[i])
			}
		}
		rows = append(rows, row)
	}
	switch len(rows) {
	case 0:
		return nil, nil, errors.New("the list is empty: its first line names parameters")
	case 1:
		return nil, nil, fmt.Errorf("the list has no points: below its first line, %s, come their values", strings.Join(rows[0], ","))
	}
	return rows[0], rows[1:], nil
}
