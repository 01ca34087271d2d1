package access

import "fmt"

// ConflictError says that two jobs touch the same component, one of them
// writes it, and nothing orders them.
type ConflictError struct {
	Job       string // the one that was added
	Other     string // the one that was there
	Component int
	Name      string // of the component, where the tracker knows one
}

// Error names the jobs, the component and the remedy.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("access: Tracker.AddOrdered: %s and %s both touch %s and nothing orders them: schedule one after the other",
		e.Job, e.Other, e.touched())
}

// touched is what the component is called.
func (e *ConflictError) touched() string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("component %d", e.Component)
}
