package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// besideRows are the names of the calls that are measured beside another program, with what
// each may cost of its time.
var besideRows = []string{"list, 20 rows", "list, 100 rows", "get, middle", "get, unknown id", "update (with fsync)",
	"search, rare word", "search, common word asked again", "list open and high, 20 rows", "list ready work, 20 rows",
	"labels", "stats by status", "all_complete", "create (with fsync)"}

// call returns the call of a row.
func (c *corpus) call(name string) benchCall {
	calls := c.calls()
	return calls[slices.IndexFunc(calls, func(call benchCall) bool { return call.name == name })]
}

// A side is a program with a workspace of its own: two programs do not read each other's index.
type side struct {
	program string
	corpus  *corpus
	result  sizeResult
}

// measureBeside measures two programs in turn, in equal workspaces without links, and prints one
// table. Each round asks both, and the first to be asked changes from round to round: what else the
// machine does meets both.
func measureBeside(ctx context.Context, dir, program string, o options, out, errOut io.Writer) error {
	for _, size := range o.sizes {
		_, _ = fmt.Fprintf(errOut, "%d documents\n", size)
		sides := []*side{{program: o.beside}, {program: program}}
		for i, s := range sides {
			var err error
			root := filepath.Join(dir, fmt.Sprintf("%d-%d", size, i))
			if s.corpus, err = generate(root, size, false); err != nil {
				return fmt.Errorf("generate %d documents: %w", size, err)
			}
			s.result = sizeResult{Documents: size, CorpusBytes: s.corpus.bytes, Figures: map[string]float64{}}
		}
		for _, measure := range []func(context.Context, []*side, options) error{
			besideRebuilds, besideStarts, besideCommands, besideCalls,
		} {
			if err := measure(ctx, sides, o); err != nil {
				return fmt.Errorf("measure with %d documents: %w", size, err)
			}
		}
		if err := writeBeside(out, o, sides[0].result, sides[1].result); err != nil {
			return err
		}
	}
	return nil
}

// inTurn calls do for each side in each round, and reports the times that it returns.
func inTurn(sides []*side, warm, rounds int, do func(s int, round int) (map[string]time.Duration, error)) (
	took []map[string][]time.Duration, err error,
) {
	for range sides {
		took = append(took, map[string][]time.Duration{})
	}
	for round := range warm + rounds {
		for i := range sides {
			at := (i + round) % len(sides)
			times, err := do(at, round)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", sides[at].program, err)
			}
			for name, t := range times {
				if round >= warm {
					took[at][name] = append(took[at][name], t)
				}
			}
		}
	}
	return took, nil
}

func besideRebuilds(ctx context.Context, sides []*side, o options) error {
	took, err := inTurn(sides, 1, o.rebuilds, func(s, _ int) (map[string]time.Duration, error) {
		started := time.Now()
		output, err := command(ctx, sides[s].program, sides[s].corpus.root, "rebuild").CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("rebuild: %w\n%s", err, output)
		}
		return map[string]time.Duration{"rebuild": time.Since(started)}, nil
	})
	for i, s := range sides {
		if err == nil {
			s.result.addTimes("rebuild", took[i]["rebuild"])
		}
	}
	return err
}

func besideStarts(ctx context.Context, sides []*side, o options) error {
	took, err := inTurn(sides, 1, o.starts, func(at, _ int) (map[string]time.Duration, error) {
		s, err := startServer(ctx, sides[at].program, sides[at].corpus.root)
		if err != nil {
			return nil, err
		}
		initialize := time.Since(s.started)
		_, err = s.call("issues_list", map[string]any{"limit": 20}, false)
		list := time.Since(s.started)
		return map[string]time.Duration{"start to initialize": initialize, "start to first list": list},
			errors.Join(err, s.stop())
	})
	for i, s := range sides {
		if err == nil {
			s.result.addTimes("start to initialize", took[i]["start to initialize"])
			s.result.addTimes("start to first list", took[i]["start to first list"])
		}
	}
	return err
}

func besideCommands(ctx context.Context, sides []*side, o options) error {
	took, err := inTurn(sides, 1, o.starts, func(at, _ int) (map[string]time.Duration, error) {
		c := command(ctx, sides[at].program, sides[at].corpus.root, "list")
		var out bytes.Buffer
		c.Stdout = &out
		started := time.Now()
		if err := c.Run(); err != nil || out.Len() == 0 {
			return nil, fmt.Errorf("list writes %d bytes: %w", out.Len(), err)
		}
		return map[string]time.Duration{"list in a shell": time.Since(started)}, nil
	})
	for i, s := range sides {
		if err == nil {
			s.result.addTimes("list in a shell", took[i]["list in a shell"])
		}
	}
	return err
}

func besideCalls(ctx context.Context, sides []*side, o options) (err error) {
	var servers []*serverProcess
	for _, s := range sides {
		server, err := startServer(ctx, s.program, s.corpus.root)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, server.stop()) }()
		servers = append(servers, server)
	}
	for _, name := range besideRows {
		took, err := inTurn(sides, warmRounds, o.rounds, func(at, round int) (map[string]time.Duration, error) {
			call := sides[at].corpus.call(name)
			_, err := servers[at].call(call.tool, call.arguments(round), call.refused)
			times := map[string]time.Duration{name: servers[at].took}
			if err == nil && strings.HasPrefix(name, "update") {
				times["a bare durable replacement"], err = sides[at].corpus.replace()
			}
			return times, err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i, s := range sides {
			for _, measured := range []string{name, "a bare durable replacement"} {
				if times := took[i][measured]; len(times) > 0 {
					s.result.addTimes(measured, times)
				}
			}
		}
	}
	for i, s := range sides {
		s.result.add("serve, peak memory, MB", float64(peakMemory(servers[i].process.Process.Pid))/1e6)
	}
	return nil
}

// replace replaces a file of the size of the updated document durably, beside it, without any
// program: it returns the time of write, fsync, rename and fsync of the folder.
func (c *corpus) replace() (time.Duration, error) {
	path := filepath.Join(c.root, c.openPath)
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp(c.root, "replaced-*")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	started := time.Now()
	err = durablyReplace(filepath.Join(folder, "file"), text)
	return time.Since(started), err
}

func durablyReplace(path string, text []byte) error {
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// writeBeside writes a Markdown table with the other program's times, this one's and their ratio.
func writeBeside(out io.Writer, o options, other, this sizeResult) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %d documents without links; medians of %d calls, %d starts and %d rebuilds of each, in turn.\n\n",
		machine(), this.Documents, o.rounds, o.starts, o.rebuilds)
	b.WriteString("| | before | now | ratio |\n|---|---|---|---|\n")
	for _, name := range this.rows {
		before, now := other.Figures[name], this.Figures[name]
		fmt.Fprintf(&b, "| %s | %s | %s | %.2f |\n", name, figure(before), figure(now), now/before)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
