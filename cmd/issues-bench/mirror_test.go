//go:build !windows

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
	"issues-index/store/mirror"
	"issues-index/store/storetest"
)

var (
	teamSizes = flag.String("documents", "1000", "numbers of documents of the workspaces, separated by commas")
	spaces    = flag.Int("workspaces", 30, "workspaces of a thousand documents in a mirror")
	keepIn    = flag.String("dir", "", "keep what mirrors are compared with here for the next run, and the mirror")
)

// sizes are the numbers of documents to measure with.
func sizes(t *testing.T) (all []int) {
	t.Helper()
	if !storetest.Long() {
		t.Skip("takes minutes: see -long")
	}
	for text := range strings.SplitSeq(*teamSizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < leastDocuments {
			t.Fatalf("-documents %s: give whole numbers of at least %d", *teamSizes, leastDocuments)
		}
		all = append(all, size)
	}
	return all
}

// figuresDir is the folder of the workspaces.
func figuresDir(t *testing.T) string {
	t.Helper()
	if *keepIn != "" {
		return *keepIn
	}
	return t.TempDir()
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// A hub over many workspaces answers as one over a single workspace does: what each question
// costs, beside the same question in ordinary workspaces. The mirror is written by its writer
// and not by way of an engine.
func TestMirrorFigures(t *testing.T) {
	const each, rounds, starts = 1000, 40, 3
	ordinary, dir := sizes(t), figuresDir(t)
	program, err := buildProgram(t.Context(), t.TempDir())
	must(t, err)
	results := []sizeResult{measureMirror(t, program, filepath.Join(dir, fmt.Sprintf("mirror-%d", *spaces)), *spaces,
		each, rounds, starts)}
	for _, size := range ordinary {
		c, err := generate(filepath.Join(dir, strconv.Itoa(size)), size, true)
		must(t, err)
		r := sizeResult{Documents: size, CorpusBytes: c.bytes, Figures: map[string]float64{}}
		must(t, c.measureRebuild(t.Context(), program, &r), c.measureStarts(t.Context(), program, &r, starts))
		measureQueries(t, c.root, "", rounds, &r)
		results = append(results, r)
	}
	must(t, writeTable(t.Output(), rounds, results))
}

// measureMirror measures the mirror of so many workspaces of so many documents each.
func measureMirror(t *testing.T, program, root string, workspaces, each, rounds, starts int) sizeResult {
	t.Helper()
	r := sizeResult{Name: fmt.Sprintf("%d workspaces, ", workspaces), Documents: workspaces * each,
		Figures: map[string]float64{}}
	began := time.Now()
	writeMirror(t, root, workspaces, each)
	t.Logf("made and wrote the mirror in %v", time.Since(began))
	must(t, os.RemoveAll(filepath.Join(root, filepath.FromSlash(mirror.CacheDir))))
	r.CorpusBytes = sizeBelow(t, root)
	c := &corpus{root: root}
	must(t, c.measureRebuild(t.Context(), program, &r), c.measureStarts(t.Context(), program, &r, starts))
	measureQueries(t, root, lineName(workspaces/2), rounds, &r)
	return r
}

func lineName(i int) string { return fmt.Sprintf("w%03d", i) }

// writeMirror writes a mirror of generated workspaces, unless one was kept.
func writeMirror(t *testing.T, root string, workspaces, each int) {
	t.Helper()
	whole := root + ".whole"
	if _, err := os.Stat(whole); err == nil {
		return
	}
	model, err := generate(filepath.Join(t.TempDir(), "model"), each, true)
	must(t, err)
	ws, err := store.Open(store.Options{Root: model.root, Getenv: func(string) string { return "" }})
	must(t, err)
	manifest, err := ws.Manifest().Bytes()
	must(t, err, ws.Close())
	w, err := mirror.NewCopyWriter(root)
	must(t, err)
	plans := planDocuments(each)
	for i := range workspaces {
		line := mirror.Branch{Workspace: lineName(i), Name: mirror.Main}
		must(t, w.Put(line, mirror.ManifestPath, manifest))
		for n, p := range plans {
			p.created = p.created.Add(time.Duration(i) * time.Minute)
			path, text, _ := makeDocument(p, each+i, n)
			must(t, w.Put(line, path, []byte(text)))
		}
	}
	must(t, w.Mark(), w.Close(), os.WriteFile(whole, nil, 0o600))
	time.Sleep(restingTime)
}

// measureQueries measures questions to an index, and to one workspace of a mirror.
func measureQueries(t *testing.T, root, within string, rounds int, r *sizeResult) {
	t.Helper()
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	must(t, err)
	defer func() { must(t, ws.Close()) }()
	ix, err := index.Open(t.Context(), ws, index.Options{})
	must(t, err)
	defer func() { must(t, ix.Close()) }()
	ask := func(ctx context.Context, name string, query func(ctx context.Context, round int) (answers int, err error)) {
		var took []time.Duration
		for round := range warmRounds + rounds {
			began := time.Now()
			n, err := query(ctx, round)
			if must(t, err); n == 0 {
				t.Errorf("%s: nothing is found", name)
			}
			if round >= warmRounds {
				took = append(took, time.Since(began))
			}
		}
		r.addTimes(name, took)
	}
	find := func(q index.Query) func(context.Context, int) (int, error) {
		q.Limit, q.Waits, q.Claims, q.Uncounted = 20, true, true, !q.Search
		return func(ctx context.Context, _ int) (int, error) {
			// Which keeps the ranking, as the tools do.
			page, err := ix.FindCut(ctx, q, func(p index.Page) (int, error) { return len(p.Rows), nil })
			return len(page.Rows), err
		}
	}
	search := func(ctx context.Context, round int) (int, error) {
		return find(index.Query{Search: true, Text: searchedWords[round%len(searchedWords)], Snippets: true})(ctx, round)
	}
	stats := func(by string) func(context.Context, int) (int, error) {
		return func(ctx context.Context, _ int) (int, error) {
			counts, _, err := ix.Stats(ctx, by, index.Filter{})
			return len(counts), err
		}
	}
	once := rounds
	rounds = min(rounds, len(searchedWords)-warmRounds)
	ask(t.Context(), "search, common word", search)
	rounds = once
	ask(t.Context(), "list by update, 20 rows", find(index.Query{}))
	ask(t.Context(), "list open and high, 20 rows", find(index.Query{Filter: index.Filter{Statuses: []string{"open"},
		Priorities: []string{"high"}}}))
	ask(t.Context(), "list ready work, 20 rows", find(index.Query{Filter: index.Filter{Ready: true}}))
	ask(t.Context(), "list blocked work, 20 rows", find(index.Query{Filter: index.Filter{Blocked: true}}))
	ask(t.Context(), "search, common word asked again", find(index.Query{Search: true, Text: searchedWords[0],
		Snippets: true}))
	ask(t.Context(), "search, a word of one document in each", find(index.Query{Search: true, Text: rareWordOf1,
		Snippets: true}))
	ask(t.Context(), "search, phrase", find(index.Query{Search: true, Text: `"` + phraseOf5 + `"`, Snippets: true}))
	ask(t.Context(), "stats by status", stats("status"))
	ask(t.Context(), "stats by label", stats("label"))
	if within == "" {
		return
	}
	ask(t.Context(), "stats by workspace", stats("workspace"))
	one := index.Within(t.Context(), within)
	ask(one, "one workspace of it: list by update", find(index.Query{}))
	ask(one, "one workspace of it: list open and high",
		find(index.Query{Filter: index.Filter{Statuses: []string{"open"}, Priorities: []string{"high"}}}))
	ask(one, "one workspace of it: list ready work", find(index.Query{Filter: index.Filter{Ready: true}}))
	ask(one, "one workspace of it: list blocked work", find(index.Query{Filter: index.Filter{Blocked: true}}))
	ask(one, "one workspace of it: search, common word asked again", find(index.Query{Search: true,
		Text: searchedWords[0], Snippets: true}))
	ask(one, "one workspace of it: stats by status", stats("status"))
	rounds = min(rounds, len(searchedWords)-warmRounds)
	ask(one, "one workspace of it: search, common word", search)
}
