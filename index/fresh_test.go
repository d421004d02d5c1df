package index

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"issues-index/index/db"
	"issues-index/index/watch"
	"issues-index/store/storetest"
)

var (
	seedFlag = flag.Uint64("seed", 0, "seed of random tests; 0 takes a new one")
)

// So few changed files make tests build the index again.
func init() { bulk = 300 }

// often is how many times a random test does something.
func often(times int) int {
	if storetest.Long() {
		times *= 20
	}
	return max(1, times/patience)
}

// seeded returns the source of a random test, which a failure names.
func seeded(t *testing.T) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with: go test ./index -run '%s' -seed %d", t.Name(), seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// A respondent answers about a workspace: an index here, or in another process.
type respondent interface {
	ask(ctx context.Context, words []string) (answers, error)
}

func (ix *Index) ask(ctx context.Context, words []string) (answers, error) {
	return answersOf(ctx, ix, words)
}

// searched bounds how many of the words that a step changes are searched for.
const searched = 2

// follow makes random changes, and after each has a server answer at once, each
// in turn: the others see what was changed meanwhile as one. No kind of change comes
// again before all others have come.
func follow(t *testing.T, w *tree, steps int, servers ...respondent) {
	t.Helper()
	h := newHand(w, seeded(t))
	followHand(t, h, steps, func(_, kind int) { kinds[kind].change(h) }, servers...)
}

// followHand is follow by whoever makes the changes, as change has it.
func followHand(t *testing.T, h *hand, steps int, change func(step, kind int), servers ...respondent) {
	t.Helper()
	w := h.tree
	before := w.texts()
	most := 2 * len(before)
	order := h.Perm(len(kinds))
	for step := range often(steps) {
		if step > 0 && step%len(kinds) == 0 {
			order = h.Perm(len(kinds))
		}
		kind := kinds[order[step%len(kinds)]]
		change(step, order[step%len(kinds)])
		after := w.texts()
		words := changedWords(before, after)
		h.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		words = words[:min(len(words), searched)]
		n := step % len(servers)
		got, err := servers[n].ask(t.Context(), words)
		if err != nil {
			t.Fatalf("step %d, %s: server %d: %v", step, kind.name, n, err)
		}
		if d := difference(got, asRead(after, words)); d != "" {
			t.Fatalf("step %d, %s: server %d is behind:\n%s", step, kind.name, n, d)
		}
		before = h.thin(after, most)
	}
}

// changedWords are the words of documents that are not as they were, on both sides.
func changedWords(before, after map[string]string) []string {
	var words []string
	for _, side := range [][2]map[string]string{{before, after}, {after, before}} {
		for p, text := range side[0] {
			if other, there := side[1][p]; !there || other != text {
				words = append(words, wordsOf(text)...)
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func TestEveryChangeIsSeenByTheNextRead(t *testing.T) {
	steps := len(kinds)
	if storetest.Long() {
		steps = 300
	}
	modes := map[string]Mode{"with a watcher": ModeWatch, "comparing before every read": ModeVerify}
	for name, mode := range storetest.Few(modes, 1) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, 15)
			ix, log := w.open(Options{Mode: mode})
			follow(t, w, steps, ix)
			w.check(ix)
			w.asRebuilt(ix)
			sound(t, ix)
			if l := log.all(); len(l) > 0 {
				t.Errorf("warnings: %q", l)
			}
		})
	}

	t.Run("by three servers of one workspace", func(t *testing.T) {
		t.Parallel()
		w := newTree(t, 15)
		var servers []respondent
		var logs []*warnings
		for range 3 {
			ix, log := w.open(Options{})
			servers, logs = append(servers, ix), append(logs, log)
		}
		follow(t, w, steps, servers...)
		for i, s := range servers {
			w.check(s.(*Index))
			if l := logs[i].all(); len(l) > 0 {
				t.Errorf("warnings of server %d: %q", i, l)
			}
		}
		w.asRebuilt(servers[0].(*Index))
		sound(t, servers[0].(*Index))
	})
}

// Of the same index these are among the changes above, but not on every system.
func TestEachMoveOfAFolderIsSeenByTheNextRead(t *testing.T) {
	for _, kind := range folderMoves {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, 15)
			ix, _ := w.open(Options{})
			w.check(ix)
			kind.change(newHand(w, seeded(t)))
			w.check(ix)
		})
	}
}

// Nothing is between a change that another process has finished and the answer, though a
// further one keeps the watcher busy with files that are no documents.
func TestEveryChangeOfOtherProcessesIsSeenByTheNextRead(t *testing.T) {
	t.Parallel()
	newTree(t, 15).followOthers(t)
}

// followOthers has another process change a workspace while a further one stirs it. The events of
// some changes are lost. With -long three processes change it in turn, 10,000 times.
func (w *tree) followOthers(t *testing.T) {
	t.Helper()
	ix, log := w.open(Options{})
	w.watching(ix)
	h := newHand(w, seeded(t))
	changing := 1
	if storetest.Long() {
		changing = 3
	}
	var others []*process
	for range changing + 1 {
		others = append(others, w.spawn(ModeVerify, nil))
	}
	stirring := others[changing]
	stirring.send(request{Do: "stir"})
	stirring.receive()
	steps := len(kinds) + 2 // with one whose events are lost
	if storetest.Long() {
		steps = 500
	}
	limit := queueLimit()
	var full *watch.Watcher
	followHand(t, h, steps, func(step, kind int) {
		if full != nil && w.watching(ix) == full {
			t.Fatal("no event was lost: the test proves nothing")
		}
		full = nil
		resume := func() {}
		if step%100 == len(kinds) && limit > 0 {
			full = w.watching(ix)
			resume = full.Pause()
			w.overflow(limit)
		}
		n := step % changing
		others[n].send(request{Do: "change", Kind: kind, Hand: n + 1, Seed: h.Uint64()})
		others[n].receive()
		resume()
	}, ix)
	for _, p := range others {
		p.stop()
	}
	w.check(ix)
	w.asRebuilt(ix)
	if l := log.all(); len(l) > 0 {
		t.Errorf("warnings: %q", l)
	}
	if ix.currentWatcher() == nil {
		t.Error("it is not watched any more: the test proves nothing")
	}
}

// asRebuilt compares all that an index keeps of the files with what one keeps that is
// built from them now.
func (w *tree) asRebuilt(ix *Index) {
	w.Helper()
	rows := func(ix *Index) (all []string) {
		w.checkWords(ix)
		rows, err := ix.db.Read.Query(`SELECT path || ' ' || concat_ws(' ', hex(hash), id, title, status, labels, size, mtime, ctime, inode, unwatched,
			(SELECT group_concat(code || ' ' || line || ' ' || message) FROM document_problem p WHERE p.doc = d.doc),
			(SELECT group_concat(concat_ws(' ', key, item, text, number, time)) FROM field f WHERE f.doc = d.doc),
			(SELECT group_concat(concat_ws(' ', item, kind, target, target_fold, name, line)) FROM reference r WHERE r.doc = d.doc),
			(SELECT group_concat(id_fold) FROM former_id f WHERE f.doc = d.doc)) FROM document d ORDER BY path`)
		w.must(err)
		defer rows.Close()
		for rows.Next() {
			var row string
			w.must(rows.Scan(&row))
			all = append(all, row)
		}
		w.must(rows.Err())
		return all
	}
	rebuilt, _ := w.open(Options{Mode: ModeVerify, Path: db.MemoryPath})
	got, want := rows(ix), rows(rebuilt)
	w.close(rebuilt)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			w.Fatalf("the index has     %s\na rebuilt one has %s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		w.Fatalf("the index has %d rows, a rebuilt one %d", len(got), len(want))
	}
}

// sound checks that the parts of an index agree with each other.
func sound(t testing.TB, ix *Index) {
	t.Helper()
	for check, query := range map[string]string{
		"SQLite's own check":                     `SELECT integrity_check <> 'ok' FROM pragma_integrity_check`,
		"a body for each document":               `SELECT (SELECT count(*) FROM document LEFT JOIN body USING (doc) WHERE text IS NULL) + (SELECT count(*) FROM body WHERE doc NOT IN (SELECT doc FROM document))`,
		"words for each document":                `SELECT (SELECT count(*) FROM document) <> (SELECT count(*) FROM search_docsize)`,
		"each word once":                         `SELECT count(*) - count(DISTINCT term) FROM vocabulary`,
		"fields of documents only":               `SELECT count(*) FROM field WHERE doc NOT IN (SELECT doc FROM document)`,
		"references of documents only":           `SELECT (SELECT count(*) FROM reference WHERE doc NOT IN (SELECT doc FROM document)) + (SELECT count(*) FROM former_id WHERE doc NOT IN (SELECT doc FROM document))`,
		"labels of documents only":               `SELECT count(*) FROM document_label WHERE doc NOT IN (SELECT doc FROM document)`,
		"problems of documents only":             `SELECT count(*) FROM document_problem WHERE doc NOT IN (SELECT doc FROM document)`,
		"no row changed later than now":          `SELECT count(*) FROM document, state WHERE document.rev > state.rev`,
		"tallies that are those by facets alone": `SELECT count(*) FROM (SELECT workspace, line, type, status, priority, finished, count(*) FROM document GROUP BY 1, 2, 3, 4, 5, 6 EXCEPT SELECT * FROM facet_tally)`,
		"tallies that are those by facets":       `SELECT count(*) FROM (SELECT workspace, line, type, status, priority, finished, assignee, project, count(*) FROM document GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 EXCEPT SELECT * FROM tally)`,
		"tallies of labels":                      `SELECT count(*) FROM (SELECT label, count(*) FROM document_label GROUP BY 1 EXCEPT SELECT * FROM label_tally)`,
	} {
		var wrong int
		if err := ix.db.Write.QueryRow(query).Scan(&wrong); err != nil || wrong != 0 {
			t.Errorf("%s: %d wrong, %v", check, wrong, err)
		}
	}
	if _, err := ix.db.Write.Exec(`INSERT INTO search (search) VALUES ('integrity-check')`); err != nil {
		t.Errorf("the full-text table's own check: %v", err)
	}
}
