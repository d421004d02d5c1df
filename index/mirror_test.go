package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
)

// mirrorLines makes a mirror of workspaces, by the names of their lines.
func mirrorLines(t testing.TB, root string, workspaces map[string]string) {
	t.Helper()
	manifests := map[mirror.Branch]mirror.Manifest{}
	for name, from := range workspaces {
		line, ok := mirror.ParseBranch(name)
		if !ok {
			t.Fatalf("%s is no line", name)
		}
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		for _, own := range []string{store.CacheDir, layout.File} { // which nobody publishes
			if err := os.RemoveAll(filepath.Join(root, name, filepath.FromSlash(own))); err != nil {
				t.Fatal(err)
			}
		}
		ws := openPlain(t, from)
		data, err := ws.Manifest().Bytes()
		if err != nil {
			t.Fatal(err)
		}
		writeAll(t, filepath.Join(root, name, mirror.ManifestPath), data)
		manifests[line] = ws.Manifest()
	}
	marker, err := mirror.MarkerBytes(manifests)
	if err != nil {
		t.Fatal(err)
	}
	writeAll(t, filepath.Join(root, mirror.Marker), marker)
}

func writeAll(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// openPlain opens a workspace that the environment says nothing of.
func openPlain(t testing.TB, root string) *store.Workspace {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func indexPlain(t testing.TB, root string) *Index {
	t.Helper()
	ix, err := Open(t.Context(), openPlain(t, root), Options{Mode: ModeVerify})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

// lineNames are such that one begins as another does, and that some differ by a zero or by a
// line alone.
var lineNames = []string{"w", "w-1", "w-01", "w-1@mac-7"}

// mirroredLayouts are those of the workspaces of a mirror.
var mirroredLayouts = []struct {
	text, prefix, issues, archive string
	statuses, priorities          []string
}{
	{"", "ISS-", ".wrangler/issues", "archived", []string{"open", "in_progress", "closed", "cancelled", "odd"}, []string{"low", "medium", "critical"}},
	{
		"idPattern: TASK-{n}\nfolders: {issue: docs/tasks}\narchive: none\npriorities: [later, now]\n" +
			"statuses: [{name: To Do, category: open}, {name: Doing, category: active}, {name: Done, category: done}, {name: Dropped, category: cancelled}]\n",
		"TASK-", "docs/tasks", "", []string{"To Do", "Doing", "Done", "Dropped"}, []string{"later", "now"},
	},
	{
		"folders: {issue: backlog/tasks}\narchive: completed\nstatuses: [{name: open, category: open}, {name: waiting, category: open}, {name: in_progress, category: active}, {name: closed, category: done}]\n",
		"ISS-", "backlog/tasks", "completed", []string{"open", "waiting", "in_progress", "closed"}, []string{"high", "medium"},
	},
}

// drawWorkspace writes a workspace with documents that link, mention and wait for each other.
func drawWorkspace(rt *rapid.T, t *testing.T, root string) {
	own := rapid.SampledFrom(mirroredLayouts).Draw(rt, "layout")
	if own.text != "" {
		writeAll(t, filepath.Join(root, filepath.FromSlash(layout.File)), []byte(own.text))
	}
	numbers := rapid.IntRange(1, 9)
	target := func(label string) string {
		n := numbers.Draw(rt, label)
		return rapid.SampledFrom([]string{
			fmt.Sprintf("%s%06d", own.prefix, n), fmt.Sprintf("%s%d", strings.ToLower(own.prefix), n), fmt.Sprint(n),
			fmt.Sprintf("%s%06d-rain-%d", own.prefix, n, n), "GONE-1", "own-0" + fmt.Sprint(n),
		}).Draw(rt, label)
	}
	for i := range rapid.IntRange(1, 9).Draw(rt, "documents") {
		n := i + 1
		id := fmt.Sprintf("%s%06d", own.prefix, n)
		status := rapid.SampledFrom(own.statuses).Draw(rt, "status")
		var b strings.Builder
		fmt.Fprintf(&b, "---\ntitle: Rain %d\nstatus: %s\npriority: %s\n", n, status, rapid.SampledFrom(own.priorities).Draw(rt, "priority"))
		name := fmt.Sprintf("%s-rain-%d.md", id, n)
		switch rapid.IntRange(0, 7).Draw(rt, "id") {
		case 0:
			name = fmt.Sprintf("own-0%d.md", n) // the name is the id
		case 1:
			fmt.Fprintf(&b, "id: %s000001\n", own.prefix) // mostly of another one, too
		default:
			fmt.Fprintf(&b, "id: %s\n", id)
		}
		fmt.Fprintf(&b, "createdAt: 2026-01-0%dT10:00:00Z\nupdatedAt: 2026-02-0%dT10:00:00Z\n", n, numbers.Draw(rt, "updated"))
		if rapid.Bool().Draw(rt, "labelled") {
			b.WriteString("labels: [wet]\nassignee: ann\nproject: weather\n")
		}
		for _, key := range []string{"dependsOn", "blocks", "relatesTo"} {
			if rapid.IntRange(0, 2).Draw(rt, key) == 0 {
				fmt.Fprintf(&b, "%s: [%q, %q]\n", key, target(key), target(key))
			}
		}
		if rapid.IntRange(0, 2).Draw(rt, "child") == 0 {
			fmt.Fprintf(&b, "parent: %q\n", target("parent"))
		}
		if rapid.IntRange(0, 5).Draw(rt, "renumbered") == 0 {
			fmt.Fprintf(&b, "formerIds: [%s0000%d]\n", own.prefix, 10+numbers.Draw(rt, "former"))
		}
		fmt.Fprintf(&b, "---\n# Rain %d\n\nwet stones %d, see %s000002 and %s00001%d, [[rain %d]], [[%s]] and [it](%s000003-rain-3.md) or [up](../../x.md).\n",
			n, numbers.Draw(rt, "stones"), own.prefix, own.prefix, numbers.Draw(rt, "was"), numbers.Draw(rt, "page"), target("wiki"), own.prefix)
		dir := own.issues
		if own.archive != "" && rapid.IntRange(0, 3).Draw(rt, "filed") == 0 {
			dir += "/" + own.archive
		}
		writeAll(t, filepath.Join(root, filepath.FromSlash(dir), name), []byte(b.String()))
	}
}

// TestAMirrorAnswersAsEachOfItsWorkspacesDoes holds that, of each line, the index of a mirror
// says what an index of that workspace alone does.
func TestAMirrorAnswersAsEachOfItsWorkspacesDoes(t *testing.T) {
	t.Parallel()
	started, done := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		if done >= 1 && done == started && !storetest.Long() { // each builds five indexes
			return
		}
		started++
		defer func() {
			if !rt.Failed() {
				done++
			}
		}()
		top := t.TempDir()
		workspaces := map[string]string{}
		for i, name := range lineNames {
			workspaces[name] = filepath.Join(top, fmt.Sprint(i))
			if err := os.MkdirAll(filepath.Join(workspaces[name], ".wrangler"), 0o755); err != nil {
				rt.Fatal(err)
			}
			drawWorkspace(rt, t, workspaces[name])
		}
		root := filepath.Join(top, "mirror")
		mirrorLines(t, root, workspaces)
		all := indexPlain(t, root)
		for _, name := range storetest.FewOf(lineNames, 2) {
			line, _ := mirror.ParseBranch(name)
			compareLine(rt, t, all, indexPlain(t, workspaces[name]), line)
		}
	})
}

// compareLine compares the answers about one line of a mirror with those of its workspace.
func compareLine(rt *rapid.T, t *testing.T, all, alone *Index, in mirror.Branch) {
	ctx := t.Context()
	plain := func(v any) string {
		text := regexp.MustCompile(` doc:[0-9]+`).ReplaceAllString(fmt.Sprintf("%+v", v), "")
		for from, to := range map[string]string{
			in.Folder(): "", in.Qualify(""): "", fmt.Sprintf("Workspace:%s Line:%s", in.Workspace, in.Name): "Workspace: Line:",
		} {
			text = strings.ReplaceAll(text, from, to)
		}
		return text
	}
	compare := func(what string, got, want any) {
		if plain(got) != plain(want) {
			a, b := differing(plain(got), plain(want))
			rt.Fatalf("%s, %s:\n%s\nin the mirror, and alone\n%s", in, what, a, b)
		}
	}
	byID := func(waits []string) { // as they are sorted, but ids begin otherwise in a mirror
		slices.SortFunc(waits, func(a, b string) int { return strings.Compare(plain(a), plain(b)) })
	}
	ours := func(f Filter) Filter {
		f.Workspaces, f.Lines = []string{in.Workspace}, []string{in.Name}
		return f
	}
	list := func(ix *Index, q Query) any {
		q.Limit, q.Waits = 100, true
		page, err := ix.Find(ctx, q)
		if q.Search { // each index ranks by its own frequencies
			slices.SortFunc(page.Rows, func(a, b Row) int { return strings.Compare(a.Path, b.Path) })
		}
		for _, row := range page.Rows {
			byID(row.WaitsFor)
		}
		return fmt.Sprintf("%d, %d, %+v, %v", page.Total, page.Remaining, page.Rows, err)
	}
	filters := []Filter{{}, {Ready: true}, {Blocked: true}, {Labels: []string{"wet"}}, {Assignee: "ann"}, {Statuses: []string{"open", "Doing"}}}
	for _, f := range storetest.FewOf(filters, 3) {
		for _, key := range []SortKey{SortUpdated, SortCreated, SortPriority, SortStatus} {
			compare(fmt.Sprintf("list %+v by %s", f, key), list(all, Query{Filter: ours(f), Sort: Sort{Key: key}}), list(alone, Query{Filter: f, Sort: Sort{Key: key}}))
		}
		for _, by := range GroupBys {
			got, n, err := all.Stats(ctx, by, ours(f))
			want, m, wrong := alone.Stats(ctx, by, f)
			compare(fmt.Sprintf("stats %+v by %s", f, by), fmt.Sprint(got, n, err), fmt.Sprint(want, m, wrong))
		}
		got, found, err := all.Best(ctx, ours(f), func(Row) bool { return true })
		want, foundAlone, wrong := alone.Best(ctx, f, func(Row) bool { return true })
		compare(fmt.Sprintf("best %+v", f), fmt.Sprintf("%+v %v %v", got, found, err), fmt.Sprintf("%+v %v %v", want, foundAlone, wrong))
	}
	compare("search", list(all, Query{Search: true, Text: "stones 3", Filter: ours(Filter{})}), list(alone, Query{Search: true, Text: "stones 3"}))

	page, err := alone.Find(ctx, Query{Limit: 100})
	if err != nil {
		rt.Fatal(err)
	}
	for _, row := range page.Rows {
		for _, name := range []string{row.ID, strings.ToLower(row.ID), row.Path, store.Stem(row.Path), "#" + idNumber(row.ID)} {
			got, err := all.Get(ctx, in.Qualify(name))
			want, wrong := alone.Get(ctx, name)
			compare("get "+name, fmt.Sprintf("%+v, %v", got, err != nil), fmt.Sprintf("%+v, %v", want, wrong != nil))
		}
		got, err := all.Links(ctx, in.Folder()+row.Path)
		want, wrong := alone.Links(ctx, row.Path)
		for _, reason := range slices.Concat(got.Reasons, want.Reasons) {
			if held, ok := reason.(AncestorWaits); ok {
				byID(held.For)
			}
		}
		compare("links of "+row.Path, fmt.Sprintf("%+v %v", got, err), fmt.Sprintf("%+v %v", want, wrong))
		if row.Shared {
			continue
		}
		for _, text := range []string{"under:%s", "blocks:%s", "mentions:%s", "id = %s", "parent = %s", "is:ready and not under:%s", "is:closable or is:active or id = %s"} {
			asked := func(id string) AskedCriteria { return AskedCriteria{Text: fmt.Sprintf(text, fmt.Sprintf("%q", id))} }
			compare(asked(row.ID).Text, list(all, Query{Filter: ours(Filter{Where: asked(in.Qualify(row.ID))})}), list(alone, Query{Filter: Filter{Where: asked(row.ID)}}))
		}
	}
	compare("problems", problemsBelow(rt, t, all, in.Folder()), problemsBelow(rt, t, alone, ""))
}

// differing are two texts from a little before where they differ.
func differing(a, b string) (string, string) {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	const around = 300
	show := func(text string) string { return text[max(0, at-around):min(len(text), at+around)] }
	return show(a), show(b)
}

// problemsBelow are the problems of the documents and links below a folder.
func problemsBelow(rt *rapid.T, t *testing.T, ix *Index, folder string) (all []string) {
	problems, err := ix.Problems(t.Context())
	if err != nil {
		rt.Fatal(err)
	}
	broken, err := ix.BrokenLinks(t.Context())
	if err != nil {
		rt.Fatal(err)
	}
	for _, p := range append(problems, broken...) {
		if strings.HasPrefix(p.Path, folder) {
			all = append(all, fmt.Sprintf("%+v", p))
		}
	}
	slices.Sort(all)
	return all
}

func TestWhatIsMeantInAMirror(t *testing.T) {
	t.Parallel()
	top, ctx := t.TempDir(), t.Context()
	workspaces := map[string]string{}
	for name, ids := range map[string][]string{"api": {"ISS-000001", "ISS-000002"}, "api@mac-1": {"ISS-000001", "ISS-000009"}, "web": {"ISS-000001"}} {
		workspaces[name] = filepath.Join(top, name)
		for _, id := range ids {
			writeAll(t, filepath.Join(workspaces[name], ".wrangler", "issues", id+".md"), []byte("---\nid: "+id+"\n---\n"))
		}
	}
	root := filepath.Join(top, "mirror")
	mirrorLines(t, root, workspaces)
	ix := indexPlain(t, root)
	for _, one := range []struct{ within, id, want string }{
		{"", "ISS-2", "api:ISS-000002"},
		{"", "2", "api:ISS-000002"},
		{"", "ISS-9", "api@mac-1:ISS-000009"},
		{"", "api:1", "api:ISS-000001"},
		{"", "API@mac-1:iss-1", "api@mac-1:ISS-000001"},
		{"", "web/.wrangler/issues/ISS-000001.md", "web:ISS-000001"},
		{"", "api: #2", "api:ISS-000002"},
		{"api", "ISS-1", "api:ISS-000001"},
		{"web", "1", "web:ISS-000001"},
		{"web", "api:2", "api:ISS-000002"},
		{"api@mac-1", "1", "api@mac-1:ISS-000001"},
	} {
		if row, err := ix.Get(Within(ctx, one.within), one.id); err != nil || row.ID != one.want {
			t.Errorf("%s within %q is %q, %v", one.id, one.within, row.ID, err)
		}
	}
	if _, err := ix.Get(ctx, "ISS-1"); err == nil || err.Error() != "2 documents fit the id ISS-1" {
		t.Errorf("what two main lines have gives %v", err)
	}
	if row, err := ix.Get(Within(ctx, "web"), "ISS-2"); err == nil {
		t.Errorf("ISS-2 within web is %s", row.ID)
	}
	for _, one := range []struct {
		within string
		filter Filter
		want   string
	}{
		{"", Filter{}, "api:ISS-000001 api:ISS-000002 web:ISS-000001"},
		{"web", Filter{}, "web:ISS-000001"},
		{"api@mac-1", Filter{}, "api@mac-1:ISS-000001 api@mac-1:ISS-000009"},
		{"", Filter{Lines: []string{"mac-1"}}, "api@mac-1:ISS-000001 api@mac-1:ISS-000009"},
		{"", Filter{Where: AskedCriteria{Text: "line != main"}}, "api@mac-1:ISS-000001 api@mac-1:ISS-000009"},
		{"", Filter{Where: AskedCriteria{Text: "-workspace:api"}}, "web:ISS-000001"},
	} {
		page, err := ix.Find(Within(ctx, one.within), Query{Filter: one.filter, Limit: 10})
		var ids []string
		for _, row := range page.Rows {
			ids = append(ids, row.ID)
		}
		if slices.Sort(ids); err != nil || strings.Join(ids, " ") != one.want || page.Total != len(ids) {
			t.Errorf("%+v within %q has %v of %d, %v", one.filter, one.within, ids, page.Total, err)
		}
	}
	counts, _, err := ix.Stats(ctx, "workspace", Filter{})
	if err != nil || fmt.Sprint(counts) != "[{api 2} {web 1}]" {
		t.Errorf("counted %v, %v", counts, err)
	}

	// A further line is taken in without a new index, and one that is gone is dropped.
	before := ix.engine.build.generation
	workspaces["new"] = workspaces["web"]
	if err := os.RemoveAll(filepath.Join(root, "web")); err != nil {
		t.Fatal(err)
	}
	delete(workspaces, "web")
	again := filepath.Join(top, "again")
	mirrorLines(t, again, workspaces)
	for _, p := range []string{"new", mirror.Marker} {
		if err := os.RemoveAll(filepath.Join(root, p)); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(again, p), filepath.Join(root, p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := ix.ws.CheckLayout(); !errors.Is(err, store.ErrRelaid) {
		t.Fatalf("%v", err)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	now := indexPlain(t, root)
	if counts, _, err = now.Stats(ctx, "workspace", Filter{}); err != nil || fmt.Sprint(counts) != "[{api 2} {new 1}]" {
		t.Errorf("counted %v, %v", counts, err)
	}
	if now.engine.build.generation != before {
		t.Error("the index was built anew")
	}
}
