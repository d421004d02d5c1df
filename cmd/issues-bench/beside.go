package main

import (
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

// besideRows are the names of the calls that are measured beside another program.
var besideRows = []string{"list, 20 rows", "list, 100 rows", "get, middle", "get, unknown id", "update (with fsync)",
	"search, rare word", "search, common word asked again", "list open and high, 20 rows", "list ready work, 20 rows",
	"labels", "stats by status", "all_complete", "create (with fsync)"}

// bareReplacement is measured with updates, of which it is the least that they can take.
const bareReplacement = "a bare durable replacement"

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

// inTurn calls do for each side in each round, and adds the times that it returns to the results, by
// the names of rows in their order.
func inTurn(sides []*side, rounds int, names []string, do func(s *side, round int) ([]time.Duration, error)) error {
	took := make([][][]time.Duration, len(sides)) // by side and row
	for i := range took {
		took[i] = make([][]time.Duration, len(names))
	}
	for round := range warmRounds + rounds {
		for i := range sides {
			at := (i + round) % len(sides)
			times, err := do(sides[at], round)
			if err != nil {
				return fmt.Errorf("%s: %w", sides[at].program, err)
			}
			for row, t := range times {
				if round >= warmRounds {
					took[at][row] = append(took[at][row], t)
				}
			}
		}
	}
	for i, s := range sides {
		for row, name := range names {
			s.result.addTimes(name, took[i][row])
		}
	}
	return nil
}

func besideRebuilds(ctx context.Context, sides []*side, o options) error {
	return inTurn(sides, o.rebuilds, []string{"rebuild"}, func(s *side, _ int) ([]time.Duration, error) {
		started := time.Now()
		output, err := command(ctx, s.program, s.corpus.root, "rebuild").CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("rebuild: %w\n%s", err, output)
		}
		return []time.Duration{time.Since(started)}, nil
	})
}

func besideStarts(ctx context.Context, sides []*side, o options) error {
	names := []string{"start to initialize", "start to first list"}
	return inTurn(sides, o.starts, names, func(s *side, _ int) ([]time.Duration, error) {
		server, err := startServer(ctx, s.program, s.corpus.root)
		if err != nil {
			return nil, err
		}
		initialize := time.Since(server.started)
		_, err = server.call("issues_list", map[string]any{"limit": 20}, false)
		list := time.Since(server.started)
		return []time.Duration{initialize, list}, errors.Join(err, server.stop())
	})
}

func besideCommands(ctx context.Context, sides []*side, o options) error {
	return inTurn(sides, o.starts, []string{"list in a shell, 20 rows"}, func(s *side, _ int) ([]time.Duration, error) {
		c := command(ctx, s.program, s.corpus.root, "list")
		c.Args = append(c.Args, "--limit", "20") // newer versions write all rows into a pipe
		started := time.Now()
		output, err := c.Output()
		if err != nil || len(output) == 0 {
			return nil, fmt.Errorf("list writes %d bytes: %w", len(output), err)
		}
		return []time.Duration{time.Since(started)}, nil
	})
}

func besideCalls(ctx context.Context, sides []*side, o options) (err error) {
	servers := map[*side]*serverProcess{}
	defer func() {
		for _, server := range servers {
			err = errors.Join(err, server.stop())
		}
	}()
	for _, s := range sides {
		server, err := startServer(ctx, s.program, s.corpus.root)
		if err != nil {
			return err
		}
		servers[s] = server
	}
	for _, name := range besideRows {
		names := []string{name}
		if isUpdate(name) {
			names = append(names, bareReplacement)
		}
		err := inTurn(sides, o.rounds, names, func(s *side, round int) ([]time.Duration, error) {
			call, server := s.corpus.call(name), servers[s]
			_, err := server.call(call.tool, call.arguments(round), call.refused)
			if err != nil || !isUpdate(name) {
				return []time.Duration{server.took}, err
			}
			bare, err := s.corpus.replace()
			return []time.Duration{server.took, bare}, err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, s := range sides {
		s.result.add("serve, peak memory, MB", float64(peakMemory(servers[s].process.Process.Pid))/1e6)
	}
	return nil
}

func isUpdate(row string) bool { return strings.HasPrefix(row, "update") }

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
