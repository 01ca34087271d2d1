package front

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// A Problem is why a function cannot be a kernel.
type Problem struct {
	Pos  token.Pos
	Text string
}

func (p *Problem) Error() string { return p.Text }

// Problems are those of one function: all products that meet sums, each once, and at most one of another kind, at which reading has ended.
// They are in the order of the source.
type Problems []*Problem

func (list Problems) Error() string { return errors.Join(list.Unwrap()...).Error() }

// Unwrap returns each of them.
func (list Problems) Unwrap() []error {
	all := make([]error, len(list))
	for i, p := range list {
		all[i] = p
	}
	return all
}

// sorted returns the problems of a function, if there are any; last ended the reading, or is nil.
func sorted(list Problems, last *Problem) Problems {
	if last != nil {
		list = append(list, last)
	}
	slices.SortStableFunc(list, func(a, b *Problem) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Text, b.Text)) })
	return slices.CompactFunc(list, func(a, b *Problem) bool { return *a == *b })
}

func problem(at token.Pos, format string, args ...any) *Problem {
	return &Problem{at, fmt.Sprintf(format, args...)}
}

func fail(at token.Pos, format string, args ...any) { panic(problem(at, format, args...)) }
