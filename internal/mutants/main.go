// Command mutants checks the tests of this repository. It makes many versions
// of the program with one small mistake each, and checks that a test fails for
// each of them. If the tests did not notice these mistakes, they would not
// notice the same mistakes made by a person either.
//
//	go run ./internal/mutants                 all of them, some ten minutes on two cores
//	go run ./internal/mutants -only ecs-hash  those whose names match
//	go run ./internal/mutants -share 2/7      the second seventh of them
//	go run ./internal/mutants -patience 10    on a busy machine, where tests take longer
//
// A mutant is an entry of a file in list. It has a name, a function, a piece of text that occurs once in
// this function, its replacement, the effect that a user would see, and the tests that run first. The
// command changes no file of the tree. The compiler reads mutants through -overlay, and compiles all
// mutants of Go functions at once (see weave.go). Pages are changed in a copy of the tree. After the tests
// that an entry names, the other tests of the package run.
//
// There are four results. A mutant is killed if a test fails. It is killed by a hang if no test
// fails within its time limit. Otherwise it survives. If the mutant does not apply or does not
// compile, the list is wrong. An entry may give a reason why its mutant survives. The table in
// docs/mutants.md lists these mutants, and the command does not count them. If fewer than 95 of
// 100 of the remaining mutants are killed, or if the list has a fault, the exit code is 1.
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

// enough is the smallest fraction of mutants that must be killed.
const enough = 0.95

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutants: ")
	only := flag.String("only", "", "try only the mutants whose name matches this regular `expression`")
	share := flag.String("share", "1/1", "try only part `K/N` of those: mutants K, K+N, K+2N and so on")
	parallel := flag.Int("p", 2, "try `N` mutants at a time")
	patience := flag.Float64("patience", 1, "multiply all limits of time by `N`, on a busy machine")
	verbose := flag.Bool("v", false, "print what the tests of survivors and of faults print")
	flag.Parse()
	filter, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 || *parallel < 1 || *patience <= 0 {
		log.Fatalf("want -only with a regular expression, -p and -patience above 0: %v", err)
	}
	var part, parts int
	if _, err := fmt.Sscanf(*share, "%d/%d", &part, &parts); err != nil || part < 1 || part > parts {
		log.Fatalf("-share is %q; want K/N with K from 1 to N, for example 2/7", *share)
	}
	chosen, err := choose(filter, part, parts)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	ok, err := try(ctx, chosen, *parallel, *patience, *verbose)
	stop()
	if err != nil {
		log.Fatal(err)
	}
	if !ok {
		os.Exit(1)
	}
}

// choose returns the mutants whose names match. If they are divided into several parts, it returns every
// parts-th of these mutants, beginning with number part.
func choose(filter *regexp.Regexp, part, parts int) ([]*mutant, error) {
	all, err := readLists(lists)
	if err != nil {
		return nil, err
	}
	var list []*mutant
	matched := 0
	for _, m := range all {
		if filter.MatchString(m.name) {
			if matched%parts == part-1 {
				list = append(list, m)
			}
			matched++
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%d mutants match %q, and part %d of %d of them is empty", matched, filter, part, parts)
	}
	return list, nil
}

// try tests the mutants, and prints the result for each mutant.
func try(ctx context.Context, list []*mutant, parallel int, patience float64, verbose bool) (ok bool, err error) {
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
	eachMutant(list, parallel, func(m *mutant) {
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

// eachMutant calls do for every mutant. Several goroutines do so at the same time.
func eachMutant(list []*mutant, parallel int, do func(*mutant)) {
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

// summarise prints the totals, and reports whether enough mutants were killed.
func summarise(sum [verdicts]int, took time.Duration) bool {
	var parts []string
	total := 0
	for v, n := range sum {
		if total += n; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verdict(v)))
		}
	}
	counted := total - sum[skipped] - sum[explained]
	dead := sum[killed] + sum[hung]
	fmt.Printf("\n%d mutants in %s: %s\n", total, took.Round(time.Second), strings.Join(parts, ", "))
	if counted > 0 {
		fmt.Printf("%.1f %% killed, at least %.0f %% wanted\n", 100*float64(dead)/float64(counted), 100*enough)
	}
	return sum[faulty] == 0 && sum[uncompiled] == 0 && float64(dead) >= enough*float64(counted)
}
