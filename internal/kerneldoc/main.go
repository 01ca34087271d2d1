// Command kerneldoc writes down which kernels there are and which paths have code
// of their own for them: docs/kernels.md, one row a kernel, and a table in the
// README, one row a family. Both are read off the source of package kernels, so
// that a path that is missing shows.
//
//	go generate ./internal/kerneldoc
package main

import (
	"log"
	"os"
	"path/filepath"
)

//go:generate go run .

// root is the module's, seen from this directory.
const root = "../.."

func main() {
	log.SetFlags(0)
	dir := filepath.Join(root, "kernels")
	rows, err := table(dir)
	if err != nil {
		log.Fatal("kerneldoc: ", err)
	}
	pages, err := pages(dir, rows, os.ReadFile)
	if err != nil {
		log.Fatal("kerneldoc: ", err)
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			log.Fatal("kerneldoc: ", err)
		}
	}
}
