package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A workspace is one that is being measured.
type workspace struct {
	corpus  *corpus
	files   *files
	direct  *direct
	program string
	scratch string // a folder for what is compared with

	paths   map[string]string // files of documents, by their ids
	sample  []byte            // the text of a document
	changed string            // the file that is changed from outside
	created []string          // paths that calls made, relative to the root
}

// indexPath is where the program keeps the index of a workspace.
const indexPath = ".wrangler/cache/issues-index.db"

// measure measures everything in a workspace of so many documents at root.
func measure(ctx context.Context, program, root string, documents int, o options) (_ table, err error) {
	c, err := ensureCorpus(root, documents)
	if err != nil {
		return table{}, err
	}
	f, err := listFiles(root)
	if err != nil {
		return table{}, err
	}
	scratch, err := os.MkdirTemp("", "issues-bench-bare-*")
	if err != nil {
		return table{}, fmt.Errorf("make a folder to compare with: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	w := &workspace{corpus: c, files: f, program: program, scratch: scratch, paths: map[string]string{}}
	restore, err := w.prepare()
	if err != nil {
		return table{}, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	t := table{Documents: documents, CorpusBytes: c.Bytes}
	steps := []func(context.Context, *table, options) error{w.scans, w.rebuild, w.starts, w.serve}
	for _, step := range steps {
		if err := step(ctx, &t, o); err != nil {
			return table{}, err
		}
	}
	return t, nil
}

// prepare remembers the files that are going to be changed, and returns what
// brings them back.
func (w *workspace) prepare() (restore func() error, err error) {
	if w.changed, err = w.files.of(w.corpus.MiddleIssue); err != nil {
		return nil, err
	}
	if w.sample, err = os.ReadFile(w.changed); err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	w.sample = slices.Clip(w.sample)
	updated, err := w.files.of(w.corpus.OpenIssue)
	if err != nil {
		return nil, err
	}
	before, err := os.ReadFile(updated)
	if err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	return func() error {
		errs := []error{os.WriteFile(updated, before, 0o644), os.WriteFile(w.changed, w.sample, 0o644)} //nolint:gosec // a corpus for anyone
		for _, path := range append(w.created, ".wrangler/issues/.bench") {
			errs = append(errs, os.RemoveAll(filepath.Join(w.corpus.root, filepath.FromSlash(path))))
		}
		return errors.Join(errs...)
	}, nil
}

// scans measures what every file costs. The first time warms the system's cache.
func (w *workspace) scans(_ context.Context, t *table, _ options) error {
	var stat, read []time.Duration
	for range 3 {
		for _, m := range []struct {
			do  func() error
			all *[]time.Duration
		}{{w.files.statAll, &stat}, {func() error { return w.files.scan("no such text") }, &read}} {
			took, err := timed(m.do)
			if err != nil {
				return err
			}
			*m.all = append(*m.all, took)
		}
	}
	t.StatAll, t.ReadAll = milliseconds(slices.Min(stat)), milliseconds(slices.Min(read))
	return nil
}

// rebuild builds the index anew, and the bare table beside it.
func (w *workspace) rebuild(ctx context.Context, t *table, _ options) error {
	if err := os.RemoveAll(filepath.Join(w.corpus.root, ".wrangler", "cache")); err != nil {
		return fmt.Errorf("remove the index: %w", err)
	}
	build := command(ctx, w.program, w.corpus.root, "rebuild")
	ended := make(chan struct{})
	peak := make(chan int64, 1)
	started := time.Now()
	if err := build.Start(); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	go func() {
		var highest int64
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			select {
			case <-tick.C:
				highest = max(highest, peakMemory(build.Process.Pid))
			case <-ended:
				tick.Stop()
				peak <- highest
				return
			}
		}
	}()
	err := build.Wait()
	took := time.Since(started)
	close(ended)
	if err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	index, err := os.Stat(filepath.Join(w.corpus.root, filepath.FromSlash(indexPath)))
	if err != nil {
		return fmt.Errorf("look at the index: %w", err)
	}
	t.RebuildPeak, t.IndexBytes = <-peak, index.Size()
	bare, err := buildBare(ctx, w.files, w.bareTable())
	if err != nil {
		return err
	}
	t.add(line{Name: "rebuild", P50: milliseconds(took), Limit: milliseconds(bare), LimitIs: "a bare FTS5 table of the files, same driver"})
	byProgram, ok, err := buildByProgram(ctx, w.files, w.scratch)
	if ok {
		t.add(line{Name: "rebuild, beside sqlite3", P50: milliseconds(took), Limit: milliseconds(byProgram), LimitIs: "the same by the program sqlite3"})
	}
	return err
}

func (w *workspace) bareTable() string { return filepath.Join(w.scratch, "bare.db") }

// starts measures new processes, each after the one before has ended.
func (w *workspace) starts(ctx context.Context, t *table, o options) error {
	var initialize, list, version, stat []time.Duration
	for range o.starts {
		took, err := timed(func() error { return command(ctx, w.program, w.corpus.root, "version").Run() })
		if err != nil {
			return fmt.Errorf("start the program: %w", err)
		}
		version = append(version, took)
		if took, err = timed(w.files.statAll); err != nil {
			return err
		}
		stat = append(stat, took)
		s, err := start(ctx, w.program, w.corpus.root)
		if err != nil {
			return err
		}
		initialize = append(initialize, time.Since(s.started))
		err = s.initialized()
		if err == nil {
			_, err = s.call("issues_list", map[string]any{"limit": 20}, false)
		}
		list = append(list, time.Since(s.started))
		if err = errors.Join(err, s.stop()); err != nil {
			return err
		}
	}
	t.add(newLine("start to initialize", initialize, version, "the program's start, for version"))
	t.add(newLine("start to first list", list, stat, "a parallel stat of all files"))
	return nil
}

// serve measures the calls to one server, one after the other.
func (w *workspace) serve(ctx context.Context, t *table, o options) (err error) {
	s, err := start(ctx, w.program, w.corpus.root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.initialized(); err != nil {
		return err
	}
	listed, err := s.request("tools/list", map[string]any{})
	if err != nil {
		return err
	}
	t.ToolsListBytes = len(listed)
	if w.direct, err = openDirect(filepath.Join(w.corpus.root, filepath.FromSlash(indexPath)), w.bareTable()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.direct.close()) }()
	for _, m := range w.calls() {
		l, err := w.measureCall(ctx, s, m, o.rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		t.add(l)
	}
	t.ServePeak = peakMemory(s.process.Process.Pid)
	return nil
}

// measureCall makes a call and its limit in turn.
func (w *workspace) measureCall(ctx context.Context, s *server, m measured, rounds int) (line, error) {
	if m.most > 0 {
		rounds = min(rounds, m.most)
	}
	var took, limit []time.Duration
	var bytes int
	for round := range warm + rounds {
		if m.before != nil {
			if err := m.before(ctx, round); err != nil {
				return line{}, err
			}
		}
		a, err := s.call(m.tool, m.arguments(round), m.refused)
		if err != nil {
			return line{}, err
		}
		if m.after != nil {
			if err := m.after(a); err != nil {
				return line{}, err
			}
		}
		bare, err := timed(func() error { return m.limit(ctx, round) })
		if err != nil {
			return line{}, err
		}
		if round >= warm {
			took, limit, bytes = append(took, s.took), append(limit, bare), s.bytes
		}
	}
	l := newLine(m.name, took, limit, "")
	l.Bytes = bytes
	return l, nil
}

// noteCreated remembers a document that was made, to remove it.
func (w *workspace) noteCreated(a answer) error {
	var made struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(a.Structured, &made); err != nil || made.Path == "" {
		return fmt.Errorf("find the path of a new document in %s: %w", a.Structured, err)
	}
	w.created = append(w.created, made.Path)
	return nil
}

func timed(do func() error) (time.Duration, error) {
	started := time.Now()
	err := do()
	return time.Since(started), err
}
