package history

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"issues-index/store"
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
				n.docs[i] = r.ws.Parse(store.File{Path: name, Collection: c}, []byte(data), nil)
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
	event := ""
	archived := func(at string) bool { return path.Base(path.Dir(at)) == "archived" }
	switch {
	case !archived(was.path) && archived(is.path):
		event = " archived"
	case archived(was.path) && !archived(is.path):
		event = " returned"
	case was.path != is.path:
		event = " renamed"
	}
	want = c.message + event
	if unreadable(before) != "" {
		return want, false
	}
	if unreadable(after) == "" {
		for _, change := range Compare(before, after) {
			want += "; " + change.Field + " " + change.Part + " " + change.From + change.To
		}
	}
	return want, true
}

var long = flag.Bool("long", false, "compare 300 generated histories instead of 8 (two minutes)")

func TestHistoryIsThatOfANaiveReading(t *testing.T) {
	runs, commits := 8, 40
	if *long {
		runs = 300
	}
	for seed := range runs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRepository(t)
			random := rand.New(rand.NewPCG(uint64(seed), 18))
			drafts := generate(random, r, commits)
			n := readNaively(r, r.make())
			for i, d := range drafts {
				if (d.path == "") != (n.docs[i] == nil) {
					t.Fatal("the generated repository is not as it was meant")
				}
			}
			var want []string
			whole := map[string]bool{}
			for i := range slices.Backward(n.hashes) {
				if line, check := n.expected(i); line != "" {
					want = append(want, line)
					whole[n.hashes[i]] = check
				}
			}
			last := len(n.docs) - 1
			subject := Named(r.ws, "ISS-000001")
			if n.docs[last] != nil {
				subject = Of(r.ws, n.docs[last])
			}
			var got []string
			for _, e := range r.entries(subject, HistoryQuery{}) {
				line := e.Subject
				if e.Event != "" {
					line += " " + string(e.Event)
				}
				if whole[e.Commit] {
					for _, c := range e.Changes {
						if c.Field != Path && c.Field != Frontmatter && c.Field != Formatting {
							line += "; " + c.Field + " " + c.Part + " " + c.From + c.To
						}
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
