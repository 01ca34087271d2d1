package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/belt"
	"github.com/lanewise/lanewise/cmd/lanewise/internal/catalogue"
)

// If there is no catalogue, the command generates a belt with this size and seed.
const (
	beltSize = 100_000
	beltSeed = 1
)

// shownFaults is the number of bad lines of a file that are reported
// individually; further bad lines are only counted.
const shownFaults = 5

// A loader reads the files of a command line. It skips and counts invalid
// lines, and reports the first few of each file. In strict mode the first invalid
// line ends the load with an error. The load also ends with an error when the
// context ends.
type loader struct {
	ctx    context.Context
	t      *terminal
	strict bool
	faults int            // number of skipped lines that are not empty records
	empty  int            // records without an orbit
	told   map[string]int // number of reported lines, by file
}

func (l *loader) fault(e *catalogue.LineError) error {
	empty := errors.Is(e, catalogue.ErrEmpty)
	if l.strict && !empty {
		return e
	}
	if l.told == nil {
		l.told = map[string]int{}
	}
	l.told[e.File]++
	switch n := l.told[e.File]; {
	case n <= shownFaults:
		l.t.say("%v", e)
	case n == shownFaults+1:
		l.t.say("%s: further lines like these are counted, not shown; -strict stops at the first", e.File)
	}
	if empty {
		l.empty++
	} else {
		l.faults++
	}
	return nil
}

// load reads the files of the command line. It uses built-in data for a file that
// is not given.
func (l *loader) load(j *journey) (*catalogue.Set, error) {
	bodies, err := l.readBodies(j.planets, j.moons)
	if err != nil {
		return nil, err
	}
	if j.frozen {
		for i := range bodies {
			if b := &bodies[i]; b.Kind == catalogue.Moon {
				b.PeriRate, b.NodeRate = 0, 0
			}
		}
	}
	minors, err := l.readMinors(j.catalog)
	return &catalogue.Set{Bodies: bodies, Minors: minors}, err
}

// readMinors reads a catalogue, or generates the belt if no catalogue is given.
func (l *loader) readMinors(path string) ([]catalogue.Minor, error) {
	if path == "" {
		return belt.New(beltSize, beltSeed), nil
	}
	return read(l, path, catalogue.ReadMinors)
}

// readBodies reads the tables of planets and moons; each has a built-in default. It
// omits moons without a planet.
func (l *loader) readBodies(planetsPath, moonsPath string) ([]catalogue.Body, error) {
	planets, moons := catalogue.Planets(), catalogue.Moons()
	var err error
	if planetsPath != "" {
		if planets, err = read(l, planetsPath, catalogue.ReadTable); err != nil {
			return nil, err
		}
	}
	if moonsPath != "" {
		if moons, err = read(l, moonsPath, catalogue.ReadTable); err != nil {
			return nil, err
		}
	}
	bodies := append(planets, moons...)
	kept := bodies[:0]
	for _, b := range bodies {
		if b.Kind == catalogue.Moon && catalogue.ParentOf(&b, bodies) < 0 {
			err := &catalogue.LineError{File: b.File, Line: b.Line, Err: fmt.Errorf("moon %q: its planet, NAIF ID %d, is not in the table", b.Name, b.Parent)}
			if err := l.fault(err); err != nil {
				return nil, err
			}
			continue
		}
		kept = append(kept, b)
	}
	return kept, nil
}

// grace is the time that a stopped loader waits for its reader.
const grace = 100 * time.Millisecond

// read opens a file and reads it to its end. If the context ends, read returns,
// even if the file is a pipe to which no process writes. The goroutine that
// reads the file then keeps running, but read drops its result.
func read[T any](l *loader, path string, reader func(string, io.Reader, catalogue.Faults) ([]T, error)) ([]T, error) {
	type result struct {
		list []T
		err  error
	}
	done := make(chan result, 1)
	go func() {
		f, err := catalogue.Open(path)
		if err != nil {
			done <- result{err: err}
			return
		}
		list, err := reader(path, heeding{ctx: l.ctx, r: f}, l.fault)
		done <- result{list, errors.Join(err, f.Close())}
	}()
	select {
	case r := <-done:
		if r.err != nil && l.ctx.Err() != nil {
			r.err = fmt.Errorf("stopped while reading %s", path)
		}
		return r.list, r.err
	case <-l.ctx.Done():
		select {
		case <-done:
		case <-time.After(grace):
		}
		return nil, fmt.Errorf("stopped while reading %s", path)
	}
}

// String describes the skipped lines; the text is empty if no lines were skipped.
func (l *loader) String() string {
	var parts []string
	if l.faults > 0 {
		parts = append(parts, count(l.faults, "bad line")+" skipped")
	}
	if l.empty > 0 {
		parts = append(parts, count(l.empty, "empty record"))
	}
	return strings.Join(parts, ", ")
}
