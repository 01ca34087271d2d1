//go:build !js

package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Serve creates an inspector and serves it on addr until ctx ends. For example,
// addr is "localhost:6060", or "localhost:0" for a free port. Serve prints the
// address to open, or its error, on out, so that this line is all that a
// program needs:
//
//	go inspect.Serve(ctx, "localhost:6060", os.Stderr)
//
// The address must be an address of the loopback unless [Hosts] allows other
// names. When Serve returns, paused worlds continue. If Serve returns because
// ctx has ended, the error is nil.
func Serve(ctx context.Context, addr string, out io.Writer, opts ...Option) (err error) {
	defer func() {
		if err != nil {
			_, _ = fmt.Fprintln(out, err) // the error is returned too
		}
	}()
	i := New(opts...)
	defer func() { _ = i.Close() }() // Close always returns nil
	l, err := i.listen(ctx, addr)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "inspect: open %s\n", i.URL(l.Addr().String()))
	s := &http.Server{
		Handler: i, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err = <-served:
		return fmt.Errorf("inspect: %w", err)
	case <-ctx.Done():
	}
	_ = i.Close() // so that no paused world waits any longer
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := s.Shutdown(late); err != nil {
		_ = s.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("inspect: %w", err)
	}
	return nil
}

// listen listens on addr, if that is an address of the loopback or the
// inspector has hosts.
func (i *Inspector) listen(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("inspect: the address %q is not host:port, as in localhost:6060: %w", addr, err)
	}
	if !isLoopback(host) && len(i.hosts) == 0 {
		return nil, fmt.Errorf("inspect: the address %q is open to others: write localhost:port, or name the hosts that may be asked for with inspect.Hosts", addr)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() && len(i.hosts) == 0 { // the name localhost may resolve to any address
		return nil, errors.Join(fmt.Errorf("inspect: %s is %v here, which is open to others: write 127.0.0.1:port", host, tcp.IP), l.Close())
	}
	return l, nil
}

// URL returns the address to open for a server that listens on addr. The token
// follows the #, because browsers do not send that part to logs or other sites.
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
