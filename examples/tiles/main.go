// Command tiles draws the Mandelbrot set with package jobs only, without entities. Ctrl-C stops it
// early.
//
//	tiles -size 2048 -out set.png
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/lanewise/lanewise/jobs"
)

func main() {
	size := flag.Int("size", 512, "`pixels` a side")
	out := flag.String("out", "", "write a picture to `file`")
	check := flag.Bool("check", false, "say where jobs were scheduled that nobody waits for")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var options []jobs.Option
	if *check {
		options = append(options, jobs.Safety(jobs.Panic))
	}
	if err := run(ctx, os.Stdout, *size, *out, options...); err != nil {
		log.Fatal(err)
	}
}

// run draws the set and prints its hash.
func run(ctx context.Context, w io.Writer, size int, out string, options ...jobs.Option) (err error) {
	if size < smallest || size&(size-1) != 0 {
		return fmt.Errorf("the size is %d: it has to be a power of two, %d or more", size, smallest)
	}
	pool := jobs.New(append(options, jobs.Watchdog(10*time.Second, reportStuck))...)
	defer func() { err = errors.Join(err, closePool(pool)) }()
	m := newMap(size)

	// Draw the preview first, because the user sees it first. The histogram is optional work, so
	// it runs when there is nothing else to do.
	preview := pool.ScheduleAt(jobs.High, &Preview{m})
	counts := pool.ParallelForAt(jobs.Background, &Histogram{m}, len(m.preview), 256, preview)
	// Only this goroutine may write to the terminal, so the job runs on this goroutine while it
	// waits.
	said := pool.ScheduleHere(jobs.Func(func(*jobs.Task) {
		fmt.Fprintf(w, "%d of %d points of the preview are in the set\n", m.inside(), len(m.preview))
	}), counts)

	frame := pool.Scope(ctx)
	drawn := frame.Schedule(&Tile{m: m, size: size})
	written := pool.External(ctx, func(context.Context) error { return m.write(out) }, drawn) // it may block
	if err := jobs.WaitAll(said, written); err != nil {
		return errors.Join(err, frame.End())
	}
	if err := errors.Join(frame.End(), ctx.Err()); err != nil { // a body that stopped early has ended without an error
		return err
	}
	_, err = fmt.Fprintf(w, "%016x\n", m.hash())
	return err
}

// reportStuck reports that no job has begun or ended for a long time.
func reportStuck(live jobs.LiveJobs) {
	log.Print("nothing moves:")
	if err := live.WriteText(os.Stderr); err != nil {
		log.Print(err)
	}
}

// closePool closes a pool. A job for which no goroutine has waited is a bug of this program, so the
// error lists such jobs.
func closePool(pool *jobs.Pool) error {
	live := pool.Live()
	err := pool.Close()
	var leak *jobs.LeakError
	if errors.As(err, &leak) {
		return errors.Join(fmt.Errorf("left: %d, %s among them", leak.Count, leak.Job), live.WriteText(os.Stderr))
	}
	return err
}
