package inspect

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/ecs"
)

// TestTables checks that the owner of the world copies a table, that the request writes it, and that
// requests without the token are refused.
func TestTables(t *testing.T) {
	took := 0
	take := func(w *ecs.World, terms ...ecs.Term) (func(func() bool) (bool, error), func(io.Writer) error, error) {
		took++ // only on the owner's goroutine
		if took == 3 {
			return nil, nil, errors.New("take fails")
		}
		n, pieces, third := w.Query(terms...).Count(), 0, took
		return func(func() bool) (bool, error) {
				if third == 4 {
					return true, errors.New("a piece fails")
				}
				pieces++
				return pieces < 5, nil
			}, func(out io.Writer) error {
				if pieces != 5 {
					return fmt.Errorf("%d pieces", pieces)
				}
				if n == 0 {
					return errors.New("write fails")
				}
				_, err := fmt.Fprintf(out, "%v has %d", terms, n)
				return err
			}, nil
	}
	s := newStage(t, 700, Tables("txt", "text/x-table", take))
	for _, c := range []struct {
		path string
		code int
		want string
	}{
		{"/table/Health.txt", 200, "[Read[inspect.Health]()] has"},
		{"/table/Health,-Asleep.txt", 200, "Without[inspect.Asleep]()"},
		{"/table/Health.txt", 400, "take fails"},
		{"/table/Health.txt", 400, "a piece fails"},
		{"/table/Health.txt?frame=one", 200, "[Read[inspect.Health]()] has"},
		{"/table/Health.txt?frame=two", 400, "say frame=one"},
		{"/table/Health,Team,Mark.txt", 200, "With[inspect.Team]() With[inspect.Mark]()"},
		{"/table/%3FTeam.txt", 400, "cannot be asked for with ?"},
		{"/table/Wide,-Health.txt", 400, "write fails"},
		{"/table/Health,%3FAsleep.txt", 200, "Optional(Read[inspect.Asleep]())"},
		{"/table/Health.csv", 404, ".txt"},
		{"/table/Nobody.txt", 400, "Nobody"},
		{"/table/--Health.txt", 400, "one ? or -"},
		{"/table/.txt", 400, "a name is missing"},
		{"/table/" + strings.Repeat("a,", 32) + "a.txt", 400, "32 are the most"},
	} {
		code, body, _ := s.do("GET", c.path, nil)
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %q, want %d and %q", c.path, code, body, c.code, c.want)
		}
	}
	bare := newStage(t, 1)
	if code, body, _ := bare.do("GET", "/table/Health.txt", nil); code != 404 || !strings.Contains(body, "inspect.Tables") {
		t.Errorf("no forms: %d %q", code, body)
	}
}
