package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func (k *kit) values(ix *Index, q ValuesQuery, keep func(Values) int) Values {
	k.Helper()
	v, err := ix.Values(context.Background(), q)
	if err == nil {
		v, err = v.CutAfter(context.Background(), keep(v))
	}
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
			q := ValuesQuery{Field: pick(r, GroupBys), Filter: k.filter(r), Limit: 1 + r.IntN(9), Scope: "values", Set: r.IntN(2) == 0}
			want := tallied(k.matching(q.Filter, Sort{}), q.Field)
			if q.Set {
				want = slices.DeleteFunc(want, func(c Count) bool { return c.Value == "" })
			}
			keep := func(v Values) int { return 1 + r.IntN(max(1, len(v.Counts))) }
			var got []Count
			for {
				v := k.values(ix, q, keep)
				got = append(got, v.Counts...)
				if v.Distinct != len(want) || v.Remaining != len(want)-len(got) {
					t.Fatalf("%d values, %d after these %d, want %d in all", v.Distinct, v.Remaining, len(got), len(want))
				}
				if q.Cursor = v.Next; v.Next == "" {
					break
				}
				q.Field, q.Filter = "type", Filter{} // the cursor's count
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: %v, want %v", q, got, want)
			}
		}
	})
	t.Run("a cursor works in the scope that made it", func(t *testing.T) {
		all := func(v Values) int { return len(v.Counts) }
		v := k.values(ix, ValuesQuery{Field: "label", Limit: 3, Scope: "values"}, all)
		_, err := ix.Find(context.Background(), Query{Cursor: v.Next, Scope: "reader"})
		var refused *CursorError
		if !errors.As(err, &refused) || refused.Scope != "values" {
			t.Errorf("another scope: %v", err)
		}
	})
}
