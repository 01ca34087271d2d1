//go:build unix

// Command stall runs a program and stops it at random moments, as a busy machine does. With it,
// make stalls finds tests that depend on the speed of the machine, for example a test that expects
// a goroutine to run within 5 ms:
//
//	go build -o bin/stall ./internal/stall
//	go test -exec "$PWD/bin/stall -longest 200ms" ./ecs/app
//
// The program and all that it starts run for a random time of at most the flag's duration, then
// are stopped for another such time, and so on. On Linux, about half of the stops are of one of these
// processes alone, because a test may also depend on which of two processes is faster. Stall ends
// with the exit status of the program.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	longest := flag.Duration("longest", 200*time.Millisecond, "the longest time that the program runs or is stopped")
	flag.Parse()
	if flag.NArg() == 0 || *longest < 2*time.Millisecond {
		fmt.Fprintln(os.Stderr, "usage: stall [-longest DURATION] PROGRAM [ARGUMENT...], with a duration of at least 2ms")
		os.Exit(2)
	}
	code, err := run(*longest, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "stall:", err)
	}
	os.Exit(code)
}

// run runs a program with pauses and returns its exit status. The status is 1 if a signal ended the
// program, and 2 if the program did not start.
func run(longest time.Duration, args []string) (int, error) {
	command := exec.Command(args[0], args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that signals reach its children too
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	defer signal.Stop(interrupts)
	if err := command.Start(); err != nil {
		return 2, err
	}
	group := -command.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			if exit := new(exec.ExitError); errors.As(err, &exit) {
				return max(exit.ExitCode(), 1), nil
			}
			if err != nil {
				return 1, err
			}
			return 0, nil
		case s := <-interrupts:
			_ = syscall.Kill(group, s.(syscall.Signal))
		case <-time.After(time.Duration(rand.Int64N(1 + rand.Int64N(int64(longest))))):
			target := group
			if rand.IntN(2) == 0 {
				if all := processes(command.Process.Pid); len(all) > 1 {
					target = all[rand.IntN(len(all))]
				}
			}
			_ = syscall.Kill(target, syscall.SIGSTOP)
			time.Sleep(time.Duration(rand.Int64N(int64(longest))))
			_ = syscall.Kill(target, syscall.SIGCONT)
		}
	}
}

// processes returns the processes of a group. It returns nothing on systems without the files of
// Linux in /proc.
func processes(group int) (all []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		text, _ := os.ReadFile(name) // a process may have ended: its text is empty
		// The line is "pid (name) state parent group …", and a name may have spaces and parentheses.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 3 || fields[2] != strconv.Itoa(group) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
			all = append(all, pid)
		}
	}
	return all
}
