// Command mutants makes small wrong programs of this one and wants a test to
// fail for each: a suite that does not notice them would not notice the same
// mistakes made by a person.
//
//	go run ./internal/mutants                 all of them, some ten minutes on two cores
//	go run ./internal/mutants -only ecs-hash  those whose names match
//	go run ./internal/mutants -patience 10    on a busy machine, where tests take longer
//
// A mutant is an entry of a file in list: a name, a function, a piece of its text
// that occurs there once, what stands there instead, what a user would see, and
// the tests that are asked first. No file is touched: the compiler reads mutants
// through -overlay, those of Go functions all at once (see weave.go), and pages
// are changed in a copy of the tree. After the tests that an entry names, the tests of the package have their say.
//
// Each mutant is killed, killed by a hang (no test failed within its limit),
// survived, or is a fault of the list: it does not apply or does not compile. An
// entry may say why it survives; the table in docs/mutants.md has these. The exit
// code is 1 if fewer than 95 of 100 are killed or the list has a fault.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"time"
)

// enough is the least share of mutants that must be killed.
const enough = 0.95

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutants: ")
	only := flag.String("only", "", "try only the mutants whose name matches this regular `expression`")
	parallel := flag.Int("p", 2, "try `N` mutants at a time")
	patience := flag.Float64("patience", 1, "multiply all limits of time by `N`, on a busy machine")
	verbose := flag.Bool("v", false, "print what the tests of survivors and of faults print")
	flag.Parse()
	filter, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 || *parallel < 1 || *patience <= 0 {
		log.Fatalf("want -only with a regular expression, -p and -patience above 0: %v", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := try(ctx, filter, *parallel, *patience, *verbose)
	stop()
	if err != nil {
		log.Fatal(err)
	}
	if !ok {
		os.Exit(1)
	}
}

// try tries the mutants that match and prints how each went.
func try(ctx context.Context, filter *regexp.Regexp, parallel int, patience float64, verbose bool) (ok bool, err error) {
	all, err := readLists(lists)
	if err != nil {
		return false, err
	}
	var list []*mutant
	for _, m := range all {
		if filter.MatchString(m.name) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return false, fmt.Errorf("no mutant matches %q", filter)
	}
	b, err := newBench(".")
	if err != nil {
		return false, err
	}
	defer b.close()
	b.patience = patience
	if err := b.baseline(ctx, list, parallel); err != nil {
		return false, err
	}
	var sum [verdicts]int
	var mutex sync.Mutex
	begun := time.Now()
	each(list, parallel, func(m *mutant) {
		r := b.try(ctx, m)
		if ctx.Err() != nil {
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		sum[r.verdict]++
		fmt.Printf("%-22s %-15s %4.0f s  %s\n", m.name, r.verdict, r.took.Seconds(), r.by)
		if r.verdict >= survived {
			fmt.Printf("%22s %s: %s\n%22s a user would see: %s\n", "", m.file, m.anchor, "", m.user)
			if verbose {
				fmt.Println(r.output)
			}
		}
	})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return summarise(sum, time.Since(begun)), nil
}

// each calls do for each mutant, some at a time.
func each(list []*mutant, parallel int, do func(*mutant)) {
	next := make(chan *mutant)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for m := range next {
				do(m)
			}
		})
	}
	for _, m := range list {
		next <- m
	}
	close(next)
	wait.Wait()
}

// summarise prints the sums and says whether they are good enough.
func summarise(sum [verdicts]int, took time.Duration) bool {
	var parts []string
	total := 0
	for v, n := range sum {
		if total += n; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verdict(v)))
		}
	}
	counted := total - sum[skipped]
	dead := sum[killed] + sum[hung]
	fmt.Printf("\n%d mutants in %s: %s\n", total, took.Round(time.Second), strings.Join(parts, ", "))
	if counted > 0 {
		fmt.Printf("%.1f %% killed, at least %.0f %% wanted\n", 100*float64(dead)/float64(counted), 100*enough)
	}
	return sum[faulty] == 0 && sum[uncompiled] == 0 && float64(dead) >= enough*float64(counted)
}
