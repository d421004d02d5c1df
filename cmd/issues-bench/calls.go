package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// warm is how many rounds are not counted: they are the first of their kind.
const warm = 2

// A measured is one line of the table: a call, and beside it the same thing
// done without the server.
type measured struct {
	name      string
	tool      string
	arguments func(round int) map[string]any
	refused   bool // an error is the right answer
	most      int  // rounds, 0 for as many as asked

	before func(ctx context.Context, round int) error // not timed
	after  func(answer) error                         // not timed
	limit  func(ctx context.Context, round int) error
}

// Searches change their words from round to round: what was asked before is
// remembered by the index, and what is remembered is another line.
var (
	commonWords = strings.Fields("index issue test server error tool document name value field path list search query config cache schema update status type")
	partsOfWord = strings.Fields("epai reven solatio uplicat eadin utlin imeou igratio napsho ollbac")
	partsOfCJK  = strings.Fields("検索 性能 索引 数据 設定 시작 回滚 结果 写入 오류")
)

func always(arguments map[string]any) func(int) map[string]any {
	return func(int) map[string]any { return arguments }
}

// calls are the lines of the table, from top to bottom.
func (w *workspace) calls() []measured {
	c, d := w.corpus, w.direct
	ask := func(query string, args ...any) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error { return d.ask(ctx, query, args...) }
	}
	search := func(name string, words ...string) measured {
		word := func(round int) string { return words[round%len(words)] }
		m := measured{
			name: name, tool: "issues_search",
			arguments: func(round int) map[string]any { return map[string]any{"query": word(round), "limit": 20} },
			limit:     func(ctx context.Context, round int) error { return d.ask(ctx, directSearch, word(round)) },
		}
		if len(words) > 1 {
			m.most = len(words) - warm
		}
		return m
	}
	scanned := func(name string, parts []string) measured {
		m := search(name, parts...)
		m.limit = func(_ context.Context, round int) error { return w.files.scan(parts[round]) }
		return m
	}
	get := func(name, id string) measured {
		return measured{
			name: name, tool: "issues_get", arguments: always(map[string]any{"id": id}),
			limit: func(ctx context.Context, _ int) error { return w.readDirectly(ctx, id) },
		}
	}
	return []measured{
		{name: "list, 20 rows", tool: "issues_list", arguments: always(map[string]any{"limit": 20}), limit: ask(directList)},
		{
			name: "list open and high, 20 rows", tool: "issues_list", limit: ask(directFiltered),
			arguments: always(map[string]any{"status": []string{"open"}, "priority": []string{"high"}, "limit": 20}),
		},
		search("search, common word", commonWords...),
		search("search, common word asked again", commonWords[0]),
		search("search, rare word", rareWordOf1),
		{
			name: "search, rare word in issues", tool: "issues_search",
			arguments: always(map[string]any{"query": rareWordOf1, "filters": map[string]any{"types": []string{"issue"}}, "limit": 20}),
			limit:     ask(directFound, rareWordOf1),
		},
		search("search, phrase", `"`+phraseOf5+`"`),
		scanned("search, part of a word", partsOfWord),
		scanned("search, two CJK characters", partsOfCJK),
		get("get, first", c.FirstIssue),
		get("get, middle", c.MiddleIssue),
		get("get, last", c.LastIssue),
		{
			name: "get, unknown id", tool: "issues_get", arguments: always(map[string]any{"id": "ISS-999999"}), refused: true,
			limit: ask(directGet, "ISS-999999"),
		},
		{
			name: "get 50 at once", tool: "issues_get_batch", arguments: always(map[string]any{"ids": c.Issues}),
			limit: func(ctx context.Context, _ int) error { return w.readDirectly(ctx, c.Issues...) },
		},
		{name: "labels", tool: "issues_labels", arguments: always(map[string]any{"operation": "list"}), limit: ask(directLabels)},
		{name: "stats by status", tool: "issues_stats", arguments: always(map[string]any{"groupBy": "status"}), limit: ask(directStats)},
		{name: "all_complete", tool: "issues_all_complete", arguments: always(map[string]any{}), limit: ask(directComplete)},
		w.update(),
		w.create(),
		w.outsideChange(),
	}
}

// readDirectly is what a get comes down to: a row and its file.
func (w *workspace) readDirectly(ctx context.Context, ids ...string) error {
	for _, id := range ids {
		if err := w.direct.ask(ctx, directGet, id); err != nil {
			return err
		}
		path := w.paths[id]
		if path == "" {
			var err error
			if path, err = w.files.of(id); err != nil {
				return err
			}
			w.paths[id] = path
		}
		if _, err := os.ReadFile(path); err != nil {
			return err
		}
	}
	return nil
}

// bare is a durable replacement of a file like those of the documents, in their folder.
func (w *workspace) bare(context.Context, int) error {
	return replaceDurably(filepath.Join(w.corpus.root, ".wrangler", "issues", ".bench"), w.sample)
}

func (w *workspace) update() measured {
	return measured{
		name: "update (with fsync)", tool: "issues_update", limit: w.bare,
		arguments: func(round int) map[string]any {
			return map[string]any{"id": w.corpus.OpenIssue, "status": []string{"in_progress", "open"}[round%2]}
		},
	}
}

func (w *workspace) create() measured {
	return measured{
		name: "create (with fsync)", tool: "issues_create", limit: w.bare,
		arguments: func(round int) map[string]any {
			return map[string]any{
				"title": fmt.Sprint("Created by the benchmark, number ", round), "labels": []string{"bench"}, "priority": "low",
				"description": fmt.Sprintf("The text of number %d.\n\nA second paragraph, benchmarked%d.", round, round),
			}
		},
		after: w.noteCreated,
	}
}

// outsideChange has another program change a file before each list. The limit
// is its text read and written to a full-text table, and the list.
func (w *workspace) outsideChange() measured {
	path := w.changed
	write := func(round int) error {
		return replace(path, append(w.sample, fmt.Sprintf("Changed outside, outside%d.\n", round)...), func(*os.File) error { return nil })
	}
	return measured{
		name: "outside change, then list", tool: "issues_list", arguments: always(map[string]any{"limit": 20}),
		before: func(_ context.Context, round int) error { return write(round) },
		limit: func(ctx context.Context, _ int) error {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := w.direct.write(ctx, 1, string(data)); err != nil {
				return err
			}
			return w.direct.ask(ctx, directList)
		},
	}
}
