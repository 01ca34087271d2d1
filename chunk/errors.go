package chunk

import "errors"

// ErrTooLarge is returned when one row of an archetype does not fit in a chunk.
var ErrTooLarge = errors.New("row does not fit in a chunk")
