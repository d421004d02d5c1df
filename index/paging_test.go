package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// FuzzPaging pages through lists and searches while the workspace changes
// between the pages, the index is closed and opened again, and a second one on
// the same workspace makes some of the reads. A seed is a whole scenario: the
// ones below run with the other tests, and -fuzz plays on.
func FuzzPaging(f *testing.F) {
	seeds := uint64(12)
	if storetest.Long() {
		seeds = 40
	}
	for seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		t.Parallel()
		newReader(t, seed).readAll()
	})
}

// A reader pages through one query. What it demands: every document that
// matched when the first page was read, and was there and matched ever since,
// comes exactly once; none comes twice, under whatever path; each comes as it
// is now; and those that were there from the start come in the order of then.
type reader struct {
	*kit
	r       *rand.Rand
	query   Query
	indexes [2]*Index
	next    int // number of the next new paper

	due     map[*paper]bool // matched at the start and ever since
	place   map[*paper]int  // in the order of the start
	seen    map[string]bool // ids that have come
	last    int             // place of the last one that has come
	history []string
}

func newReader(tb testing.TB, seed uint64) *reader {
	rd := &reader{
		kit: newKit(tb), r: rand.New(rand.NewPCG(seed, 2)), last: -1,
		due: map[*paper]bool{}, place: map[*paper]int{}, seen: map[string]bool{},
	}
	for range 5 + rd.r.IntN(40) {
		rd.create()
	}
	rd.query = Query{Filter: rd.filter(rd.r), Sort: pick(rd.r, listSorts), Scope: "reader"}
	if rd.r.IntN(2) == 0 {
		rd.query.Search, rd.query.Text = true, strings.Join(some(rd.r, kitWords, 1), " ")
		rd.query.Sort = pick(rd.r, append(sorts(SortRelevance), listSorts...))
	}
	rd.note("%+v", rd.query)
	return rd
}

func (rd *reader) note(format string, args ...any) {
	rd.history = append(rd.history, fmt.Sprintf(format, args...))
}

func (rd *reader) fail(format string, args ...any) {
	rd.Helper()
	rd.Fatalf("%s\nafter\n  %s", fmt.Sprintf(format, args...), strings.Join(rd.history, "\n  "))
}

// matches is the naive test for a query without operators.
func (rd *reader) matches(p *paper) bool {
	return rd.query.Filter.admits(p) && slices.Contains(rd.papers, p) && contains(rd.query.Text, p.title, p.body, strings.Join(p.labels, "\n"))
}

// contains reports whether every word of text is in some field, in any case.
func contains(text string, fields ...string) bool {
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(strings.ToLower(field), word) }) {
			return false
		}
	}
	return true
}

// index is one of the two, opened when it is not.
func (rd *reader) index() *Index {
	i := rd.r.IntN(len(rd.indexes))
	if rd.indexes[i] == nil {
		mode := pick(rd.r, []Mode{ModeWatch, ModeWatch, ModeVerify})
		rd.note("open index %d to %s", i, mode)
		rd.indexes[i] = rd.open(Options{Mode: mode})
	}
	rd.note("index %d reads", i)
	return rd.indexes[i]
}

func (rd *reader) readAll() {
	rd.Helper()
	// One read of everything, which leaves no cursor, tells the order of the start.
	whole := rd.query
	whole.Limit = 1000
	for i, row := range rd.find(rd.index(), whole).Rows {
		p := rd.at(row.Path)
		if p == nil {
			rd.fail("%s is no file", row.Path)
		}
		rd.place[p] = i
	}
	for _, p := range rd.papers {
		if rd.matches(p) {
			rd.due[p] = true
		}
	}
	page := rd.page("")
	if page.Total != len(rd.due) {
		rd.fail("the total is %d, not %d", page.Total, len(rd.due))
	}
	for page.Next != "" {
		for range rd.r.IntN(4) {
			rd.change()
		}
		page = rd.page(page.Next)
	}
	for p := range rd.due {
		if !rd.seen[p.id] {
			rd.fail("%s (%s) never came", p.path, p.id)
		}
	}
}

// page reads a page and checks it.
func (rd *reader) page(cursor string) Page {
	rd.Helper()
	q := Query{Cursor: cursor, Scope: rd.query.Scope}
	if cursor == "" {
		q = rd.query
	}
	if cursor == "" || rd.r.IntN(2) == 0 {
		q.Limit = 1 + rd.r.IntN(7)
	}
	kept := -1
	keep := func(p Page) int { return len(p.Rows) }
	if rd.r.IntN(2) == 0 {
		keep = func(p Page) int {
			if whole := p.First(len(p.Rows)); whole.Next != p.Next || whole.Remaining != p.Remaining {
				rd.fail("the whole of %+v is %+v", p, whole)
			}
			kept = min(len(p.Rows), 1+rd.r.IntN(max(1, len(p.Rows))))
			return kept
		}
	}
	page, err := findCut(context.Background(), rd.index(), q, keep)
	if err != nil {
		rd.fail("page: %v", err)
	}
	rd.note("page of %d, %d kept: %q", q.Limit, kept, rowPaths(page.Rows))
	if kept > 0 && len(page.Rows) != kept {
		rd.fail("%d rows on a page that keeps %d", len(page.Rows), kept)
	}
	if (page.Remaining > 0) != (page.Next != "") || page.Next == placeholderCursor || len(page.Next) > len(placeholderCursor) {
		rd.fail("%d rows remain, the cursor is %q", page.Remaining, page.Next)
	}
	if q.Limit > 0 && len(page.Rows) > q.Limit {
		rd.fail("%d rows on a page of %d", len(page.Rows), q.Limit)
	}
	for _, row := range page.Rows {
		p := rd.at(row.Path)
		switch {
		case p == nil:
			rd.fail("%s came and is no file", row.Path)
		case rd.seen[row.ID]:
			rd.fail("%s (%s) came twice", row.Path, row.ID)
		case !rd.matches(p):
			rd.fail("%s came and does not match", row.Path)
		case row.Title != p.title || row.Status != p.countedStatus() || !row.Updated.Equal(p.updated):
			rd.fail("%s came as it was: %+v", row.Path, row)
		}
		rd.seen[row.ID] = true
		if place, ok := rd.place[p]; ok {
			if place < rd.last {
				rd.fail("%s came out of order", row.Path)
			}
			rd.last = place
		}
	}
	return page
}

func (rd *reader) create() {
	rd.next++
	p := rd.random(rd.r, rd.next)
	rd.note("create %s", p.path)
}

// change does one thing to the workspace, and sometimes to an index.
func (rd *reader) change() {
	if len(rd.papers) == 0 {
		rd.create()
		return
	}
	p := pick(rd.r, rd.papers)
	switch rd.r.IntN(12) {
	case 0:
		rd.create()
	case 1:
		rd.note("delete %s", p.path)
		rd.remove(p)
	case 2:
		rd.note("delete %s and make it again", p.path)
		rd.remove(p)
		delete(rd.due, p) // gone for a while: it may come or not, but not twice
		delete(rd.place, p)
		if rd.r.IntN(2) == 0 {
			rd.find(rd.index(), Query{Limit: 1, Scope: "another"})
		}
		rd.save(p)
	case 3, 4:
		rd.rename(p)
	case 5:
		rd.rename(p)
		rd.edit(p)
	case 6:
		i := rd.r.IntN(len(rd.indexes))
		if rd.indexes[i] != nil {
			rd.note("close index %d", i)
			rd.close(rd.indexes[i])
			rd.indexes[i] = nil
		}
	case 7:
		rd.note("write %s again as it is", p.path)
		rd.save(p)
	default:
		rd.edit(p)
	}
	for p := range rd.due {
		if !rd.matches(p) {
			delete(rd.due, p)
		}
	}
}

// rename moves a file to another folder, or gives it another name where that is
// not its id.
func (rd *reader) rename(p *paper) {
	dir, name := path.Split(p.path)
	switch {
	case !p.stray && rd.r.IntN(3) == 0:
		rd.next++
		name = fmt.Sprintf("%s-renamed-%d.md", p.id, rd.next)
	case strings.HasSuffix(dir, "archived/"):
		dir = strings.TrimSuffix(dir, "archived/")
	default:
		dir += "archived/"
	}
	rd.note("move %s to %s", p.path, dir+name)
	rd.move(p, dir+name)
}

// edit changes one field or two, most of which move the document in some order.
func (rd *reader) edit(p *paper) {
	for range 1 + rd.r.IntN(2) {
		switch rd.r.IntN(7) {
		case 0:
			p.status = pick(rd.r, kitStatuses)
		case 1:
			p.priority = pick(rd.r, kitPriorities)
		case 2:
			p.title = words(rd.r, 3)
		case 3:
			p.labels = some(rd.r, kitLabels, 2)
		case 4:
			p.body = words(rd.r, 12)
		case 5:
			p.created = day(1 + rd.r.IntN(8))
		case 6:
			p.updated = day(1 + rd.r.IntN(30))
		}
	}
	rd.note("edit %s: %s %s %s %q", p.path, p.status, p.priority, p.updated.Format("01-02"), p.labels)
	rd.save(p)
}

func TestPagingWhileManyDocumentsMove(t *testing.T) {
	const documents = 2*refreshBatch + 10
	into := func(dir string, p *paper) string { return ".wrangler/issues/" + dir + "/" + path.Base(p.path) }
	for name, move := range storetest.Few(map[string]func(k *kit, from, to string){
		"file by file": func(k *kit, from, to string) {
			for _, p := range k.papers {
				k.move(p, into(to, p))
			}
		},
		"with their folder": func(k *kit, from, to string) {
			if err := os.Rename(k.absolute(".wrangler/issues/"+from), k.absolute(".wrangler/issues/"+to)); err != nil {
				k.Fatal(err)
			}
			for _, p := range k.papers {
				p.path = into(to, p)
			}
		},
		"and change": func(k *kit, from, to string) {
			for i, p := range k.papers {
				k.move(p, into(to, p))
				p.status, p.updated = to, day(i%7)
				k.save(p)
			}
		},
	}, 1) {
		for _, mode := range []Mode{ModeWatch, ModeVerify} {
			t.Run(name+", noticed by "+mode.String(), func(t *testing.T) {
				t.Parallel()
				k := newKit(t)
				for n := range documents {
					k.add(paper{id: fmt.Sprintf("ISS-%06d", n), path: fmt.Sprintf(".wrangler/issues/a/ISS-%06d.md", n)})
				}
				ix := k.open(Options{Mode: mode})
				page := k.find(ix, Query{Limit: 50})
				move(k, "a", "b")
				expectOnce(t, k.papers, page.Rows, k.everything(ix, Query{Cursor: page.Next}))
				page = k.find(ix, Query{Search: true, Text: "paper", Limit: 50})
				move(k, "b", "a")
				expectOnce(t, k.papers, page.Rows, k.everything(ix, Query{Cursor: page.Next}))
			})
		}
	}
}

// expectOnce demands every paper once, by its title.
func expectOnce(t *testing.T, papers []*paper, pages ...[]Row) {
	t.Helper()
	came := map[string]int{}
	for _, row := range slices.Concat(pages...) {
		came[row.Title]++
	}
	for _, p := range papers {
		if came[p.title] != 1 {
			t.Errorf("%s came %d times", p.path, came[p.title])
		}
	}
}

func TestPagingWhileADocumentMoves(t *testing.T) {
	for name, move := range map[string]func(k *kit, ix *Index, p *paper){
		"under another name with another text": func(k *kit, _ *Index, p *paper) {
			k.move(p, ".wrangler/ideas/elsewhere-"+path.Base(p.path))
			p.body = "Another text."
			k.save(p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			for range 9 {
				k.add(paper{})
			}
			for _, p := range k.papers[:9] {
				k.add(paper{id: p.id, path: ".wrangler/ideas/" + p.id + ".md"}) // of the same id
			}
			ix := k.open(Options{})
			first, last := k.papers[17], k.papers[0] // newest first
			for _, q := range []Query{{Limit: 3}, {Search: true, Text: "paper", Sort: Sort{Key: SortUpdated, Desc: true}, Limit: 3}} {
				page := k.find(ix, q)
				move(k, ix, first)
				move(k, ix, last)
				expectOnce(t, k.papers, page.Rows, k.everything(ix, Query{Cursor: page.Next}))
			}
		})
	}
}
