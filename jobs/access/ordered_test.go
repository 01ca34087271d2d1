package access

import (
	"errors"
	"strings"
	"testing"

	"github.com/lanewise/lanewise/jobs"
)

func TestConflictIsFound(t *testing.T) {
	for _, level := range []jobs.Level{jobs.Check, jobs.Off, jobs.Panic} {
		p := jobs.New(jobs.Workers(3), jobs.Safety(level))
		body, release := held()
		var tr Tracker
		write := access(nil, []int{3}, nil)
		first := p.Schedule(&namedJob{Func: body, name: "first"})
		if err := tr.AddOrdered(write, first); err != nil {
			t.Error(err)
		}
		behind := p.Schedule(&nothing{}, p.Schedule(&nothing{}, first))
		if err := tr.AddOrdered(write, behind); err != nil {
			t.Errorf("level %d: ordered through a third job: %v", level, err)
		}
		apart := p.Schedule(&namedJob{Func: func(*jobs.Task) {}, name: "apart"}, first)
		elsewhere := access([]int{3}, nil, []int{9})
		err, thrown := error(nil), any(nil)
		func() {
			defer func() { thrown = recover() }()
			err = tr.AddOrdered(elsewhere, apart)
		}()
		if level == jobs.Panic {
			err, _ = thrown.(error)
		}
		var ce *ConflictError
		if level == jobs.Off {
			if err != nil {
				t.Errorf("err is %v, want nil; thrown is %v", err, thrown)
			} else if thrown != nil {
				t.Errorf("thrown is %v, want nil; err is %v", thrown, err)
			}
		} else if !errors.As(err, &ce) {
			t.Errorf("!errors.As(err, &ce): level %d: %v", level, err)
		} else if ce.Job != "apart" {
			t.Errorf("ce.Job is %v, want %q: level %d: %v", ce.Job, "apart", level, err)
		} else if ce.Component != 3 {
			t.Errorf("ce.Component is %v, want 3: level %d: %v", ce.Component, level, err)
		} else if !strings.Contains(ce.Error(), "nothing orders them") {
			t.Errorf("!strings.Contains(ce.Error(), \"nothing orders them\"): level %d: %v", level, err)
		}
		release()
		if err := tr.WaitAll(); err != nil {
			t.Error(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
