package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func (k *kit) values(ix *Index, q Query, keep func(Page) int) Page {
	k.Helper()
	v, err := findCut(context.Background(), ix, q, keep)
	if err != nil {
		k.Fatalf("values of %+v: %v", q, err)
	}
	return v
}

func TestValues(t *testing.T) {
	k := newKit(t)
	r := rand.New(rand.NewPCG(5, 5))
	for n := range 60 {
		p := k.random(r, n)
		p.labels = append(p.labels, fmt.Sprint("label ", r.IntN(40)))
		k.save(p)
	}
	ix := k.open(Options{})
	t.Run("pages of any size are the whole, however much of each is kept", func(t *testing.T) {
		k := k.within(t)
		for range 40 {
			q := Query{Values: pick(r, GroupBys), Filter: k.filter(r), Limit: 1 + r.IntN(9), Scope: "values"}
			want := tallied(k.matching(q.Filter, Sort{}), q.Values)
			want = slices.DeleteFunc(want, func(c Count) bool { return c.Value == "" })
			keep := func(v Page) int { return 1 + r.IntN(max(1, len(v.Counts))) }
			var got []Count
			for {
				v := k.values(ix, q, keep)
				got = append(got, v.Counts...)
				if v.Total != len(want) || v.Remaining != len(want)-len(got) {
					t.Fatalf("%d values, %d after these %d, want %d in all", v.Total, v.Remaining, len(got), len(want))
				}
				if q.Cursor = v.Next; v.Next == "" {
					break
				}
				q.Values, q.Filter = "type", Filter{} // the cursor's count
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: %v, want %v", q, got, want)
			}
		}
	})
	t.Run("a cursor works in the scope that made it", func(t *testing.T) {
		all := func(v Page) int { return len(v.Counts) }
		v := k.values(ix, Query{Values: "label", Limit: 3, Scope: "values"}, all)
		_, err := ix.Find(context.Background(), Query{Cursor: v.Next, Scope: "reader"})
		var refused *CursorError
		if !errors.As(err, &refused) || refused.Scope != "values" {
			t.Errorf("another scope: %v", err)
		}
	})
}
