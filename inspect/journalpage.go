package inspect

import (
	"context"
	"slices"
)

// Journal is the answer of /api/journal.
type Journal struct {
	Frame   uint64   `json:"frame"`
	Next    uint64   `json:"next"` // to ask for the entries after these: since=next
	Lost    uint64   `json:"lost"` // entries after since that the ring no longer has
	Changes []Change `json:"changes"`
}

func journalPage(ctx context.Context, v *view, since uint64) (*Journal, error) {
	out := &Journal{Changes: []Change{}}
	_, err := v.at(ctx, "journal", func(*look) (bool, error) {
		j := &v.journal
		first, list := j.since(slices.Grow(out.Changes, len(j.ring)), since)
		if since > j.next {
			first = j.next // the client knows another run
		}
		out.Changes, out.Next, out.Lost, out.Frame = list, j.next, first-min(since, first), v.number.Load()
		return false, nil
	})
	if err != nil {
		return nil, err // the owner may have it still
	}
	for k := range out.Changes {
		out.Changes[k].System = short(out.Changes[k].System)
	}
	return out, nil
}
