package index

import (
	"context"
	"reflect"
	"strings"

	"issues-index/index/db"
)

// A Narrowing is why a filter lets no ready document through although some are ready.
type Narrowing struct {
	Ready int // documents that are ready, and meant for the caller, whatever the filter says
	// None are the fields of the filter, by their names in JSON, of which each alone leaves none
	// of these; empty when only all together do.
	None []string
}

// Narrowing asks what is ready without a filter, and with each of its fields alone. Errors are
// Find's.
func (ix *Index) Narrowing(ctx context.Context, f Filter) (n Narrowing, err error) {
	var names []string
	filters := []Filter{{Ready: true, MeantFor: f.MeantFor}}
	given := reflect.ValueOf(f)
	for i, field := range reflect.VisibleFields(given.Type()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		unset := !field.IsExported() || given.Field(i).IsZero() || name == "where" && f.Where.Text == ""
		if unset || name == "ready" || name == "meantFor" {
			continue
		}
		alone := Filter{MeantFor: f.MeantFor}
		if name == "assignee" { // who need not be the caller
			alone.MeantFor = ""
		}
		reflect.ValueOf(&alone).Elem().Field(i).Set(given.Field(i))
		alone.Ready = true
		names, filters = append(names, name), append(filters, alone)
	}
	if len(names) == 0 {
		return Narrowing{}, nil
	}
	counts := make([]int, len(filters))
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		var err error
		for i := 0; err == nil && i < len(filters); i++ {
			resolved := filters[i]
			if _, err = ix.engine.resolveFilter(ctx, tx, &resolved); err == nil {
				counts[i], err = ix.engine.count(ctx, tx, resolved)
			}
		}
		return err
	})
	if err != nil {
		return Narrowing{}, err
	}
	n.Ready = counts[0]
	for i, name := range names {
		if counts[i+1] == 0 {
			n.None = append(n.None, name)
		}
	}
	return n, nil
}
