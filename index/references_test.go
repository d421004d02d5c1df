package index

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/storetest"
)

// mentioned says who mentions a document: their number, and the ids of those that are shown.
func (k *kit) mentioned(ix *Index, id string) string {
	k.Helper()
	links, err := ix.Links(k.Context(), id)
	if err != nil {
		k.Fatal(err)
	}
	said := fmt.Sprint(links.Mentions)
	for _, by := range links.MentionedBy {
		said += " " + by.ID
	}
	return said
}

// rows are those of a query of the index, as of now.
func (k *kit) rows(ix *Index, query string) (all []string) {
	k.Helper()
	err := ix.view(k.Context(), func(tx *db.Snapshot) (err error) {
		all, err = readRows[string](k.Context(), tx, "rows", query)
		return err
	})
	if err != nil {
		k.Fatal(err)
	}
	return all
}

func TestReferences(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	doc := func(file, frontmatter, text string) {
		k.put(".wrangler/"+file, "---\n"+frontmatter+"\n---\n"+text+"\n")
	}
	doc("issues/ISS-000001-one.md", "id: ISS-000001\ntitle: One", "I am ISS-1, [[ISS-1]], [me](ISS-000001-one.md#part).")
	doc("issues/archived/ISS-000002-two.md", "id: ISS-000002\ntitle: Two\nstatus: closed", "")
	doc("issues/ISS-000003-three.md", "id: ISS-000003\ntitle: Three\nformerIds: [ISS-000033, 34]", "")
	doc("ideas/figma.md", "title: Colours in Figma", "")
	doc("issues/PROJ-7.md", "id: PROJ-7\ntitle: Twin", "")
	doc("issues/twin-a.md", "id: T-1\ntitle: Twin", "")
	ix := k.open(Options{Mode: ModeVerify})
	for _, c := range []struct{ name, text, kind, meant string }{
		{"an id in prose", "iss-02", "mention", "ISS-000002"},
		{"an id that a document had", "ISS-33", "mention", "ISS-000003"},
		{"an id of another form", "PROJ-7", "mention", "PROJ-7"},
		{"an id of nobody", "ISS-99", "mention", ""},
		{"a wiki link by id", "[[iss-2|Two]]", "wiki", "ISS-000002"},
		{"by a file's name", "[[ISS-000002-two]]", "wiki", "ISS-000002"},
		{"by a path", "[[../ideas/figma.md#part]]", "wiki", "figma"},
		{"by a title", "[[colours in figma]]", "wiki", "figma"},
		{"by a title of several", "[[Twin]]", "wiki", "PROJ-7 T-1"},
		{"by an id that a document had", "[[ISS-000033]]", "wiki", "ISS-000003"},
		{"to nothing", "[[Nowhere]]", "wiki", ""},
		{"a link to a file", "[a](../ideas/figma.md)", "link", "figma"},
		{"from the root", "[a](/.wrangler/issues/ISS-000001-one.md)", "link", "ISS-000001"},
		{"to a file that was put away", "[a](ISS-000002-two.md)", "link", "ISS-000002"},
		{"that has another title, too", "[a](ISS-000002-old-title.md)", "link", "ISS-000002"},
		{"that has another id, too", "[a](ISS-000033-three.md)", "link", "ISS-000003"},
		{"that has no id, and lies elsewhere", "[a](figma.md)", "link", "figma"},
		{"to nothing", "[a](nothing.md)", "link", ""},
		{"out of the collections", "[a](../../README.md)", "", ""},
	} {
		t.Run(c.kind+" "+c.name, func(t *testing.T) {
			k := k.within(t)
			doc("issues/ISS-000009-from.md", "id: ISS-000009\ntitle: From", "first line\n"+c.text)
			got := k.rows(ix, `SELECT kind || ' ' || line || ' ' || id FROM backlinks WHERE source_id = 'ISS-000009' ORDER BY id`)
			var want []string
			for id := range strings.FieldsSeq(c.meant) {
				want = append(want, c.kind+" 6 "+id)
				if by := k.mentioned(ix, id); by != "1 ISS-000009" {
					t.Errorf("%s is mentioned by %s", id, by)
				}
				if by := k.ids(ix, Filter{Where: AskedCriteria{Text: "mentions:" + id}}); by != "ISS-000009" {
					t.Errorf("mentions:%s finds %s", id, by)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("backlinks are %q, want %q", got, want)
			}
			broken := k.rows(ix, `SELECT kind || ' ' || line FROM broken_links WHERE id = 'ISS-000009'`)
			if want := c.kind + " 6"; c.meant == "" && c.kind != "" && !slices.Equal(broken, []string{want}) || (c.meant != "" || c.kind == "") && len(broken) > 0 {
				t.Errorf("broken links are %q", broken)
			}
		})
	}
	t.Run("what only looks like an id is no broken link", func(t *testing.T) {
		k := k.within(t)
		doc("issues/ISS-000009-from.md", "id: ISS-000009\ntitle: From", "UTF-8 and other:ISS-5")
		if broken := k.rows(ix, `SELECT target FROM broken_links`); len(broken) > 0 {
			t.Errorf("%q", broken)
		}
		if links := k.rows(ix, `SELECT target FROM links`); len(links) > 0 {
			t.Errorf("%q", links)
		}
	})
	t.Run("a document names itself in vain", func(t *testing.T) {
		if by := k.within(t).mentioned(ix, "ISS-1"); by != "0" {
			t.Error(by)
		}
	})
	t.Run("orphans name nobody, and nobody names them", func(t *testing.T) {
		k := k.within(t)
		doc("issues/ISS-000009-from.md", "id: ISS-000009\ntitle: From", "ISS-1 ISS-99")
		doc("issues/ISS-000010-to.md", "id: ISS-000010\ntitle: To\nrelatesTo: [ISS-2]", "")
		if got := k.rows(ix, `SELECT id FROM orphans ORDER BY id`); !slices.Equal(got, []string{"ISS-000003", "PROJ-7", "T-1", "figma"}) {
			t.Errorf("%q", got)
		}
		if by := k.mentioned(ix, "ISS-2"); by != "1 ISS-000010" {
			t.Errorf("mentioned by %s", by)
		}
	})
	t.Run("the five that changed last are shown", func(t *testing.T) {
		k := k.within(t)
		for i := range 7 {
			doc(fmt.Sprintf("issues/ISS-00010%d-x.md", i), fmt.Sprintf("id: ISS-00010%d\nupdatedAt: 2026-01-0%d", i, i+1), "PROJ-7")
		}
		if by := k.mentioned(ix, "PROJ-7"); by != "7 ISS-000106 ISS-000105 ISS-000104 ISS-000103 ISS-000102" {
			t.Error(by)
		}
	})
}

// A text with very many links has a thousand of them in the index, and a problem that says so.
func TestManyReferences(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ix := k.open(Options{Mode: ModeVerify})
	lines, wanted := 3000, []string{"too-many-links"}
	if storetest.Long() {
		lines, wanted = 100_000, []string{"too-many-links", "too-many-words"}
	}
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "[a](ISS-%06d-x.md) [[Page %d]]\n\n", i+10, i)
	}
	k.put(".wrangler/issues/ISS-000001-a.md", "---\nid: ISS-000001\n---\n"+text.String())
	k.put(".wrangler/issues/ISS-000010-x.md", "---\nid: ISS-000010\n---\n"+strings.Repeat("ISS-1 [[ISS-1]] [a](ISS-000001-a.md)\n\n", lines/3))
	if n := k.rows(ix, `SELECT group_concat(n) FROM (SELECT count(*) AS n FROM reference GROUP BY doc ORDER BY doc)`); n[0] != "1000,3" {
		t.Errorf("%s references", n)
	}
	problems, err := ix.Problems(t.Context())
	var codes []string
	for _, p := range problems {
		codes = append(codes, string(p.Problem.Code))
	}
	if err != nil || !slices.Equal(codes, wanted) || problems[0].ID != "ISS-000001" {
		t.Errorf("%v, %v", problems, err)
	}
	k.put(".wrangler/issues/ISS-000001-a.md", "---\nid: ISS-000001\n---\nISS-10\n")
	if problems, err = ix.Problems(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// Whatever is written, moved, renamed and removed, the documents that mention one are those
// that a look at all texts finds, one by one.
func TestMentionsAreThoseOfAModel(t *testing.T) {
	t.Parallel()
	type noted struct{ file, id, title, former, text string }
	k := newKit(t)
	ix := k.open(Options{Mode: ModeVerify})
	kept := map[string]noted{} // by path
	rapid.Check(t, func(rt *rapid.T) {
		k := k.within(t)
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			n := rapid.IntRange(1, 5).Draw(rt, "n")
			d := noted{
				file:  fmt.Sprintf("ISS-%06d-%s.md", n, rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "slug")),
				id:    fmt.Sprintf("ISS-%06d", rapid.SampledFrom([]int{n, n, n, 6}).Draw(rt, "id")),
				title: rapid.SampledFrom([]string{"Alpha", "alpha", "Beta"}).Draw(rt, "title"),
			}
			if rapid.Bool().Draw(rt, "had another id") {
				d.former = fmt.Sprintf("ISS-%d", rapid.IntRange(1, 9).Draw(rt, "former"))
			}
			targets := []string{"ISS-1", "iss-000002", "[[ISS-3]]", "[[Alpha]]", "[[beta]]", "[x](ISS-000004-a.md)", "[x](archived/ISS-000004-a.md)", "[x](ISS-000005-b.md)", "ISS-6", "ISS-9", "[[ISS-000002-b]]"}
			d.text = strings.Join(rapid.SliceOfN(rapid.SampledFrom(targets), 0, 3).Draw(rt, "text"), " ")
			at := ".wrangler/issues/" + rapid.SampledFrom([]string{"", "archived/"}).Draw(rt, "folder") + d.file
			if _, there := kept[at]; there && rapid.Bool().Draw(rt, "remove") {
				k.remove(&paper{path: at})
				delete(kept, at)
				continue
			}
			kept[at] = d
			k.put(at, fmt.Sprintf("---\nid: %s\ntitle: %s\nformerIds: [%s]\n---\n%s\n", d.id, d.title, d.former, d.text))
		}
		meant := func(from, word string) []string {
			var ways []func(at string, d noted) bool
			fold := func(id string) func(string, noted) bool {
				return func(_ string, d noted) bool { return store.FoldID(d.id) == store.FoldID(id) }
			}
			had := func(id string) func(string, noted) bool {
				return func(_ string, d noted) bool { return d.former != "" && store.FoldID(d.former) == store.FoldID(id) }
			}
			switch page, wiki := strings.CutPrefix(word, "[["); {
			case wiki:
				page = strings.TrimSuffix(page, "]]")
				ways = append(ways, fold(page),
					func(at string, _ noted) bool { return strings.TrimSuffix(path.Base(at), ".md") == page },
					func(_ string, d noted) bool { return strings.EqualFold(d.title, page) }, had(page))
			case strings.HasPrefix(word, "["):
				file := strings.TrimSuffix(strings.TrimPrefix(word, "[x]("), ")")
				to := path.Join(path.Dir(from), file)
				ways = append(ways, func(at string, _ noted) bool { return at == to }, fold(path.Base(file)[:10]), had(path.Base(file)[:10]))
			default:
				ways = append(ways, fold(word), had(word))
			}
			for _, way := range ways {
				var found []string
				for at, d := range kept {
					if way(at, d) {
						found = append(found, at)
					}
				}
				if len(found) > 0 {
					return found
				}
			}
			return nil
		}
		var want []string
		for from, d := range kept {
			for word := range strings.FieldsSeq(d.text) {
				if store.FoldID(strings.Trim(word, "[]")) == store.FoldID(d.id) {
					continue // it says its own id
				}
				for _, to := range meant(from, word) {
					if to != from {
						want = append(want, to+" < "+from)
					}
				}
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		if got := k.rows(ix, `SELECT DISTINCT path || ' < ' || source_path FROM backlinks ORDER BY 1`); !slices.Equal(got, want) {
			rt.Fatalf("%v\n got %q\nwant %q", kept, got, want)
		}
		for at := range kept {
			by := map[string]bool{}
			for _, pair := range want {
				if to, from, _ := strings.Cut(pair, " < "); to == at {
					by[from] = true
				}
			}
			links, err := ix.Links(t.Context(), at)
			if err != nil || links.Mentions != len(by) || len(links.MentionedBy) != min(len(by), mostMentions) {
				rt.Fatalf("%s is mentioned by %d, %v, want %v", at, links.Mentions, err, by)
			}
		}
	})
	sound(t, ix)
}
