// Package jobs stands for the library's.
package jobs
