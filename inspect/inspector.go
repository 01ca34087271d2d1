package inspect

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/jobs"
)

// DefaultBudget is how long looking may hold up a frame, unless [Budget] says otherwise.
const DefaultBudget = 30 * time.Microsecond

// Inspector shows worlds. It is an http.Handler: mount it with http.StripPrefix in a mux of
// your own, or let [Serve] make a server. Close it when it is no longer needed.
type Inspector struct {
	views // what owners of worlds have to do with

	allow  Permission
	token  string
	hosts  []string
	tables []tableForm
	mux    *http.ServeMux
	seats  chan struct{} // one for each request that is being answered
}

// Option is a choice made when an inspector is made.
type Option func(*Inspector)

// Permission is what a page may do besides looking.
type Permission uint8

// What a page may do.
const (
	Control Permission = 1 << iota // pause, step, slow down
	Edit                           // change values and names, switch systems
)

// Allow lets a page do more than look: Control, Edit, or Control|Edit.
func Allow(what Permission) Option { return func(i *Inspector) { i.allow |= what } }

// Only limits the inspector to some worlds. Without it, it shows all worlds with systems
// that there are, and those to come.
func Only(ws ...*ecs.World) Option { return func(i *Inspector) { i.only = append(i.only, ws...) } }

// Token sets the secret that requests must bear; without it, or if it is empty, a random one of
// 144 bits is made.
func Token(secret string) Option { return func(i *Inspector) { i.token = secret } }

// Hosts adds names under which the page may be opened, besides those of the loopback. With a
// name here [Serve] listens on other addresses too: whoever reaches one of them and
// knows the token sees everything.
func Hosts(names ...string) Option {
	return func(i *Inspector) { i.hosts = append(i.hosts, names...) }
}

// Budget is how long looking may hold up a frame; what takes longer is spread over frames.
func Budget(d time.Duration) Option { return func(i *Inspector) { i.budget = d } }

// Tables lets those who have the token ask for tables:
//
//	/table/Position,Velocity.EXT               the entities that have both
//	/table/Position,?Velocity.EXT              those that have a Position, and their Velocity if they have one
//	/table/Position,-Frozen.EXT                those that have a Position and nothing Frozen
//	/table/Position,Velocity.EXT?frame=one     as they are in one frame
//
// Ext is the ending by which the form is known, kind its media type. Package arrow has one:
// inspect.Tables("arrow", arrow.MediaType, arrow.Take). Copying is spread over frames as everything is that takes
// longer than the [Budget]: rows of a large table are of several frames. With frame=one the owner of the world is held up
// while all rows are copied, which is as long as a copy of that memory takes.
func Tables(ext, kind string, take TakeTable) Option {
	return func(i *Inspector) { i.tables = append(i.tables, tableForm{ext, kind, take}) }
}

// SlowFrames keeps the last second before the end of a frame that took longer than budget: what ran
// when on which worker, and what Go's execution trace says, to be opened by go tool trace, with
// the names of systems and jobs in it. A budget of 0 is three times the median of the last
// frames. It looks at every frame, also when nobody asks for anything, and costs some
// percent. A process has one flight recorder: if another one is active there is no trace, and
// the page says so.
func SlowFrames(budget time.Duration) Option {
	return func(i *Inspector) { i.box = &blackBox{budget: max(budget, 0)} }
}

// New returns an inspector of all worlds, or of those that [Only] names.
func New(opts ...Option) *Inspector {
	i := &Inspector{seats: make(chan struct{}, maxRequests)}
	i.budget, i.pools = DefaultBudget, map[*jobs.Pool]int{}
	for at, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("inspect: New: option %d is nil", at))
		}
		o(i)
	}
	if i.token == "" {
		var b [18]byte
		_, _ = rand.Read(b[:]) // it never fails
		i.token = base64.RawURLEncoding.EncodeToString(b[:])
	}
	i.mux = i.routes()
	if i.box != nil {
		i.box.begin()
		i.touch()
	}
	return i
}

// Close ends the inspector: paused worlds go on, and at the end of its next frame each world lets
// go of what was recorded. Requests are refused from now on.
func (i *Inspector) Close() error {
	if i.closed.Swap(true) {
		return nil
	}
	i.poke()
	if i.box != nil {
		i.box.end()
	}
	return nil
}

// URL returns the address to open of a server that listens on addr, with the token behind the
// #, where neither logs nor other sites see it.
func (i *Inspector) URL(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		host, port = addr, "80"
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + "/#" + url.PathEscape(i.token)
}
