package access

// Access says what a job touches.
type Access struct {
	Read  Set // components it only reads
	Write Set // components it writes, and may read
	Where Set // archetypes it touches; empty means everywhere
}
