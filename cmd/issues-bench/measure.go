package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// warmRounds are made first and not counted.
const warmRounds = 2

// A benchCall is a tool call that is measured.
type benchCall struct {
	name      string
	tool      string
	arguments func(round int) map[string]any
	refused   bool                  // the right answer is an error
	most      int                   // rounds, 0 for as many as asked
	before    func(round int) error // not timed
}

// Searches change their words from round to round, since the index remembers the last
// answers.
var (
	searchedWords = strings.Fields(
		"index issue test server error tool document name value field path list search query config cache schema update " +
			"status type")
	searchedParts = strings.Fields("epai reven solatio uplicat eadin utlin imeou igratio napsho ollbac")
	searchedCJK   = strings.Fields("検索 性能 索引 数据 設定 시작 回滚 结果 写入 오류")
)

// calls returns the calls to measure, from top to bottom of the table.
func (c *corpus) calls() []benchCall {
	same := func(arguments map[string]any) func(int) map[string]any {
		return func(int) map[string]any { return arguments }
	}
	search := func(name string, queries ...string) benchCall {
		call := benchCall{name: "search, " + name, tool: "issues_search", arguments: func(round int) map[string]any {
			return map[string]any{"query": queries[round%len(queries)], "limit": 20}
		}}
		if len(queries) > 1 {
			call.most = len(queries) - warmRounds
		}
		return call
	}
	get := func(name, id string, refused bool) benchCall {
		return benchCall{name: "get, " + name, tool: "issues_get", arguments: same(map[string]any{"id": id}),
			refused: refused}
	}
	return []benchCall{
		{name: "list, 20 rows", tool: "issues_list", arguments: same(map[string]any{"limit": 20})},
		{name: "list, 100 rows", tool: "issues_list", arguments: same(map[string]any{"limit": 100})},
		{name: "list open and high, 20 rows", tool: "issues_list", arguments: same(
			map[string]any{"status": []string{"open"}, "priority": []string{"high"}, "limit": 20})},
		{name: "list ready work, 20 rows", tool: "issues_list", arguments: same(map[string]any{"ready": true, "limit": 20})},
		{name: "list blocked work, 20 rows", tool: "issues_list", arguments: same(map[string]any{"blocked": true,
			"limit": 20})},
		search("common word", searchedWords...),
		search("common word asked again", searchedWords[0]),
		search("rare word", rareWordOf1),
		{
			name: "search, rare word in issues", tool: "issues_search",
			arguments: same(map[string]any{"query": rareWordOf1, "filters": map[string]any{"types": []string{"issue"}},
				"limit": 20}),
		},
		search("phrase", `"`+phraseOf5+`"`),
		search("part of a word", searchedParts...),
		search("two CJK characters", searchedCJK...),
		get("first", c.firstIssue, false),
		get("middle", c.middleIssue, false),
		get("last", c.lastIssue, false),
		get("unknown id", "ISS-999999", true),
		{name: "get 50 at once", tool: "issues_get_batch", arguments: same(map[string]any{"ids": c.issues})},
		{name: "labels", tool: "issues_labels", arguments: same(map[string]any{"operation": "list"})},
		{name: "stats by status", tool: "issues_stats", arguments: same(map[string]any{"groupBy": "status"})},
		{name: "all_complete", tool: "issues_all_complete", arguments: same(map[string]any{})},
		{name: "update (with fsync)", tool: "issues_update", arguments: func(round int) map[string]any {
			return map[string]any{"id": c.openIssue, "status": []string{"in_progress", "open"}[round%2]}
		}},
		{name: "create (with fsync)", tool: "issues_create", arguments: func(round int) map[string]any {
			return map[string]any{
				"title": fmt.Sprint("Created by the benchmark, number ", round), "labels": []string{"bench"}, "priority": "low",
				"description": fmt.Sprintf("The text of number %d.\n\nA second paragraph, benchmarked%d.", round, round),
			}
		}},
		// Few documents are ready among 100.
		{name: "claim next (with fsync)", tool: "issues_claim", arguments: same(map[string]any{"operation": "next"}),
			most: 6},
		{
			name: "outside change, then list", tool: "issues_list", arguments: same(map[string]any{"limit": 20}),
			before: func(round int) error {
				f, err := os.OpenFile(filepath.Join(c.root, c.middlePath), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(f, "Changed outside, outside%d.\n", round)
				return errors.Join(err, f.Close())
			},
		},
	}
}

// A sizeResult holds the figures of one workspace, by the names in rows.
type sizeResult struct {
	Name        string // what stands before the number of documents, "" for one workspace
	Documents   int
	CorpusBytes int64
	Figures     map[string]float64 // ms, MB or bytes, as the name says
	rows        []string           // the names in their order
}

func (r *sizeResult) add(name string, figure float64) {
	r.rows = append(r.rows, name)
	r.Figures[name] = figure
}

// addTimes adds the median and the 95th percentile of times.
func (r *sizeResult) addTimes(name string, took []time.Duration) {
	slices.Sort(took)
	ms := func(percent int) float64 {
		return float64(took[(len(took)*percent+99)/100-1].Microseconds()) / 1000
	}
	r.add(name+", ms", ms(50))
	r.Figures[name+", p95"] = ms(95)
}

func (c *corpus) measure(ctx context.Context, program string, o options) (sizeResult, error) {
	result := sizeResult{Documents: c.documents, CorpusBytes: c.bytes, Figures: map[string]float64{}}
	if err := c.measureRebuild(ctx, program, &result); err != nil {
		return result, err
	}
	if err := c.measureStarts(ctx, program, &result, o.starts); err != nil {
		return result, err
	}
	err := c.measureCalls(ctx, program, &result, o.rounds)
	return result, err
}

// measureRebuild measures the build of an index where there is none.
func (c *corpus) measureRebuild(ctx context.Context, program string, result *sizeResult) error {
	build := command(ctx, program, c.root, "rebuild")
	started := time.Now()
	if err := build.Start(); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- build.Wait() }()
	var peak int64
	for tick := time.Tick(2 * time.Millisecond); ; {
		select {
		case <-tick:
			peak = max(peak, peakMemory(build.Process.Pid))
			continue
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("rebuild: %w", err)
			}
		}
		break
	}
	result.add("rebuild, ms", float64(time.Since(started).Milliseconds()))
	result.add("rebuild, peak memory, MB", float64(peak)/1e6)
	index, err := os.Stat(filepath.Join(c.root, ".wrangler", "cache", "issues-index.db"))
	if err != nil {
		return fmt.Errorf("look at the index: %w", err)
	}
	result.add("index, MB", float64(index.Size())/1e6)
	return nil
}

// measureStarts measures new processes, one after the other.
func (c *corpus) measureStarts(ctx context.Context, program string, result *sizeResult, starts int) error {
	var initialize, list []time.Duration
	for range starts {
		s, err := startServer(ctx, program, c.root)
		if err != nil {
			return err
		}
		initialize = append(initialize, time.Since(s.started))
		_, err = s.call("issues_list", map[string]any{"limit": 20}, false)
		list = append(list, time.Since(s.started))
		if err = errors.Join(err, s.stop()); err != nil {
			return err
		}
	}
	result.addTimes("start to initialize", initialize)
	result.addTimes("start to first list", list)
	return nil
}

// measureCalls measures the calls to one server, one after the other.
func (c *corpus) measureCalls(ctx context.Context, program string, result *sizeResult, rounds int) (err error) {
	s, err := startServer(ctx, program, c.root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if _, err := s.request("tools/list", map[string]any{}); err != nil {
		return err
	}
	toolsBytes, listBytes := s.bytes, 0
	for _, call := range c.calls() {
		took, err := measureCall(s, call, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", call.name, err)
		}
		if listBytes == 0 {
			listBytes = s.bytes // the first call is the list
		}
		result.addTimes(call.name, took)
	}
	result.add("serve, peak memory, MB", float64(peakMemory(s.process.Process.Pid))/1e6)
	result.add("tools/list, bytes", float64(toolsBytes))
	result.add("list of 20 rows, bytes", float64(listBytes))
	return nil
}

// measureCall makes one call over and over.
func measureCall(s *serverProcess, call benchCall, rounds int) (took []time.Duration, err error) {
	if call.most > 0 {
		rounds = min(rounds, call.most)
	}
	for round := range warmRounds + rounds {
		if call.before != nil {
			if err := call.before(round); err != nil {
				return nil, err
			}
		}
		if _, err := s.call(call.tool, call.arguments(round), call.refused); err != nil {
			return nil, err
		}
		if round >= warmRounds {
			took = append(took, s.took)
		}
	}
	return took, nil
}
