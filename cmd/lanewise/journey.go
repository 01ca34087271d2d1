package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/lanewise/lanewise/cmd/lanewise/internal/julian"
)

const orreryDoes = `Orrery puts the solar system in motion: the Sun, planets, moons and minor
planets, by default built-in ones, stepped from -t0 to -t1. It prints what it
did, checks every place against a reference in plain float64, and writes the
places (-csv), pictures of the inner and the outer system (-png) and a video
of the inner one (-video).

Dates are TDB: 2027-03-01, 2027-03-01T12:00 or a Julian date.`

// runDays is the default length of a run.
const runDays = 3650

// maxSteps is the largest number of steps of a run. A run with more steps would take too long.
const maxSteps = 1e9

// A journey holds the settings of the command orrery.
type journey struct {
	machine
	catalog, planets, moons string
	t0, t1, dt              float64
	csv, png, video         string
	save, load              string
	inspect                 string
	strict, frozen          bool
}

// parseJourney reads the command line.
func parseJourney(args []string, t *terminal) (*journey, error) {
	j := &journey{t0: julian.J2000, t1: math.NaN(), dt: 1}
	fs := newFlags("orrery", orreryDoes, t)
	date := func(dst *float64) func(string) error {
		return func(s string) (err error) {
			*dst, err = julian.Parse(s)
			return err
		}
	}
	text(fs, &j.catalog, "catalog", "minor planets in the Minor Planet Center's export `file` format, packed by gzip or not (default: a made-up belt of 100,000)")
	text(fs, &j.planets, "planets", "Sun, planets and dwarf planets from this CSV `file` (default: the eight planets)")
	text(fs, &j.moons, "moons", "moons from this CSV `file` (default: the large ones)")
	began := false
	fs.Func("t0", "`date` of the first step (default 2000-01-01T12:00)", func(s string) error {
		began = true
		return date(&j.t0)(s)
	})
	fs.Func("t1", fmt.Sprintf("`date` of the last step, which may be before -t0: then time runs backwards (default %d days after -t0)", runDays), date(&j.t1))
	fs.Func("dt", "length of a step in `days` (default 1)", func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			return errors.New("want a number of days above 0")
		}
		j.dt = v
		return nil
	})
	text(fs, &j.csv, "csv", "write where everything is at -t1 to this `file`: id,name,kind,x,y,z, heliocentric, J2000 ecliptic, AU")
	text(fs, &j.png, "png", "write pictures at -t1: both side by side to this `file`, and each for itself beside it, x-inner.png and x-outer.png for x.png")
	text(fs, &j.video, "video", "write the inner system on its way to this `file`: .gif, .png (animated), .y4m, or .mp4, .mov, .mkv, .webm where there is ffmpeg")
	text(fs, &j.inspect, "inspect", "make no more than 60 steps a second, and serve the inspector meanwhile at this `address`, as localhost:6060")
	text(fs, &j.save, "save", "write the world at -t1 to this `file`, from which -load goes on")
	text(fs, &j.load, "load", "begin with the world in this `file` of -save, at the date that it has; the bodies have to be the same")
	fs.BoolVar(&j.strict, "strict", false, "stop at the first bad line instead of reporting and skipping it")
	fs.BoolVar(&j.frozen, "frozen-moons", false, "keep the ellipses of moons as they are at their epoch: use wrate and Nrate for planets alone")
	j.flags(fs)
	if err := parse(fs, args); err != nil {
		return nil, err
	}
	if j.load == "" {
		if err := j.settle(); err != nil {
			return nil, err
		}
	} else if began {
		return nil, newUsageError("-t0 and -load: a world that is loaded has its date")
	}
	if err := j.checkDistinct(); err != nil {
		return nil, err
	}
	if err := pictureName(j.png); err != nil {
		return nil, newUsageError("-png %s: %v", j.png, err)
	}
	if err := videoName(j.video); err != nil {
		return nil, newUsageError("-video %s: %v", j.video, err)
	}
	return j, j.use()
}

// settle sets the default of the last date, which depends on the first date.
func (j *journey) settle() error {
	if math.IsNaN(j.t1) {
		if j.t1 = j.t0 + runDays; j.t1 >= julian.Last {
			return newUsageError("-t0 %s: %d days from it is after the year 9999: say with -t1 where to end", julian.Format(j.t0), runDays)
		}
	}
	if n := j.days() / j.dt; !(n <= maxSteps) {
		return newUsageError("-dt %v: from -t0 to -t1 that is %.3g steps, at most %.0e are possible", j.dt, n, float64(maxSteps))
	}
	return nil
}

// checkDistinct returns an error if the command line names an output file
// twice, or also as an input file.
func (j *journey) checkDistinct() error {
	type named struct{ flag, path string }
	files := []named{{"catalog", j.catalog}, {"planets", j.planets}, {"moons", j.moons}, {"load", j.load}}
	outputs := []named{{"csv", j.csv}, {"video", j.video}, {"save", j.save}}
	for _, path := range picturePaths(j.png) {
		outputs = append(outputs, named{"png", path})
	}
	for _, o := range outputs {
		for _, f := range files {
			if o.path != "" && f.path != "" && sameFile(o.path, f.path) {
				return newUsageError("-%s and -%s both name the file %s", f.flag, o.flag, o.path)
			}
		}
		files = append(files, o)
	}
	return nil
}

func (j *journey) days() float64 { return math.Abs(j.t1 - j.t0) }

// steps returns the number of steps after the first date; the last step may be
// shorter than the others.
func (j *journey) steps() int { return int(math.Ceil(j.days() / j.dt)) }

// date returns the date of step k. The last step has exactly the date of the
// flag -t1, which may be before that of -t0.
func (j *journey) date(k int) float64 {
	switch {
	case k >= j.steps():
		return j.t1
	case j.t1 < j.t0:
		return j.t0 - float64(float64(k)*j.dt)
	}
	return j.t0 + float64(float64(k)*j.dt)
}
