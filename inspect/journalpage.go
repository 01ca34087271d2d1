package inspect

import (
	"context"
	"slices"
)

// Journal is the answer of /api/journal.
type Journal struct {
	Frame   uint64   `json:"frame"`
	Next    uint64   `json:"next"` // argument of the next request: since=next
	Lost    uint64   `json:"lost"` // number of entries after since that were overwritten
	Changes []Change `json:"changes"`
	Edits   []Change `json:"edits"` // the last hundred changes by clients of the inspector, the oldest first, for any since
}

func journalPage(ctx context.Context, v *view, since uint64) (*Journal, error) {
	out := &Journal{Changes: []Change{}, Edits: []Change{}}
	_, err := v.runBetween(ctx, "journal", func(*ownerSlice) (bool, error) {
		j := &v.journal
		first, list := j.appendSince(slices.Grow(out.Changes, len(j.ring)), since)
		if since > j.entryCount {
			first = j.entryCount // the client has a number from another run
		}
		out.Edits = append(out.Edits, v.edits.entries...)
		out.Changes, out.Next, out.Lost, out.Frame = list, j.entryCount, first-min(since, first), v.lastFrame.Load()
		return false, nil
	})
	if err != nil {
		return nil, err // the owner may still be writing to it
	}
	for k := range out.Changes {
		out.Changes[k].System = shortName(out.Changes[k].System)
	}
	return out, nil
}
