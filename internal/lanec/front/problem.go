package front

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// A Problem is a reason why a function cannot be compiled.
type Problem struct {
	Pos  token.Pos
	Text string
	Sum  token.Pos // position of the sum to which the product at Pos is added, or none
}

func (p *Problem) Error() string { return p.Text }

// In returns the text of the problem. If the problem has a sum, the text includes the position of
// the sum.
func (p *Problem) In(files *token.FileSet) string {
	if !p.Sum.IsValid() {
		return p.Text
	}
	sum := files.Position(p.Sum)
	at := fmt.Sprintf("%d:%d", sum.Line, sum.Column)
	if sum.Filename != files.Position(p.Pos).Filename {
		at = filepath.Base(sum.Filename) + ":" + at
	}
	return strings.Replace(p.Text, "meets a sum", "meets the sum at "+at, 1)
}

// Problems lists the problems of one function in the order of the source. It contains
// each raw product in a sum once. It contains at most one other problem: the one at
// which the translation stopped.
type Problems []*Problem

func (list Problems) Error() string { return errors.Join(list.Unwrap()...).Error() }

// Unwrap returns the problems as errors.
func (list Problems) Unwrap() []error {
	all := make([]error, len(list))
	for i, p := range list {
		all[i] = p
	}
	return all
}

// sortProblems returns the problems of a function, or nil; last is the problem that
// stopped translation, or nil.
func sortProblems(list Problems, last *Problem) Problems {
	if last != nil {
		list = append(list, last)
	}
	slices.SortStableFunc(list, func(a, b *Problem) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Text, b.Text)) })
	return slices.CompactFunc(list, func(a, b *Problem) bool { return *a == *b })
}

func problem(at token.Pos, format string, args ...any) *Problem {
	return &Problem{Pos: at, Text: fmt.Sprintf(format, args...)}
}

func fail(at token.Pos, format string, args ...any) { panic(problem(at, format, args...)) }
