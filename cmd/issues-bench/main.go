// Command issues-bench measures issues-index over stdio, as a client sees it, in generated
// workspaces of several sizes, and prints one table.
//
//	go run ./cmd/issues-bench --sizes 100,1000,10000,100000
//	go run ./cmd/issues-bench --beside PROGRAM --rounds 300 --starts 25
//
// The second form measures another version of the program in turn with this one.
//
// It is a tool for development and not part of the program. It knows nothing about the
// server but its tools. Its invariants: the same size makes the same documents on every
// machine; the workspaces are temporary.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "issues-bench:", err)
		os.Exit(1)
	}
}

type options struct {
	sizes                    []int
	rounds, starts, rebuilds int
	beside                   string // another program to measure in turn with this one, "" for none
}

func readOptions(arguments []string, errOut io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("issues-bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	sizes := flags.String("sizes", "100,1000,10000", "numbers of documents, separated by commas; 100000 takes minutes")
	flags.IntVar(&o.rounds, "rounds", 40, "how often each call is made")
	flags.IntVar(&o.starts, "starts", 7, "how often a server is started")
	flags.IntVar(&o.rebuilds, "rebuilds", 5, "how often an index is built, with --beside")
	flags.StringVar(&o.beside, "beside", "", "a `program` of another version, to measure in turn with this one")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.rounds < 1 || o.starts < 1 || o.rebuilds < 1 {
		return o, errors.New("give flags alone, with --rounds, --starts and --rebuilds of 1 or more")
	}
	for text := range strings.SplitSeq(*sizes, ",") {
		size, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || size < leastDocuments {
			return o, fmt.Errorf("--sizes %s: give whole numbers of at least %d", *sizes, leastDocuments)
		}
		o.sizes = append(o.sizes, size)
	}
	return o, nil
}

func run(ctx context.Context, arguments []string, out, errOut io.Writer) (err error) {
	o, err := readOptions(arguments, errOut)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "issues-bench-*")
	if err != nil {
		return fmt.Errorf("make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program, err := buildProgram(ctx, dir)
	if err != nil {
		return err
	}
	if o.beside != "" {
		return measureBeside(ctx, dir, program, o, out, errOut)
	}
	var results []sizeResult
	for _, size := range o.sizes {
		_, _ = fmt.Fprintf(errOut, "%d documents\n", size)
		c, err := generate(filepath.Join(dir, strconv.Itoa(size)), size, true)
		if err != nil {
			return fmt.Errorf("generate %d documents: %w", size, err)
		}
		result, err := c.measure(ctx, program, o)
		if err != nil {
			return fmt.Errorf("measure with %d documents: %w", size, err)
		}
		results = append(results, result)
	}
	return writeTable(out, o.rounds, results)
}

// writeTable writes a Markdown table with a column for each size.
func writeTable(out io.Writer, rounds int, results []sizeResult) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. Medians of %d calls, with the 95th percentile in brackets.\n\n| documents |", machine(), rounds)
	for _, r := range results {
		fmt.Fprintf(&b, " %s%s, %.1f MB |", r.Name, humanize.Comma(int64(r.Documents)), float64(r.CorpusBytes)/1e6)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(results)) + "\n")
	for _, name := range results[0].rows {
		fmt.Fprintf(&b, "| %s |", name)
		for _, r := range results {
			value, measured := r.Figures[name]
			if !measured {
				b.WriteString(" |")
				continue
			}
			b.WriteString(" " + figure(value))
			if p95, ok := r.Figures[strings.TrimSuffix(name, "ms")+"p95"]; ok {
				b.WriteString(" (" + figure(p95) + ")")
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// figure formats a number with two significant digits, or without decimals from 10 on.
func figure(f float64) string {
	switch {
	case f < 0.1:
		return fmt.Sprintf("%.3f", f)
	case f < 1:
		return fmt.Sprintf("%.2f", f)
	case f < 10:
		return fmt.Sprintf("%.1f", f)
	default:
		return humanize.Comma(int64(f + 0.5))
	}
}

// machine describes where the figures were measured.
func machine() string {
	text := fmt.Sprintf("%d cores", runtime.NumCPU())
	if model := procField("/proc/cpuinfo", "model name"); model != "" {
		text += " of " + model
	}
	return text + ", " + runtime.GOOS + "/" + runtime.GOARCH + ", " + runtime.Version()
}
