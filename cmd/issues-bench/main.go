// Command issues-bench measures issues-index over stdio, as a client sees it, in
// generated workspaces of several sizes, and beside each figure what the same
// thing takes without a server: the query asked of SQLite in one process, a
// look at every file, a bare durable write. It prints the table of the README.
//
//	go run ./cmd/issues-bench --sizes 100,1000,10000,100000 --dir /tmp/corpora
//
// It is a tool for development and no part of the program. It knows the tables
// of the index, for the queries it asks directly, and of the server only what
// goes over stdio. Its invariants: the same size makes the same documents
// anywhere; what a line is compared with is measured in turn with it, so that a
// busy machine slows both; a workspace is left as it was generated.
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
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "issues-bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	sizes  []int
	rounds int
	starts int
	dir    string
	json   bool
}

func readOptions(arguments []string, errOut io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("issues-bench", flag.ContinueOnError)
	flags.SetOutput(errOut)
	sizes := flags.String("sizes", "100,1000,10000", "documents of the workspaces, with commas between; 100000 takes minutes")
	flags.IntVar(&o.rounds, "rounds", 40, "times that each call is made")
	flags.IntVar(&o.starts, "starts", 7, "times that a server is started")
	flags.StringVar(&o.dir, "dir", "", "keep the workspaces here for the next time (default: a temporary folder)")
	flags.BoolVar(&o.json, "json", false, "print JSON in place of Markdown")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: there are flags only", flags.Arg(0))
	}
	for text := range strings.SplitSeq(*sizes, ",") {
		size, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || size < leastDocuments {
			return o, fmt.Errorf("--sizes %s: give whole numbers of at least %d", *sizes, leastDocuments)
		}
		o.sizes = append(o.sizes, size)
	}
	if o.rounds < 1 || o.starts < 1 {
		return o, errors.New("--rounds and --starts must be 1 or more")
	}
	return o, nil
}

func run(ctx context.Context, arguments []string, out, errOut io.Writer) (err error) {
	o, err := readOptions(arguments, errOut)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "issues-bench-*")
	if err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	if o.dir == "" {
		o.dir = filepath.Join(temporary, "corpora")
	}
	program, err := buildProgram(ctx, temporary)
	if err != nil {
		return err
	}
	r := report{Machine: machine(), Rounds: o.rounds}
	for _, size := range o.sizes {
		_, _ = fmt.Fprintf(errOut, "%d documents\n", size)
		table, err := measure(ctx, program, filepath.Join(o.dir, strconv.Itoa(size)), size, o)
		if err != nil {
			return fmt.Errorf("measure with %d documents: %w", size, err)
		}
		r.Tables = append(r.Tables, table)
	}
	if o.json {
		return r.writeJSON(out)
	}
	return r.writeMarkdown(out)
}
