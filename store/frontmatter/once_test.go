package frontmatter

import (
	"encoding/json"
	"fmt"
	"testing"

	"issues-index/store/layout"
)

// TestManyKeysAreOneEdit: what an edit costs grows with its keys and not with
// their square, which would keep the lock for a minute when they are thousands.
func TestManyKeysAreOneEdit(t *testing.T) {
	keys := func(n, add int) (e Edit) {
		for i := range n {
			e.Context = append(e.Context, Assignment{fmt.Sprintf("key%03d", i), raw(fmt.Sprint(i + add))})
		}
		return e
	}
	apply := func(e Edit, text string) string {
		out, changed, err := e.Apply(Parse([]byte(text), "", layout.Default()), editTime)
		if err != nil || !changed {
			t.Fatalf("%.200q: changed %v, %v", text, changed, err)
		}
		return string(out)
	}
	for _, frontmatter := range []string{
		"id: x\n", "id: x\nwranglerContext: {}\n", "id: x\nwranglerContext: {own: 1}\n", "id: x\nwranglerContext:\n  own: 1\n  key007: 0\n", "",
	} {
		t.Run(frontmatter, func(t *testing.T) {
			before := "---\n" + frontmatter + "---\nbody\n"
			const few, many = 60, 240
			for step, text := range []string{before, apply(keys(many, 0), before)} { // new keys, then others' values
				after := apply(keys(many, step*many), text)
				var got map[string]int
				if err := json.Unmarshal(parseFile(after).Context, &got); err != nil {
					t.Fatal(err)
				}
				for i := range many {
					if key := fmt.Sprintf("key%03d", i); got[key] != i+step*many {
						t.Errorf("%s is %d", key, got[key])
					}
				}
				cost := func(n int) float64 {
					return testing.AllocsPerRun(1, func() { apply(keys(n, step*many), text) })
				}
				if a, b := cost(few), cost(many); b > 2*many/few*a {
					t.Errorf("%d keys take %.0f allocations, %d take %.0f", few, a, many, b)
				}
			}
		})
	}
}
