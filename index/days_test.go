package index

import (
	"fmt"
	"testing"
	"time"
)

// A date in a document is a day, wherever the one who asks is; a time is an instant.
func TestDaysAreThoseOfWhoAsks(t *testing.T) {
	k := newKit(t)
	for n, created := range []string{"2026-02-14", "2026-02-15", "2026-02-15T03:00:00Z", "2026-02-15T06:00:00Z", "2026-02-16T04:00:00Z", "2026-02-16"} {
		k.put(fmt.Sprintf(".wrangler/issues/%d.md", n), fmt.Sprintf("---\nid: %d\ncreatedAt: %s\n---\n", n, created))
	}
	ix := k.open(Options{Mode: ModeVerify})
	defer k.close(ix)
	for _, c := range []struct {
		name          string
		offset        int // of the zone, hours
		after, before int // days of February
		want          string
	}{
		{"UTC", 0, 15, 16, "1 2 3"},
		{"west of it", -5, 15, 16, "1 3 4"},
		{"east of it", 9, 15, 16, "1 2 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			zone := time.FixedZone("", c.offset*60*60)
			at := func(day int) time.Time { return time.Date(2026, 2, day, 0, 0, 0, 0, zone) }
			page, err := ix.Find(t.Context(), Query{
				Filter: Filter{CreatedAfter: at(c.after), CreatedBefore: at(c.before)},
				Sort:   Sort{Key: SortCreated}, Limit: 10,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, r := range page.Rows {
				got += " " + r.ID
			}
			if got != " "+c.want || page.Total != len(page.Rows) {
				t.Errorf("found%s (%d), want %s", got, page.Total, c.want)
			}
		})
	}
}
