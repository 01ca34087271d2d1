//go:build !js

// Gallery shows simulations in a browser, and checks there that they have the same bits as on every
// other machine. Without flags, it computes the hash of each exhibit, and compares it with the hash
// that the page expects. With -serve, it serves a folder on this machine; make gallery has built
// the folder:
//
//	make gallery
//	gallery -serve bin/gallery -addr localhost:8080
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/lanewise/lanewise/examples/gallery/exhibit"
	"github.com/lanewise/lanewise/jobs"
)

func main() {
	dir := flag.String("serve", "", "serve the `folder` that make gallery has built")
	addr := flag.String("addr", "localhost:8080", "the `address` for -serve")
	flag.Parse()
	if *dir != "" {
		fmt.Printf("http://%s/\n", *addr)
		log.Fatal(serve(*addr, *dir))
	}
	if err := check(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// serve serves the files of a folder at an address.
func serve(addr, dir string) error {
	s := &http.Server{Addr: addr, Handler: pages(dir), ReadHeaderTimeout: 10 * time.Second}
	return s.ListenAndServe()
}

// pages serves the files of a folder.
func pages(dir string) http.Handler { return http.FileServer(http.Dir(dir)) }

// check prints the hash of each exhibit after its first ticks. It fails if a hash differs from the
// expected hash.
func check(out io.Writer) error {
	for _, e := range exhibit.All() {
		r, err := exhibit.Start(e, jobs.Default())
		if err != nil {
			return err
		}
		err = r.Advance(e.Checked)
		hash := r.Hash()
		r.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-10s %4d ticks  %016x\n", e.Name, e.Checked, hash)
		if hash != e.Golden {
			return fmt.Errorf("%s: the hash is %016x, want %016x", e.Name, hash, e.Golden)
		}
	}
	return nil
}
