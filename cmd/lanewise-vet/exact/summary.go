package exact

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A summary describes a function for its callers. The callers need the
// summary because Go may inline the function. Drivers of analyzers pass
// summaries between packages as facts.
type summary struct {
	Returns []flow  // results that may be unrounded
	Stores  []flow  // unrounded writes through parameters
	Sums    []place // parts of parameters that are added
	Conds   []place // products that are added if a parameter is a power of two
	Hands   []hand  // unrounded arguments of functions that are parameters
	Makes   []made  // the functions that are results
	Faults  []string
}

// A hand describes an unrounded number that a function passes to one of its
// parameters, which is itself a function.
type hand struct {
	Param int  // which one is called
	Flow  flow // its slot is the index of the argument
}

// A made describes a function that another function returns.
type made struct {
	Slot    int
	Summary *summary
}

// AFact marks a summary as a fact, which is stored with the function's package.
func (*summary) AFact() {}

func (s *summary) String() string { return "inexact" }

// A flow is an unrounded number in a result or in memory that a parameter
// refers to.
type flow struct {
	Slot   int
	Path   path
	Source source
}

// A source is the source of an unrounded number: a product, with a text for other
// packages, or a part of a parameter.
type source struct {
	Text     string
	From     int
	FromPath path
	Cond     int // index of the parameter that must be a power of two, or -1
	product  *ssa.BinOp
	param    *ssa.Parameter
	of       *ssa.Function
}

// A place is a product, or a part of a parameter, that a function adds to
// something. The function adds it always, or only if another parameter is a
// power of two.
type place struct {
	Source source
	Cond   int
	at     token.Pos // position of the sum, if it is in a function literal; otherwise callers report it
}

func (s *summary) sort() {
	slices.SortFunc(s.Returns, flow.compare)
	slices.SortFunc(s.Stores, flow.compare)
	same := func(x, y place) bool { return x.compare(y) == 0 }
	slices.SortFunc(s.Hands, hand.compare)
	slices.SortFunc(s.Sums, place.compare)
	s.Sums = slices.CompactFunc(s.Sums, same)
	slices.SortFunc(s.Conds, place.compare)
	s.Conds = slices.CompactFunc(s.Conds, same)
}

func (s *summary) equal(t *summary) bool {
	flows := func(x, y flow) bool { return x.compare(y) == 0 }
	places := func(x, y place) bool { return x.compare(y) == 0 }
	hands := func(x, y hand) bool { return x.compare(y) == 0 }
	return slices.EqualFunc(s.Hands, t.Hands, hands) && slices.EqualFunc(s.Returns, t.Returns, flows) && slices.EqualFunc(s.Stores, t.Stores, flows) &&
		slices.EqualFunc(s.Sums, t.Sums, places) && slices.EqualFunc(s.Conds, t.Conds, places)
}

// forImporters returns the summary for other packages, without references to this
// package's functions. (Not every driver serializes facts.)
func (s *summary) forImporters() *summary {
	t := &summary{Faults: s.Faults}
	for _, f := range s.Returns {
		t.Returns = append(t.Returns, flow{f.Slot, f.Path, f.Source.forImporters()})
	}
	for _, f := range s.Stores {
		t.Stores = append(t.Stores, flow{f.Slot, f.Path, f.Source.forImporters()})
	}
	for _, p := range s.Sums {
		t.Sums = append(t.Sums, place{p.Source.forImporters(), p.Cond, 0})
	}
	for _, p := range s.Conds {
		t.Conds = append(t.Conds, place{p.Source.forImporters(), p.Cond, 0})
	}
	for _, h := range s.Hands {
		t.Hands = append(t.Hands, hand{h.Param, flow{h.Flow.Slot, h.Flow.Path, h.Flow.Source.forImporters()}})
	}
	t.Makes = s.Makes
	return t
}

func (s source) forImporters() source {
	return source{Text: s.Text, From: s.From, FromPath: s.FromPath, Cond: s.Cond}
}

func (f flow) compare(g flow) int {
	return cmp.Or(cmp.Compare(f.Slot, g.Slot), strings.Compare(f.Path.String(), g.Path.String()), f.Source.compare(&g.Source))
}

func (p place) compare(q place) int {
	return cmp.Or(p.Source.compare(&q.Source), cmp.Compare(p.Cond, q.Cond))
}

func (h hand) compare(g hand) int {
	return cmp.Or(cmp.Compare(h.Param, g.Param), h.Flow.compare(g.Flow))
}

func (s *source) compare(t *source) int {
	at := func(s *source) (p, q token.Pos) {
		if s.product != nil {
			p = s.product.Pos()
		}
		if s.param != nil {
			q = s.param.Pos()
		}
		return p, q
	}
	p, q := at(s)
	r, u := at(t)
	return cmp.Or(cmp.Compare(p, r), cmp.Compare(q, u), strings.Compare(s.Text, t.Text), cmp.Compare(s.From, t.From),
		strings.Compare(s.FromPath.String(), t.FromPath.String()), cmp.Compare(s.Cond, t.Cond))
}
