package frontmatter

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store/layout"
	"issues-index/store/storetest"
)

// oneAfterTheOther makes an edit's changes as many edits would.
func oneAfterTheOther(s *source, changes []change) (*source, error) {
	for _, c := range changes {
		splices, err := s.splices(c)
		if err != nil {
			return nil, err
		}
		if s, err = s.spliced(splices); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// TestChangesMadeAtOnceAreThoseMadeOneAfterTheOther: several changes of one
// document read the same in whichever of the two ways they are made. (Which quotes
// a new value has may depend on those that came with the change before it.)
func TestChangesMadeAtOnceAreThoseMadeOneAfterTheOther(t *testing.T) {
	texts := make([]string, len(adversarial))
	for i, frontmatter := range adversarial {
		texts[i] = withFences(frontmatter)[0]
	}
	for _, corpus := range []string{"samjhecht-wrangler", "backlogmd-own"} {
		n := 0
		storetest.CorpusFiles(t, corpus, func(_, text string) {
			if n++; n%9 == 0 {
				texts = append(texts, text)
			}
		})
	}
	both := 0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		var e Edit
		for _, one := range rapid.SliceOfN(rapid.SampledFrom(editsOf(text)), 2, 5).Draw(t, "edits") {
			e.Set, e.Context = append(e.Set, one.Set...), append(e.Context, one.Context...)
		}
		s, err := newSource(Parse([]byte(text), "", layout.Default()))
		if err != nil {
			t.Skip(err)
		}
		changes, err := e.changes(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) == 0 {
			t.Skip("it says all that already")
		}
		s = s.fenced()
		atOnce, err := s.applyAtOnce(changes)
		if err != nil || s.meant(atOnce, changes) != nil {
			return // they are made one after the other
		}
		inTurn, err := oneAfterTheOther(s, changes)
		if err != nil || s.meant(inTurn, changes) != nil {
			return // at once is more than that can do
		}
		both++
		if a, b := jsonOf(t, atOnce), jsonOf(t, inTurn); a != b {
			t.Fatalf("edit %s\nat once %q\nin turn %q", describe(e), atOnce.yaml, inTurn.yaml)
		}
	})
	if both == 0 {
		t.Error("nothing was compared")
	}
}

// jsonOf is what a document's frontmatter says.
func jsonOf(t *rapid.T, s *source) string {
	if s.root == nil {
		return ""
	}
	text, err := appendJSON(nil, s.root, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

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
		"id: x\n", "id: x\nwranglerContext: {}\n", "id: x\nwranglerContext: {own: 1}\n", "id: x\nwranglerContext:\n  own: 1\n  key007: 0\n", "{id: x}\n", "",
	} {
		t.Run(frontmatter, func(t *testing.T) {
			before := "---\n" + frontmatter + "---\nbody\n"
			const few, many = 60, 240                                                // the second more than are made one after the other
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
