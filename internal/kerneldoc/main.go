// Command kerneldoc writes docs/kernels.md, which lists the kernels and the paths that have assembly for each of
// them. It reads the source of package kernels, so that the page shows every kernel that lacks a path. It also writes
// docs/opinions.md, which lists the programs that checked each function.
//
//	go generate ./internal/kerneldoc
package main

import (
	"log"
	"os"
	"path/filepath"
)

//go:generate go run .

// root is the root of the module, relative to this directory.
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
