package inspect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/lanewise/lanewise/ecs/app"
	"github.com/lanewise/lanewise/ecs/system"
	"github.com/lanewise/lanewise/inspect"
)

func ExampleServe() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go inspect.Serve(ctx, "localhost:6060", os.Stderr)

	w, err := system.NewWorld("fountain")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	fmt.Println(app.Run(ctx, w, app.Frames(3), app.Step(1.0/60)))
	// Output: <nil>
}

// The page may pause the world and edit values.
func ExampleAllow() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go inspect.Serve(ctx, "localhost:6060", os.Stderr, inspect.Allow(inspect.Control|inspect.Edit))
}

// The inspector keeps images of past frames, up to 256 MiB. The page can show each of these
// frames and continue from it.
func ExampleHistory() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go inspect.Serve(ctx, "localhost:6060", os.Stderr, inspect.History(1, 256<<20), inspect.Allow(inspect.Control|inspect.Edit))
}

func ExampleNew() {
	mux := http.NewServeMux()
	in := inspect.New(inspect.Allow(inspect.Control | inspect.Edit))
	defer in.Close()
	mux.Handle("/inspect/", http.StripPrefix("/inspect", in))

	r := httptest.NewRequest(http.MethodGet, "http://localhost/inspect/", nil)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"))

	r.Host = "example.org"
	w = httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code)
	// Output:
	// 200 text/html; charset=utf-8
	// 421
}
