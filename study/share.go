package study

import (
	"fmt"
	"os"
)

// A Share is a part of a study's runs: every Count-th run, beginning with run Index, in the order
// in which runs are done.
type Share struct{ Index, Count int }

// String returns the share in the form of -shard.
func (s Share) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// ParseShare reads a share: i/n, with 0 ≤ i < n.
func ParseShare(text string) (s Share, err error) {
	var rest string
	if k, _ := fmt.Sscanf(text+" .", "%d/%d %s", &s.Index, &s.Count, &rest); k != 3 || rest != "." || s.Index < 0 || s.Index >= s.Count {
		return Share{}, fmt.Errorf("-shard %s: say i/n with 0 ≤ i < n, as in 0/4", text)
	}
	return s, nil
}

// name returns the default name of the worker that does the share.
func (s Share) name() string { return fmt.Sprintf("%d-of-%d", s.Index, s.Count) }

// shareOf returns this process's share of the runs. It is the share that the flag names, or
// else the share that a batch system has assigned, or else all runs.
func shareOf(told string) (batchShare, error) {
	if told == "" {
		return shareIn(os.Getenv)
	}
	s, err := ParseShare(told)
	return batchShare{share: s}, err
}
