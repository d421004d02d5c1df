package index

import (
	"slices"
	"testing"
)

func TestChangesNameWhatIsDifferent(t *testing.T) {
	k := newKit(t)
	one, two, three := k.add(paper{title: "One"}), k.add(paper{title: "Two"}), k.add(paper{title: "Three"})
	ix := k.open(Options{Mode: ModeVerify})
	var before Moment
	changes := func() Differences {
		t.Helper()
		c, err := ix.Differences(t.Context(), before)
		if err != nil {
			t.Fatal(err)
		}
		if (c.Now.String() == before.String()) != (len(c.IDs) == 0 && !c.Many) {
			t.Errorf("%q, then %q: %+v", before, c.Now, c)
		}
		before = c.Now
		return c
	}
	expect := func(what string, many bool, ids ...string) {
		t.Helper()
		if c := changes(); c.Many != many || !slices.Equal(c.IDs, ids) {
			t.Errorf("%s: many %v, %q, want %q", what, c.Many, c.IDs, ids)
		}
	}
	if c := changes(); !c.Many {
		t.Errorf("at first: %+v", c)
	}
	expect("nothing", false)
	one.title = "Changed"
	k.save(one)
	expect("a title", false, one.id)
	two.body = "See " + three.id + ".\n"
	k.save(two)
	expect("a text that names another", false, two.id, three.id)
	two.body = ""
	k.save(two)
	expect("and no more", false, two.id)
	four := k.add(paper{title: "Four"})
	if c := changes(); !c.Many || !slices.Contains(c.IDs, four.id) {
		t.Errorf("a new document: %+v", c)
	}
	k.remove(four)
	if c := changes(); !c.Many {
		t.Errorf("a deleted document: %+v", c)
	}
	for range mostChanges + 5 {
		k.add(paper{title: "More"})
	}
	if c := changes(); !c.Many || len(c.IDs) > mostChanges {
		t.Errorf("many: %d ids, many %v", len(c.IDs), c.Many)
	}
	k.move(three, ".wrangler/issues/archived/"+three.id+".md")
	expect("a move", false, three.id)
	if _, err := ix.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := changes(); !c.Many {
		t.Errorf("a rebuild: %+v", c)
	}
}
