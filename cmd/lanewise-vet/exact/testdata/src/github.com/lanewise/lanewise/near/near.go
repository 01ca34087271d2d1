// Package near stands for the library's.
package near
