package history

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"issues-index/store"
	"issues-index/store/storetest"
)

// A draft is the document of a generated history. The zero path is a document that is gone.
type draft struct {
	id, path, status, title string
	boxes                   [3]bool
	lines                   int
	windows, broken         bool
	serial                  int // of the broken text
}

func (d draft) text() string {
	if d.broken {
		return fmt.Sprintf("---\nid: [%d\n---\nbroken\n", d.serial)
	}
	text := fmt.Sprintf("---\nid: %s\ntitle: %s\nstatus: %s\n---\n\n## Tasks\n\n", d.id, d.title, d.status)
	for i, checked := range d.boxes {
		text += fmt.Sprintf("- [%s] task %d\n", map[bool]string{true: "x", false: " "}[checked], i)
	}
	text += "\n## Notes\n\n" + strings.Repeat("A line.\n", d.lines)
	if d.windows {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// changed is the draft after one random change.
func (d draft) changed(r *rand.Rand, serial int) draft {
	const folder = ".wrangler/issues/"
	if d.path == "" {
		d.path = folder + d.id + "-a.md"
		return d
	}
	switch r.IntN(10) {
	case 0:
		d.status = []string{"open", "in_progress", "closed", "cancelled"}[r.IntN(4)]
	case 1:
		i := r.IntN(len(d.boxes))
		d.boxes[i] = !d.boxes[i]
	case 2:
		d.lines = r.IntN(6)
	case 3:
		d.path = path.Dir(d.path) + "/" + d.id + "-" + string(rune('a'+r.IntN(4))) + ".md"
		d.title = fmt.Sprint("Title ", serial)
	case 4, 5:
		to := folder
		if path.Base(path.Dir(d.path)) != "archived" {
			to = folder + "archived/"
		}
		d.path = to + path.Base(d.path)
		d.status = []string{"open", "closed"}[r.IntN(2)]
	case 6:
		d.broken, d.serial = !d.broken, serial
	case 7:
		d.windows = !d.windows
	case 8:
		if r.IntN(3) == 0 {
			d.path = ""
		}
	case 9: // nothing
	}
	return d
}

// generate commits a random history with branches and merges, and one of another document
// beside it. It returns the drafts, which have the numbers of their commits.
func generate(r *rand.Rand, repo *testRepository, commits int) (drafts []draft) {
	other := 0
	commit := func(d draft, parents ...int) int {
		files := map[string]string{".wrangler/issues/ISS-000002-b.md": paper("ISS-000002", "open", strings.Repeat("x\n", other))}
		if r.IntN(3) == 0 {
			other++
		}
		if d.path != "" {
			files[d.path] = d.text()
		}
		drafts = append(drafts, d)
		return repo.commit(files, parents...)
	}
	first := draft{id: "ISS-000001", path: open1, status: "open", title: "Write it", lines: 2}
	tips := []int{commit(first)}
	for len(drafts) < commits {
		i := r.IntN(len(tips))
		switch d := drafts[tips[i]]; {
		case len(tips) < 3 && r.IntN(5) == 0:
			tips = append(tips, tips[i])
		case len(tips) > 1 && r.IntN(4) == 0:
			j := (i + 1) % len(tips)
			ours, theirs := drafts[tips[i]], drafts[tips[j]]
			merged := []draft{ours, theirs, ours.changed(r, len(drafts)), {id: ours.id, path: ours.path, status: theirs.status, title: ours.title, boxes: theirs.boxes, lines: ours.lines}}[r.IntN(4)]
			if tips[i] != tips[j] {
				tips[i] = commit(merged, tips[i], tips[j])
			}
			tips = slices.Delete(tips, j, j+1)
		default:
			tips[i] = commit(d.changed(r, len(drafts)), tips[i])
		}
	}
	for len(tips) > 1 {
		last := len(tips) - 1
		if tips[0] != tips[last] {
			tips[0] = commit(drafts[tips[0]], tips[0], tips[last])
		}
		tips = tips[:last]
	}
	return drafts
}

// naive reads the document of every commit with `git show`, and compares it with those of
// its parents.
type naive struct {
	*testRepository
	hashes []string
	files  []fileVersion // by the number of a commit
	docs   []*store.Document
}

func readNaively(r *testRepository, hashes []string) *naive {
	n := &naive{testRepository: r, hashes: hashes, files: make([]fileVersion, len(hashes)), docs: make([]*store.Document, len(hashes))}
	for i, hash := range hashes {
		for name := range strings.SplitSeq(strings.TrimSpace(r.git("ls-tree", "-r", "--name-only", hash)), "\n") {
			if strings.HasPrefix(path.Base(name), "ISS-000001") {
				c, _ := r.ws.CollectionOf(name)
				data := r.git("show", hash+":"+name)
				n.files[i] = fileVersion{name, data}
				n.docs[i] = r.ws.Parse(store.File{Path: name, Collection: &c}, []byte(data), nil)
			}
		}
	}
	return n
}

// expected says what the history has to say of a commit, "" for nothing. It leaves out the
// fields where an unreadable version came by way of a merge: which one was read last before
// is then a matter of taste.
func (n *naive) expected(i int) (want string, checkFields bool) {
	c := n.commits[i]
	if len(c.parents) == 0 {
		return c.message + " created", false
	}
	was, is := n.files[c.parents[0]], n.files[i]
	before, after := n.docs[c.parents[0]], n.docs[i]
	switch {
	case was == is:
		return "", false
	case before == nil && len(c.parents) > 1:
		return c.message + " created", false
	case before == nil:
		return c.message + " restored", false
	case after == nil:
		return c.message + " deleted", false
	}
	event, checkFields := eventOf(was.path, is.path), unreadable(before) == ""
	for _, parent := range c.parents[1:] {
		checkFields = checkFields && unreadable(after) == "" && (n.docs[parent] == nil || unreadable(n.docs[parent]) == "")
	}
	want = c.message + event
	if !checkFields {
		return want, false
	}
	for _, change := range compareFiles(before, after) {
		want += saidOf(change, slices.ContainsFunc(c.parents[1:], func(parent int) bool {
			return n.docs[parent] != nil && !slices.ContainsFunc(compareFiles(n.docs[parent], after), func(o HistoryChange) bool {
				return o.Field == change.Field && o.Part == change.Part
			})
		}))
	}
	return want, true
}

// pending says what the history has to say of a draft that is on disk and not committed, if there is anything to say.
func (n *naive) pending(d draft) (want string, checkFields, ok bool) {
	last := len(n.docs) - 1
	before := n.docs[last]
	var after *store.Document
	if d.path != "" {
		c, _ := n.ws.CollectionOf(d.path)
		after = n.ws.Parse(store.File{Path: d.path, Collection: &c}, []byte(d.text()), nil)
	}
	switch {
	case before == nil && after == nil, before != nil && after != nil && n.files[last] == fileVersion{d.path, d.text()}:
		return "", false, false
	case before == nil:
		return " restored", false, true
	case after == nil:
		return " deleted", false, true
	}
	want = eventOf(before.Path, after.Path)
	changes := compareFiles(before, after)
	if len(changes) == 1 && changes[0].Field == LineEnds { // as git may change them
		return "", false, false
	}
	if unreadable(before) != "" {
		return want, false, true
	}
	for _, change := range changes {
		want += saidOf(change, false)
	}
	return want, true, true
}

// compareFiles lists what is different in two versions: the place, and whatever can be read.
func compareFiles(before, after *store.Document) (changes []HistoryChange) {
	if before.Path != after.Path {
		changes = append(changes, HistoryChange{Field: Path, From: before.Path, To: after.Path})
	}
	if unreadable(before) == "" && unreadable(after) == "" {
		changes = append(changes, Compare(before, after)...)
	}
	return changes
}

// saidOf says what a change is, and whether a merge took it over.
func saidOf(c HistoryChange, merged bool) string {
	return fmt.Sprintf("; %s %s %s→%s +%d -%d %v", c.Field, c.Part, c.From, c.To, c.Added, c.Removed, merged)
}

// eventOf says what happened to a file that had one path and has another one.
func eventOf(was, is string) string {
	archived := func(at string) bool { return path.Base(path.Dir(at)) == "archived" }
	switch {
	case !archived(was) && archived(is):
		return " archived"
	case archived(was) && !archived(is):
		return " returned"
	case was != is:
		return " renamed"
	}
	return ""
}

func TestHistoryIsThatOfANaiveReading(t *testing.T) {
	const commits = 30
	seeds := make([]uint64, 300)
	for i := range seeds {
		seeds[i] = uint64(i)
	}
	for _, seed := range storetest.FewOf(seeds, 1) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRepository(t)
			random := rand.New(rand.NewPCG(seed, 18))
			drafts := generate(random, r, commits)
			n := readNaively(r, r.make())
			for i, d := range drafts {
				if (d.path == "") != (n.docs[i] == nil) {
					t.Fatal("the generated repository is not as it was meant")
				}
			}
			var want []string
			whole := map[string]bool{}
			now := drafts[len(drafts)-1].changed(random, len(drafts))
			if at := drafts[len(drafts)-1].path; at != "" {
				r.remove(at)
			}
			if now.path != "" {
				r.write(now.path, now.text())
			}
			if line, check, ok := n.pending(now); ok {
				want = append(want, line)
				whole[""] = check
			}
			for i := range slices.Backward(n.hashes) {
				if line, check := n.expected(i); line != "" {
					want = append(want, line)
					whole[n.hashes[i]] = check
				}
			}
			subject := Named(r.ws, "ISS-000001")
			if now.path != "" {
				doc, _, err := r.ws.Load(now.path)
				if err != nil {
					t.Fatal(err)
				}
				subject = Of(r.ws, doc)
			}
			var got []string
			for _, e := range r.entries(subject, HistoryQuery{}) {
				line := e.Subject
				if e.Event != "" {
					line += " " + string(e.Event)
				}
				for _, c := range e.Changes {
					if whole[e.Commit] && c.Field != Frontmatter && c.Field != Formatting {
						line += saidOf(c, c.Merged)
					}
				}
				got = append(got, line)
			}
			expect(t, got, want...)
			if t.Failed() {
				t.Log("\n" + r.git("log", "--graph", "--format=%s", "--name-status", "-m"))
			}
		})
	}
}
