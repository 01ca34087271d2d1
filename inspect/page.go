//go:build !js

package inspect

import (
	"bytes"
	"compress/gzip"
	"embed"
	"net/http"
	"path"
	"strings"
	"sync"
)

// The page consists of plain files: markup without an inline script, a style
// sheet, and JavaScript modules, one for each view. The server sends them
// compressed.
//
//go:embed page
var embedded embed.FS

// compressedFile is a compressed file of the page.
type compressedFile struct {
	kind  string
	plain []byte
	gzip  []byte
}

// kinds maps the file extensions of the page to media types.
var kinds = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

// compressedFiles compresses the files of the page at the first request.
var compressedFiles = sync.OnceValue(func() map[string]compressedFile {
	files := map[string]compressedFile{}
	list, _ := embedded.ReadDir("page") // embedded files can always be read
	for _, entry := range list {
		data, _ := embedded.ReadFile("page/" + entry.Name())
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = z.Write(data) // a buffer never returns an error
		_ = z.Close()
		files[entry.Name()] = compressedFile{kind: kinds[path.Ext(entry.Name())], plain: data, gzip: b.Bytes()}
	}
	return files
})

// servePage serves a file of the page; the root is index.html.
func servePage(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	f, ok := compressedFiles()[name]
	if !ok {
		http.Error(w, "inspect: there is no page "+clip(r.URL.Path, 100), http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Vary", "Accept-Encoding")
	data := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = f.gzip
	}
	_, _ = w.Write(data) // an error means that the client has gone
}
