package inspect

import (
	"crypto/rand"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lanewise/lanewise/ecs"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/jobs"
)

// lease is how long a request keeps recording on.
const lease = 3 * time.Second

// DefaultBudget is how long looking may hold up a frame, unless [Budget] says otherwise.
const DefaultBudget = 30 * time.Microsecond

// Inspector shows worlds. It is an http.Handler: mount it with http.StripPrefix in a mux of
// your own, or let [Serve] make a server. Close it when it is no longer needed.
type Inspector struct {
	allow  Permission
	token  string
	hosts  []string
	only   []*ecs.World
	budget time.Duration
	box    *blackBox // nil: none was asked for
	tables []tableForm
	mux    *http.ServeMux
	seats  chan struct{} // one for each request that is being answered

	looked atomic.Int64 // when somebody asked last, by jobs.Clock; written by requests, read by owners
	closed atomic.Bool  // written by Close, read by owners and requests

	views atomic.Pointer[[]*view] // of the worlds that are looked at, in the order of their making: a list is written under mu, always a new one, and read by owners and requests

	mu     sync.Mutex
	remove func() // ends the hook of all borders; nil when there is none
	pools  map[*jobs.Pool]int
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

// New returns an inspector of all worlds, or of those that [Only] names.
func New(opts ...Option) *Inspector {
	i := &Inspector{budget: DefaultBudget, seats: make(chan struct{}, maxRequests), pools: map[*jobs.Pool]int{}}
	for _, o := range opts {
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

// now is the time of everything here.
func now() time.Duration { return jobs.Clock() }

// touch renews the lease, and sees to it that worlds show their borders.
func (i *Inspector) touch() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.looked.Store(int64(now()))
	if i.remove == nil && !i.closed.Load() {
		i.remove = system.OnEveryBorder(i.border)
	}
}

// wanted reports whether somebody looks.
func (i *Inspector) wanted() bool { return i.wantedAt(now()) }

// wantedAt is wanted for those who know the time.
func (i *Inspector) wantedAt(at time.Duration) bool {
	return !i.closed.Load() && (i.box != nil || at-time.Duration(i.looked.Load()) < lease)
}

// share is how much of the time of frames taking their times may need. The black box wants every
// frame: nobody knows which one will be slow.
func (i *Inspector) share() float64 {
	if i.box != nil {
		return 1
	}
	return 0.01
}

// border is called by the owner of each world between two frames.
func (i *Inspector) border(b *system.Border) {
	v := i.viewOf(b)
	if v == nil {
		return
	}
	v.frame(b)
	if !i.wantedAt(b.End) && (!v.paused.Load() || i.closed.Load()) && !i.wanted() {
		v.end()
		i.drop(v)
	}
}

// shows reports whether the inspector is for a world.
func (i *Inspector) shows(w *ecs.World) bool { return i.only == nil || slices.Contains(i.only, w) }

// viewOf returns the view of a world that has come to its border, making it the first time; nil
// if nobody wants one. When nobody looks at any world it takes the hook out.
func (i *Inspector) viewOf(b *system.Border) *view {
	if v := i.find(b.World); v != nil {
		return v
	}
	if !i.wanted() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if !i.wanted() { // still, now that nobody can renew the lease
			i.rest()
		}
		return nil
	}
	if !i.shows(b.World) {
		return nil
	}
	v := newView(i, b.World)
	i.add(v)
	return v
}

// join makes views of the worlds of a loop that have none yet: they come to no border as long as
// it stands still. It is for the loop's owner.
func (i *Inspector) join(l *system.Loop) {
	if l == nil {
		return
	}
	for _, w := range l.Worlds() {
		if !i.shows(w) || i.find(w) != nil {
			continue
		}
		v := newView(i, w)
		v.loop.Store(l)
		v.seen.Store(int64(now()))
		v.begin()
		i.add(v)
	}
}

// add makes a view known.
func (i *Inspector) add(v *view) {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := append(i.all(), v)
	slices.SortFunc(list, func(a, b *view) int { return int(a.seq) - int(b.seq) })
	i.views.Store(&list)
}

// rest takes the hook out if no world has a view. The caller holds mu.
func (i *Inspector) rest() {
	if len(i.list()) == 0 && i.remove != nil {
		i.remove()
		i.remove = nil
	}
}

// drop forgets a view that has ended.
func (i *Inspector) drop(v *view) {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := slices.DeleteFunc(i.all(), func(o *view) bool { return o == v })
	i.views.Store(&list)
	if !i.wanted() {
		i.rest()
	}
}

// find returns the view of a world, if there is one.
func (i *Inspector) find(w *ecs.World) *view {
	for _, v := range i.list() {
		if v.world == w {
			return v
		}
	}
	return nil
}

// list is the views that there are; nobody changes it.
func (i *Inspector) list() []*view {
	if list := i.views.Load(); list != nil {
		return *list
	}
	return nil
}

// all returns the views that there are, for the caller to keep.
func (i *Inspector) all() []*view { return slices.Clone(i.list()) }

// poke wakes the owners that wait in a pause.
func (i *Inspector) poke() {
	for _, v := range i.all() {
		select {
		case v.wake <- struct{}{}:
		default:
		}
	}
}

// recorded is how many events of each worker are kept while somebody looks.
const recorded = 2048

// record switches the recording of a pool on for one world, unless its user records himself.
// It reports whether it has.
func (i *Inspector) record(p *jobs.Pool) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.pools[p] == 0 && p.Recording() > 0 {
		return false
	}
	if i.pools[p]++; i.pools[p] == 1 {
		p.RecordMetered(recorded)
	}
	return true
}

// unrecord undoes one record.
func (i *Inspector) unrecord(p *jobs.Pool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.pools[p]--; i.pools[p] == 0 {
		delete(i.pools, p)
		p.Record(0)
	}
}
