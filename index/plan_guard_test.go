package index_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/where"
	"issues-index/store"
)

// An allowance is a step of a plan that goes through more than it looks for, and
// the reason why that is no harm, or worth it.
type allowance struct {
	step      string // how the step begins
	statement string // a part of the statement, blanks as one; "" for any
	reason    string
}

var allowances = []allowance{
	// Nothing that grows.
	{"SCAN state", "", "has one row"},
	{"SCAN link USING COVERING INDEX", "EXISTS (SELECT 1 FROM link), EXISTS (", "ends at the first row"},
	{"SCAN reference USING COVERING INDEX", "EXISTS (SELECT 1 FROM link), EXISTS (", "ends at the first row"},
	{"SCAN document USING COVERING INDEX document_by_rev", "SELECT count(*) FROM document", "counts all documents"},
	{"SCAN facet_tally", "", "has a row for each type, status and priority in use"},
	{"USE TEMP B-TREE FOR GROUP BY OF facet_tally", "", "sorts statuses or priorities"},
	{"USE TEMP B-TREE FOR DISTINCT OF facet_tally", "", "sorts statuses"},
	{"SCAN json_each VIRTUAL TABLE INDEX 1:", "", "is the list that the caller gives"},
	{"SCAN page", "FROM (SELECT doc, ", "is the rows of one page"},
	{"SCAN (subquery", "FROM (SELECT * FROM (SELECT doc, ", "is the rows of one page, and how they were"},
	{"USE TEMP B-TREE FOR ORDER BY OF (subquery", "FROM (SELECT * FROM (SELECT doc, ", "sorts the rows of one page"},
	{"SCAN search VIRTUAL TABLE INDEX 0:M", "search MATCH ?", "is a look into the full-text index"},
	{"SCAN search VIRTUAL TABLE INDEX 0:=", "DELETE FROM search WHERE rowid = ?", "is one row"},
	{"SCAN document USING INDEX document_unwatched", "WHERE unwatched", "the index has links alone"},
	{"SCAN document USING COVERING INDEX document_open_boxes", "boxes_checked < boxes_total", "the index has documents with open boxes alone"},
	{"SCAN document USING INDEX document_open_boxes", "boxes_checked < boxes_total", "the index has documents with open boxes alone"},
	{"SCAN document USING INDEX document_unlabelled", "boxes_checked < boxes_total AND labels = '[]'", "the index has documents without labels alone"},
	{"USE TEMP B-TREE FOR GROUP BY OF document", "INDEXED BY document_open_boxes", "counts documents with open boxes"},

	// What grows with the values in use, not with the documents.
	{"SCAN tally", "", "has a row for each combination of values in use"},
	{"SCAN label_tally", "", "has a row for each label in use"},
	{"SCAN k", "WITH RECURSIVE k (key)", "is keys in use"},
	{"USE TEMP B-TREE FOR GROUP BY OF tally", "", "sorts values in use"},

	// What grows with what paging clients have open.
	{"SCAN ranking", "DELETE FROM ranking WHERE expires", "has a row for each search that is being paged through"},
	{"USE TEMP B-TREE FOR ORDER BY OF past", "to_rev > ?", "has what changed while a cursor was open"},

	// What grows with what is found.
	{"SCAN (subquery", "group_concat", "is what was found"},
	{"USE TEMP B-TREE FOR ORDER BY OF search", "ORDER BY CAST(1e12 * bm25(", "sorts what was found"},
	{"USE TEMP B-TREE FOR ORDER BY OF d", "FROM document d WHERE d.", "sorts the documents of one id or title"},
	{"USE TEMP B-TREE FOR DISTINCT OF document", "WHERE id_number = ?", "sorts the ids with one number"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "NOT INDEXED WHERE ", "few documents have the labels, else the list walks an index"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "INDEXED BY document_by_facet WHERE ", "few documents have the values, else the list walks an index"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "INDEXED BY document_by_c", "few documents are of the days, else the list walks the index of its order"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "INDEXED BY document_by_updated WHERE (updated", "few documents are of the days, else the list walks the index of its order"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "(id IN (?) OR path IN (?))", "sorts the documents that are asked for by their ids"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "FROM document WHERE project <> '' AND project = ?", "sorts a project's documents, but by their last change"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "FROM document WHERE assignee <> '' AND assignee = ?", "sorts a person's documents, but by their last change"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "FROM document WHERE (parent_fold <> '' AND parent_fold = ?)", "sorts a parent's documents, but by their last change"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "FROM document WHERE NOT finished AND (parent_fold <> '' AND parent_fold = ?)", "sorts a parent's documents of one priority, of which the first is claimed"},
	{"USE TEMP B-TREE FOR GROUP BY OF document", "FROM document WHERE", "counts what the filter lets through, where no tally has it"},

	{"USE TEMP B-TREE FOR ORDER BY OF document", "FROM document WHERE (doc IN (SELECT value FROM json_each", "sorts the documents that were found by words or links, but by their last change"},
	{"USE TEMP B-TREE FOR ORDER BY OF document", "FROM document WHERE (assignee <> '' AND assignee IN (SELECT assignee FROM tally", "sorts a person's documents, but by their last change"},
	{"SCAN (subquery", "SELECT (row), count(*) OVER ()", "is what a closed document leaves and frees"},
	{"USE TEMP B-TREE FOR ORDER BY OF (subquery", "SELECT (row), count(*) OVER ()", "sorts what a closed document leaves and frees"},
	{"SCAN (subquery", "FROM (SELECT 'parent', d.doc, ", "is the children of one document"},
	{"USE TEMP B-TREE FOR ORDER BY OF (subquery", "FROM (SELECT 'parent', d.doc, ", "sorts the links of one document"},
	{"SCAN held", "WITH RECURSIVE held", "is what one document holds back, or has below it"},
	{"USE TEMP B-TREE FOR ORDER BY OF", "WITH RECURSIVE held", "sorts what one document holds back"},
	{"USE TEMP B-TREE FOR ORDER BY OF l", "FROM (SELECT meant AS doc FROM link_meant", "sorts what one document waits for"},
	{"USE TEMP B-TREE FOR ORDER BY OF", "WITH found (doc, way)", "sorts the documents that one id may name"},
	{"SCAN", "WITH form (fold)", "is three forms of one id"},
	{"USE TEMP B-TREE FOR DISTINCT OF form", "WITH form (fold)", "sorts three forms of one id"},
	{"SCAN slip", "json_each(?) slip", "is numbers that may have been meant with one"},
	{"USE TEMP B-TREE FOR ORDER BY OF slip", "json_each(?) slip", "sorts the ids with one of these numbers"},
	{"SCAN node", "WITH RECURSIVE node", "is what some documents wait for"},
	{"SCAN n", "WITH RECURSIVE node", "is what some documents wait for"},
	{"USE TEMP B-TREE FOR DISTINCT OF node", "WITH RECURSIVE node", "sorts what some documents wait for"},
	{"SCAN naming", "WHERE doc = ?1 OR doc IN (SELECT meant FROM naming WHERE source = ?1)", "is what one document names"},
	{"SCAN ancestor", "", "is the documents above one"},
	{"USE TEMP B-TREE FOR ORDER BY OF l", "FROM document d WHERE d.doc IN (SELECT source FROM link_target", "sorts the documents that are linked with one"},

	// What grows with the documents that a filter lets through.
	{"SEARCH document USING COVERING INDEX document_by_facet (", "INDEXED BY document_by_facet WHERE ", "few documents have the values, else the list walks an index"},
	{"SEARCH document USING INDEX document_by_facet (", "INDEXED BY document_by_facet WHERE ", "few documents have the values, else the list walks an index"},
	{"SEARCH document USING COVERING INDEX document_by_facet (", "FROM document_label WHERE doc IN (SELECT doc FROM document WHERE", "counts labels of what the filter lets through"},

	{"SCAN (subquery", "CROSS JOIN document USING (doc)", "is what cannot be begun, once until the next change"},
	{"USE TEMP B-TREE FOR DISTINCT OF (subquery", "CROSS JOIN document USING (doc)", "sorts what cannot be begun"},
	{"SCAN named", "WITH named (fold)", "is the parents that unfinished documents name"},
	{"SCAN document USING COVERING INDEX document_by_parent", "WITH named (fold)", "is the documents that have a parent, once until the next change"},

	{"SEARCH document USING INDEX document_by_facet (", "SELECT CASE WHEN status", "counts why nothing is ready, once until the next change"},
	{"SCAN document USING INDEX document_to_begin", "SELECT CASE WHEN status", "counts why nothing is ready, once until the next change"},

	// What walks an index in the order that is asked for, until the page is full.
	{"SCAN document USING COVERING INDEX document_by_", "FROM document INDEXED BY document_by_", "many documents match"},
	{"SCAN document USING INDEX document_by_", "FROM document INDEXED BY document_by_", "many documents match"},

	{"SCAN document USING INDEX document_to_begin", "FROM document INDEXED BY document_to_begin WHERE NOT finished", "walks unfinished documents in the order in which they are begun, until one is accepted"},

	{"SCAN d USING INDEX document_by_updated", "FROM document d INDEXED BY document_by_updated WHERE d.id LIKE", "walks documents by their last change until enough names go on from what is begun"},

	// What reads every document, and has to.
	{"SCAN document", "SELECT count(*) FROM document WHERE (", "counts what criteria ask for, once until the next change"},
	{"USE TEMP B-TREE FOR", "SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE (", "sorts what was found"},
	{"SCAN document USING INDEX document_", "SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE (", "finds all that is sorted by an order of its own, and it is remembered until the next change"},
	{"SCAN l", "FROM broken_links WHERE kind = 'link'", "check looks at every reference"},
	{"SCAN r", "FROM broken_links WHERE kind = 'link'", "check looks at every reference"},
	{"SCAN broken_links", "WHERE kind = 'link'", "is the references that lead nowhere"},
	{"USE TEMP B-TREE FOR ORDER BY OF broken_links", "WHERE kind = 'link'", "sorts the links that lead nowhere"},
	{"SCAN document USING COVERING INDEX document_by_", "SELECT group_concat(doc) FROM (SELECT doc FROM document WHERE true ORDER BY ", "a search for nothing, and the order of everything"},
	{"SCAN link", "SELECT group_concat(DISTINCT doc) FROM link", "check looks at every link"},
	{"SCAN d USING INDEX sqlite_autoindex_document_1", "FROM link_meant m WHERE m.source = d.doc AND m.kind = 'parent' AND m.target_fold = d.parent_fold)) FROM document d ORDER BY d.path", "check looks at every document"},
	{"SCAN (subquery", "FROM problems", "is three of the documents with one id"},
	{"SCAN p", "FROM problems", "check looks at every problem"},
	{"SCAN d", "FROM problems", "check looks at every document"},
	{"SCAN document", "UNION SELECT path FROM document WHERE id_fold IN", "counts documents with problems, once until the next change, by indexes alone"},
	{"SCAN (subquery", "UNION SELECT path FROM document WHERE id_fold IN", "is the parents that documents name"},
	{"USE TEMP B-TREE FOR ORDER BY OF", "UNION SELECT path FROM document WHERE id_fold IN", "sorts documents with problems"},
	{"SCAN document USING COVERING INDEX sqlite_autoindex_document_1", "SELECT coalesce(group_concat(path, '//'), '')", "compares all paths, once until the next change"},
	{"SCAN document USING COVERING INDEX document_by_parent", "FROM document d WHERE d.doc IN ( SELECT p.doc", "is the documents that have a parent"},
	{"SCAN (subquery", "FROM document d WHERE d.doc IN ( SELECT p.doc", "is the parents that documents name"},
	{"SCAN document USING COVERING INDEX document_by_parent", "UNION SELECT path FROM document WHERE id_fold IN", "is the documents that have a parent"},
	{"USE TEMP B-TREE FOR ORDER BY OF d", "FROM document d WHERE d.doc IN ( SELECT p.doc", "sorts the parents that have a parent"},
	{"SCAN d", "CROSS JOIN unmet u ON u.waiter = d.doc WHERE NOT d.finished", "check looks at every document"},
	{"SCAN problems", "FROM problems", "check looks at every problem"},
	{"SCAN document USING COVERING INDEX document_unlabelled", "WHERE labels = '[]'", "the index has those alone that are counted"},
}

// suspicious are the steps that have to be allowed. A look into an index of what
// many documents have in common is one, too.
var suspicious = regexp.MustCompile(`^SCAN|^USE TEMP|AUTOMATIC|document_by_(facet|status|priority) \([a-z]`)

// columnsOfRows are those of every statement that reads rows for an answer.
var columnsOfRows = regexp.MustCompile(`SELECT d\.doc, .*? o\.doc <> d\.doc\)(, d\.type, .*? LIMIT 1\), ''\))?`)

// short is a statement with blanks as one and without what many begin with.
func short(statement string) string {
	statement = strings.Join(strings.Fields(statement), " ")
	return strings.ReplaceAll(columnsOfRows.ReplaceAllString(statement, "SELECT (row)"), "?, ?", "?")
}

// complaints are the steps of a statement's plan that nothing allows. used
// counts the allowances.
func complaints(statement string, steps []string, used map[allowance]int) []string {
	statement = short(statement)
	var all []string
	for _, step := range steps {
		if step == "SCAN CONSTANT ROW" || !suspicious.MatchString(step) {
			continue
		}
		allowed := false
		for _, a := range allowances {
			if strings.HasPrefix(step, a.step) && strings.Contains(statement, a.statement) {
				used[a]++
				allowed = true
			}
		}
		if !allowed {
			all = append(all, step+" in "+statement)
		}
	}
	return all
}

// asked are all statements that calls of every kind have made, in order.
type asked struct {
	statements []string
	seen       map[string]bool
}

func (a *asked) add(statement string) {
	if !a.seen[statement] && !strings.HasPrefix(statement, "PRAGMA") {
		a.seen[statement] = true
		a.statements = append(a.statements, statement)
	}
}

// TestQueryPlans holds every statement of every tool and of every method that
// commands use to its plan: no table is gone through where an index serves,
// nothing is sorted that an index has in order. A rebuild is left out; it reads
// everything by its nature.
func TestQueryPlans(t *testing.T) {
	t.Parallel()
	s := serveDocuments(t, 400)
	s.watched(t) // a comparison of files looks at each that was just written

	// Few documents wait for another.
	waits := "---\nid: ISS-000401\ntitle: Waits\nstatus: open\nwaitsFor: [ISS-000001]\nparent: ISS-000006\n---\n"
	if err := os.WriteFile(filepath.Join(s.root, ".wrangler", "issues", "ISS-000401-waits.md"), []byte(waits), 0o644); err != nil {
		t.Fatal(err)
	}
	all := &asked{seen: map[string]bool{}}
	for _, c := range costedCalls {
		for n := range 2 {
			for _, statement := range s.call(t, c.tool, c.round(n), c.refusal) {
				all.add(statement)
			}
		}
	}
	ctx := index.Observed(t.Context(), all.add)
	for name, ask := range s.methods() {
		if err := ask(ctx); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	used := map[allowance]int{}
	for _, statement := range all.statements {
		steps, err := s.Explain(t.Context(), statement)
		if err != nil {
			t.Error(err)
		}
		for _, complaint := range complaints(statement, steps, used) {
			t.Error(complaint)
		}
	}
	for _, a := range allowances {
		if used[a] == 0 {
			t.Errorf("nothing needs to be allowed %q in %q any more", a.step, a.statement)
		}
	}

	t.Run("leaves out no method", func(t *testing.T) {
		known := s.methods()
		unasked := map[string]string{
			"Close": "asks nothing", "Workspace": "asks nothing", "Leases": "asks nothing", "ClaimOn": "asks the leases alone", "Sweep": "asks nothing", "CatchUp": "does what every method does first", "Explain": "is the test's own", "Rest": "is the test's own", "Rebuild": "reads everything", "Subscribe": "asks nothing",
		}
		methods := reflect.TypeFor[*index.Index]()
		for i := range methods.NumMethod() {
			name := methods.Method(i).Name
			if known[name] == nil && unasked[name] == "" {
				t.Errorf("the statements of %s are not looked at", name)
			}
		}
	})

	t.Run("sees planted statements that go through everything", func(t *testing.T) {
		for _, planted := range []string{
			`SELECT doc FROM document WHERE title = ?`,
			`SELECT doc FROM document WHERE labels = '[]' ORDER BY title LIMIT 5`,
			`SELECT doc, updated AS key, path FROM document ORDER BY key DESC, size LIMIT 20`,
			`SELECT rowid FROM search`,
			`SELECT text FROM body WHERE text > ?`,
			`DELETE FROM document_label WHERE label || '' = ?`,
			`SELECT a.doc FROM document a JOIN document b ON a.title = b.title`,
			`SELECT doc FROM document WHERE type = ? AND open_title = ?`, // the index of titles has the open ones alone
			`SELECT rowid FROM search WHERE search MATCH ? AND rowid IN (SELECT doc FROM document WHERE status = ?)`,
		} {
			steps, err := s.Explain(t.Context(), planted)
			if err != nil {
				t.Fatal(err)
			}
			if len(complaints(planted, steps, map[allowance]int{})) == 0 {
				t.Errorf("%s passes, with the plan %q", planted, steps)
			}
		}
	})
}

// methods ask with every method of an index that reads or follows documents, in
// the ways that make other statements.
func (s *served) methods() map[string]func(context.Context) error {
	filters := []index.Filter{
		{},
		{Types: []string{"issue"}, Statuses: []string{"open"}},
		{Statuses: []string{"cancelled"}, Priorities: []string{"high"}, Types: []string{"specification"}},
		{Labels: []string{"l1"}}, {Labels: []string{"rare"}},
		{Project: "p1"}, {Assignee: "a1"}, {Parent: "SPEC-000005"},
		{CreatedAfter: time.Date(2026, 1, 10, 9, 50, 0, 0, time.UTC)}, {CreatedBefore: time.Date(2026, 1, 10, 9, 5, 0, 0, time.UTC)},
		{UpdatedAfter: time.Date(2026, 1, 10, 9, 50, 0, 0, time.UTC)}, {UpdatedBefore: time.Date(2026, 1, 10, 9, 5, 0, 0, time.UTC)},
		{ClosedAfter: time.Date(2026, 1, 10, 9, 50, 0, 0, time.UTC)}, {ClosedBefore: time.Date(2027, 1, 10, 9, 5, 0, 0, time.UTC)},
		{IDs: []string{"ISS-000001", "ISS-000006"}},
		{Boxes: index.BoxesOpen}, {Boxes: index.BoxesOpen, Statuses: []string{"closed"}},
	}
	judged := []index.Filter{{Ready: true}, {Blocked: true}, {Ready: true, Types: []string{"specification"}}, {Ready: true, Labels: []string{"rare"}}, {Blocked: true, Project: "p1"}}
	worded := []index.Filter{{Under: "SPEC-000005"}}
	for _, text := range []string{
		"is:ready", "is:blocked", "is:closable", "under:SPEC-000005", "blocks:ISS-000001", "mentions:ISS-000001", "assignee = a1", "cache", "is:ready priority = high sort priority desc, title",
	} {
		worded = append(worded, index.Filter{Where: index.AskedCriteria{Text: text}})
	}
	return map[string]func(context.Context) error{
		"Complete": func(ctx context.Context) error {
			_, _, err := s.Complete(ctx, index.Completing{Begun: "ISS", Titles: true, Limit: 2})
			return err
		},
		"Find": func(ctx context.Context) error {
			var errs []error
			for _, key := range []index.SortKey{"", index.SortUpdated, index.SortCreated, index.SortPriority, index.SortStatus} {
				for _, f := range filters {
					errs = append(errs, s.pages(ctx, index.Query{Filter: f, Sort: index.Sort{Key: key, Desc: len(errs)%2 == 0}, Limit: 2}))
				}
			}
			for _, f := range filters {
				errs = append(errs, s.pages(ctx, index.Query{Search: true, Text: "cache", Filter: f, Snippets: true, Limit: 2}))
			}
			errs = append(errs, s.pages(ctx, index.Query{Search: true, Text: "title:40 OR title:41", Limit: 1})) // equally good, and few
			for _, f := range slices.Concat(judged, worded) {
				errs = append(errs, s.pages(ctx, index.Query{Filter: f, Waits: true, Limit: 2}), s.pages(ctx, index.Query{Search: true, Text: "cache", Filter: f, Limit: 2}))
			}
			for _, text := range []string{"", `"goes before"`, "ach", "検索", "title:paper -zyxomatic", "label:rare OR cache"} {
				errs = append(errs, s.pages(ctx, index.Query{Search: true, Text: text, Sort: index.Sort{Key: index.SortCreated}, Limit: 2}))
			}
			return errors.Join(errs...)
		},
		"Best": func(ctx context.Context) error {
			var errs []error
			for _, f := range append(slices.Clone(filters), index.Filter{Labels: []string{"all"}}, index.Filter{Labels: []string{index.None, "rare"}}) {
				for _, f.Ready = range []bool{false, true} {
					_, _, err := s.Best(ctx, f, func(index.Row) bool { return false })
					errs = append(errs, err)
				}
			}
			return errors.Join(errs...)
		},
		"Differences": func(ctx context.Context) error {
			c, err := s.Differences(ctx, index.Moment{})
			if err != nil {
				return err
			}
			page, err := s.Find(ctx, index.Query{Limit: 1})
			if err != nil {
				return err
			}
			file, err := os.OpenFile(filepath.Join(s.root, page.Rows[0].Path), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = file.WriteString("More.\n")
			if err = errors.Join(err, file.Close()); err == nil {
				_, err = s.Differences(ctx, c.Now)
			}
			return err
		},
		"Idle": func(ctx context.Context) error {
			var errs []error
			for _, f := range slices.Concat(filters, judged, worded) {
				_, err := s.Idle(ctx, f)
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
		"FindEach": func(ctx context.Context) error {
			_, err := s.FindEach(ctx, []index.Query{{Search: true, Text: `"goes before"`, Limit: 2}, {Filter: index.Filter{Parent: "SPEC-000005"}, Limit: 2}})
			return err
		},
		"FindCut": func(ctx context.Context) error {
			var errs []error
			for _, field := range index.GroupBys {
				for _, f := range append(filters[:8:8], filters[15:]...) { // nothing counts by times or ids
					one := func(p index.Page) (int, error) { return min(1, len(p.Counts)), nil }
					v, err := s.FindCut(ctx, index.Query{Values: field, Filter: f, Limit: 2}, one)
					if err == nil && v.Next != "" {
						_, err = s.Find(ctx, index.Query{Cursor: v.Next, Limit: 2})
					}
					errs = append(errs, err)
				}
			}
			return errors.Join(errs...)
		},
		"Stats": func(ctx context.Context) error { _, _, err := s.Stats(ctx, "label", index.Filter{}); return err },
		"Get": func(ctx context.Context) error {
			_, err := s.Get(ctx, "ISS-000001")
			return err
		},
		"GetBatch": func(ctx context.Context) error {
			_, err := s.GetBatch(ctx, []string{"iss-1", "1", "nothing", "ISS-000001-paper.md"})
			return err
		},
		"UnknownParent": func(ctx context.Context) error {
			_, err := s.UnknownParent(ctx, "nothing")
			return err
		},
		"ChangedFields": func(ctx context.Context) error {
			_, err := s.ChangedFields(ctx, ".wrangler/issues/ISS-000001-paper.md", "aaaaaaaaaa", "bbbbbbbbbb")
			return err
		},
		"CheckCriteria": func(ctx context.Context) error {
			c, err := where.Parse("is:ready status = open sort updated")
			if err == nil {
				err = s.CheckCriteria(ctx, c)
			}
			return err
		},
		"Closings": func(ctx context.Context) error {
			row, err := s.Get(ctx, "ISS-000001")
			if err == nil {
				_, err = s.Closings(ctx, []string{row.Path})
			}
			return err
		},
		"NearWords": func(ctx context.Context) error { _, err := s.NearWords(ctx, "wrods of a serach"); return err },
		"Narrowing": func(ctx context.Context) error {
			_, err := s.Narrowing(ctx, index.Filter{Labels: []string{"nobody has it"}, Priorities: []string{"low"}, MeantFor: "ann"})
			return err
		},
		"Load": func(ctx context.Context) error {
			_, _, err := s.Load(ctx, "ISS-000001")
			return err
		},
		"CheckManyCriteria": func(ctx context.Context) error {
			return s.CheckManyCriteria(ctx, func(check func(*where.Criteria) error) error {
				c, err := where.Parse("is:blocked")
				if err == nil {
					err = check(c)
				}
				return err
			})
		},
		"Waiters": func(ctx context.Context) error {
			_, err := s.Waiters(ctx, "ISS-000001")
			return err
		},
		"Links": func(ctx context.Context) error {
			_, err := s.Links(ctx, "ISS-000001")
			if err == nil {
				_, err = s.Links(ctx, "SPEC-000005")
			}
			return err
		},
		"LoadLinked": func(ctx context.Context) error {
			_, _, err := s.LoadLinked(ctx, "ISS-000001", true)
			return err
		},
		"Dependencies": func(ctx context.Context) error {
			_, _, _, err := s.Dependencies(ctx, "ISS-000001", true, true, 100)
			return err
		},
		"NewCycle": func(ctx context.Context) error {
			_, err := s.NewCycle(ctx, []index.ProposedLinks{{ID: "ISS-000001", WaitsFor: new([]string{"iss-4"}), Parent: new("SPEC-000005")}})
			return err
		},
		"Completion": func(ctx context.Context) error {
			var errs []error
			for _, f := range filters {
				_, err := s.Completion(ctx, f, 5)
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
		"BrokenLinks": func(ctx context.Context) error {
			_, err := s.BrokenLinks(ctx)
			return err
		},
		"Problems":         func(ctx context.Context) error { _, err := s.Problems(ctx); return err },
		"Claimed":          func(ctx context.Context) error { _, err := s.Claimed(ctx); return err },
		"ProblemDocuments": func(ctx context.Context) error { _, err := s.ProblemDocuments(ctx); return err },
		"FieldKeys":        func(ctx context.Context) error { _, err := s.FieldKeys(ctx); return err },
		"Health":           func(ctx context.Context) error { _, err := s.Health(ctx); return err },
		"FileHashes": func(ctx context.Context) error {
			all, err := s.FileHashes(ctx, "", 0)
			if err == nil {
				_, err = s.FileHashes(ctx, all.Generation, all.Rev-1)
			}
			return err
		},
		"IDTaken": func(ctx context.Context) error { _, _, err := s.IDTaken(ctx, "ISS-000001"); return err },
		"CreateConstraints": func(ctx context.Context) error {
			_, err := s.CreateConstraints(ctx, "issue", "issue", "Paper 1")
			return err
		},
		"RefreshWritten": func(ctx context.Context) error {
			return s.RefreshWritten(ctx, store.Written{Path: ".wrangler/issues/ISS-000001-paper.md"})
		},
		"Refresh": func(ctx context.Context) error { return s.Refresh(ctx, ".wrangler/issues/ISS-000001-paper.md") },
	}
}

// pages reads two pages of a query, with a change in between.
func (s *served) pages(ctx context.Context, q index.Query) error {
	page, err := index.FindPage(ctx, s.Index, q)
	if err != nil || page.Next == "" {
		return err
	}
	path := page.Rows[len(page.Rows)-1].Path
	file := filepath.Join(s.root, filepath.FromSlash(path))
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(data, "One more line.\n"...), 0o644); err != nil {
		return err
	}
	_, err = index.FindPage(ctx, s.Index, index.Query{Cursor: page.Next, Limit: q.Limit})
	return err
}
