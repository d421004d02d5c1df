package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"issues-index/store"
)

// A paper is a document as a test wrote it: what every answer is compared with.
type paper struct {
	path, id, title, kind, status, priority string
	assignee, project, parent               string
	labels                                  []string
	created, updated, closed                time.Time
	body                                    string
	stray                                   bool // the file names no id: its stem is the id
}

// file is the paper as a Markdown file. Unset fields have no key.
func (p *paper) file() []byte {
	var b bytes.Buffer
	b.WriteString("---\n")
	key := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, strconv.Quote(value))
		}
	}
	if !p.stray {
		key("id", p.id)
	}
	key("title", p.title)
	key("type", p.kind)
	key("status", p.status)
	key("priority", p.priority)
	if len(p.labels) > 0 {
		b.WriteString("labels:\n")
		for _, label := range p.labels {
			fmt.Fprintf(&b, "  - %s\n", strconv.Quote(label))
		}
	}
	key("assignee", p.assignee)
	key("project", p.project)
	if p.parent != "" {
		fmt.Fprintf(&b, "wranglerContext:\n  parentTaskId: %s\n", strconv.Quote(p.parent))
	}
	if !p.closed.IsZero() {
		fmt.Fprintf(&b, "closedAt: %s\n", stamp(p.closed))
	}
	fmt.Fprintf(&b, "createdAt: %s\nupdatedAt: %s\n---\n", stamp(p.created), stamp(p.updated))
	b.WriteString(p.body)
	return b.Bytes()
}

func stamp(t time.Time) string { return strconv.Quote(t.UTC().Format("2006-01-02T15:04:05.000Z")) }

// A kit is a workspace and the papers in it.
type kit struct {
	testing.TB
	ws     *store.Workspace
	papers []*paper
}

func newKit(tb testing.TB) *kit {
	tb.Helper()
	root := tb.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".wrangler", "issues"), 0o755); err != nil {
		tb.Fatal(err)
	}
	return kitAt(tb, root, map[string]string{})
}

// kitAt is a kit over a folder, with the environment's variables.
func kitAt(tb testing.TB, root string, env map[string]string) *kit {
	tb.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(name string) string { return env[name] }})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { ws.Close() })
	return &kit{TB: tb, ws: ws}
}

// open opens an index over the workspace and closes it at the end of the test.
func (k *kit) open(o Options) *Index {
	k.Helper()
	ix, err := Open(context.Background(), k.ws, o)
	if err != nil {
		k.Fatal(err)
	}
	k.Cleanup(func() { k.close(ix) })
	return ix
}

// close may be called more than once.
func (k *kit) close(ix *Index) {
	k.Helper()
	if err := ix.Close(); err != nil {
		k.Errorf("close the index: %v", err)
	}
}

// within is the kit with the failures of a part of the test reported there.
func (k *kit) within(tb testing.TB) *kit {
	part := *k
	part.TB = tb
	return &part
}

func (k *kit) absolute(path string) string { return filepath.Join(k.ws.Root, filepath.FromSlash(path)) }

// put writes a file as it is, outside of the papers.
func (k *kit) put(path, content string) {
	k.Helper()
	if err := os.MkdirAll(filepath.Dir(k.absolute(path)), 0o755); err != nil {
		k.Fatal(err)
	}
	if err := os.WriteFile(k.absolute(path), []byte(content), 0o644); err != nil {
		k.Fatal(err)
	}
}

// clear removes the issues, for another part of the test with the same index.
func (k *kit) clear() {
	k.Helper()
	folder := k.absolute(".wrangler/issues")
	if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o755)); err != nil {
		k.Fatal(err)
	}
	k.papers = nil
}

// save writes a paper as it is now, in place.
func (k *kit) save(p *paper) {
	k.Helper()
	k.put(p.path, string(p.file()))
	if !slices.Contains(k.papers, p) {
		k.papers = append(k.papers, p)
	}
}

// add writes a new paper. Its path, type and times are filled in when left out.
func (k *kit) add(p paper) *paper {
	k.Helper()
	n := len(k.papers) + 1
	p.id = cmp.Or(p.id, fmt.Sprintf("ISS-%06d", n))
	p.kind = cmp.Or(p.kind, store.TypeIssue)
	p.path = cmp.Or(p.path, ".wrangler/issues/"+p.id+".md")
	p.title = cmp.Or(p.title, fmt.Sprintf("Paper %d", n))
	if p.created.IsZero() {
		p.created = day(n)
	}
	if p.updated.IsZero() {
		p.updated = p.created
	}
	added := &p
	k.save(added)
	return added
}

// day is the n-th day of a year.
func day(n int) time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, n-1) }

func (k *kit) remove(p *paper) {
	k.Helper()
	if err := os.Remove(k.absolute(p.path)); err != nil {
		k.Fatal(err)
	}
	k.papers = slices.DeleteFunc(k.papers, func(other *paper) bool { return other == p })
}

func (k *kit) move(p *paper, path string) {
	k.Helper()
	if err := os.MkdirAll(filepath.Dir(k.absolute(path)), 0o755); err != nil {
		k.Fatal(err)
	}
	if err := os.Rename(k.absolute(p.path), k.absolute(path)); err != nil {
		k.Fatal(err)
	}
	p.path = path
}

// at is the paper with the path, nil if there is none.
func (k *kit) at(path string) *paper {
	for _, p := range k.papers {
		if p.path == path {
			return p
		}
	}
	return nil
}

func (k *kit) find(ix *Index, q Query) Page {
	k.Helper()
	page, err := findPage(context.Background(), ix, q)
	if err != nil {
		k.Fatalf("find %+v: %v", q, err)
	}
	return page
}

// findPage reads a page, with the cursor of the next one.
func findPage(ctx context.Context, ix *Index, q Query) (Page, error) {
	return findCut(ctx, ix, q, func(p Page) int { return len(p.Rows) })
}

// findCut reads a page that ends after the rows that keep says.
func findCut(ctx context.Context, ix *Index, q Query, keep func(Page) int) (Page, error) {
	for {
		page, err := ix.FindCut(ctx, q, func(p Page) (int, error) { return keep(p), nil })
		if !errors.Is(err, ErrChanged) {
			return page, err
		}
	}
}

// everything reads all pages of a query, each of the size that the query says.
func (k *kit) everything(ix *Index, q Query) []Row {
	k.Helper()
	var rows []Row
	for {
		page := k.find(ix, q)
		rows = append(rows, page.Rows...)
		if page.Next == "" {
			return rows
		}
		q = Query{Cursor: page.Next, Scope: q.Scope}
	}
}

// matching is the naive list: the papers that a filter lets through, in order.
func (k *kit) matching(f Filter, s Sort) []*paper {
	var found []*paper
	for _, p := range k.papers {
		if f.admits(p) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, s.compare)
	return found
}

// A paper without a status or priority counts as having these.
func (p *paper) countedStatus() string   { return cmp.Or(p.status, "open") }
func (p *paper) countedPriority() string { return cmp.Or(p.priority, "medium") }

// orNone are values that are set, or else the one that stands for none.
func orNone(values ...string) []string {
	if strings.Join(values, "") == "" {
		return []string{"(none)"}
	}
	return values
}

// given is a filter of one value, or no filter.
func given(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// admits is what Filter promises, without SQL.
func (f Filter) admits(p *paper) bool {
	oneOf := func(values []string, has ...string) bool {
		return len(values) == 0 || slices.ContainsFunc(has, func(h string) bool { return slices.Contains(values, h) })
	}
	return oneOf(f.IDs, p.id, p.path) && oneOf(f.Types, p.kind) && oneOf(f.Statuses, p.countedStatus()) &&
		oneOf(f.Priorities, p.countedPriority()) && oneOf(f.Labels, orNone(p.labels...)...) &&
		oneOf(given(f.Assignee), orNone(p.assignee)...) && oneOf(given(f.Project), orNone(p.project)...) &&
		(f.Parent == "" || store.FoldID(f.Parent) == store.FoldID(p.parent)) &&
		(f.CreatedAfter.IsZero() || !p.created.Before(f.CreatedAfter)) &&
		(f.CreatedBefore.IsZero() || p.created.Before(f.CreatedBefore)) &&
		(f.UpdatedAfter.IsZero() || !p.updated.Before(f.UpdatedAfter)) &&
		(f.UpdatedBefore.IsZero() || p.updated.Before(f.UpdatedBefore)) &&
		(f.ClosedAfter.IsZero() || !p.closed.Before(f.ClosedAfter)) &&
		(f.ClosedBefore.IsZero() || !p.closed.IsZero() && p.closed.Before(f.ClosedBefore))
}

// compare is what Sort promises, without SQL.
func (s Sort) compare(a, b *paper) int {
	rank := func(value string, other int, ordered ...string) int {
		if i := slices.Index(ordered, value); i >= 0 {
			return i
		}
		return other
	}
	var c int
	switch s.Key {
	case SortCreated:
		c = a.created.Compare(b.created)
	case SortStatus:
		status := func(p *paper) int { return rank(p.countedStatus(), 4, "open", "in_progress", "closed", "cancelled") }
		c = status(a) - status(b)
	case SortPriority:
		priority := func(p *paper) int { return rank(p.countedPriority(), -1, "low", "medium", "high", "critical") }
		c = priority(a) - priority(b)
	default:
		c = a.updated.Compare(b.updated)
	}
	c = cmp.Or(c, strings.Compare(a.path, b.path))
	if s.Key == "" || s.Desc {
		return -c
	}
	return c
}

// The values that random papers have. Some are unset, some outside the enums.
var (
	kitStatuses   = []string{"open", "open", "in_progress", "closed", "cancelled", "blocked", ""}
	kitPriorities = []string{"low", "medium", "medium", "high", "critical", "urgent", ""}
	kitLabels     = []string{"api", "bug", "docs, long", "Überbau", "检索"}
	kitPeople     = []string{"ann", "bob", ""}
	kitProjects   = []string{"atlas", "Boreas", ""}
	kitWords      = []string{"cache", "cached", "cursor", "kebab-case", "parse.Go()", "検索機能", "Ünïcode", "x"}
	kitTypes      = []string{store.TypeIssue, store.TypeIssue, store.TypeSpecification, store.TypeIdea}
	kitFolders    = map[string]string{
		store.TypeIssue: ".wrangler/issues/", store.TypeSpecification: ".wrangler/specifications/", store.TypeIdea: ".wrangler/ideas/",
	}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// some picks up to most values, in order and without repeats.
func some(r *rand.Rand, from []string, most int) []string {
	var picked []string
	for _, value := range from {
		if len(picked) < most && r.IntN(len(from)) < most {
			picked = append(picked, value)
		}
	}
	return picked
}

func words(r *rand.Rand, most int) string {
	picked := make([]string, 1+r.IntN(most))
	for i := range picked {
		picked[i] = pick(r, kitWords)
	}
	return strings.Join(picked, " ")
}

// random adds a paper of any kind. Few times and short texts make ties.
func (k *kit) random(r *rand.Rand, n int) *paper {
	k.Helper()
	kind := pick(r, kitTypes)
	id := fmt.Sprintf("%s-%06d", strings.ToUpper(kind[:3]), n)
	p := paper{
		path: kitFolders[kind] + pick(r, []string{"", "", "archived/"}) + id + pick(r, []string{"", "-a-slug"}) + ".md",
		id:   id, kind: kind, title: words(r, 3), status: pick(r, kitStatuses), priority: pick(r, kitPriorities),
		assignee: pick(r, kitPeople), project: pick(r, kitProjects), labels: some(r, kitLabels, 2),
		created: day(1 + r.IntN(8)), updated: day(9 + r.IntN(8)), body: words(r, 12) + "\n",
		stray: r.IntN(8) == 0,
	}
	if p.status == "closed" || p.status == "cancelled" {
		p.closed = day(17 + r.IntN(8))
	}
	if p.stray {
		p.id = strings.TrimSuffix(filepath.Base(p.path), ".md")
	}
	if len(k.papers) > 0 && r.IntN(4) == 0 {
		p.parent = pick(r, k.papers).id
	}
	return k.add(p)
}

// filter is a random filter that lets some of the papers through.
func (k *kit) filter(r *rand.Rand) Filter {
	var f Filter
	for range r.IntN(3) {
		switch r.IntN(13) {
		case 0:
			f.Types = some(r, []string{store.TypeIssue, store.TypeSpecification, store.TypeIdea}, 2)
		case 1:
			f.Statuses = some(r, kitStatuses[1:], 4)
		case 2:
			f.Priorities = some(r, kitPriorities, 4)
		case 3:
			f.Labels = some(r, append(kitLabels, None), 3)
		case 4:
			f.Assignee = pick(r, append(kitPeople, None))
		case 5:
			f.Project = pick(r, append(kitProjects, None))
		case 6:
			f.CreatedAfter = day(1 + r.IntN(4))
		case 7:
			f.CreatedBefore = day(5 + r.IntN(4))
		case 8:
			f.Parent = pick(r, k.papers).parent
		case 9:
			f.UpdatedAfter = day(9 + r.IntN(4))
		case 10:
			f.UpdatedBefore = day(13 + r.IntN(4))
		case 11:
			f.ClosedAfter = day(17 + r.IntN(4))
		case 12:
			f.ClosedBefore = day(21 + r.IntN(4))
		}
	}
	return f
}
