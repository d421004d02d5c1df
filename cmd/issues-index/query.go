package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/index"
)

// queryFlags are the flags of list and search.
type queryFlags struct {
	filterFlags
	keys    []string
	sort    string
	reverse bool
	limit   int
}

// everything is a limit that limits nothing.
const everything = math.MaxInt32

// register declares the flags; the first sort key is the default.
func (f *queryFlags) register(cmd *cobra.Command, keys ...index.SortKey) {
	f.filterFlags.register(cmd)
	for _, key := range keys {
		f.keys = append(f.keys, string(key))
	}
	flags := cmd.Flags()
	flags.StringVar(&f.sort, "sort", f.keys[0], "sort `key` ("+strings.Join(f.keys, ", ")+"), highest or newest first")
	completeFlag(cmd, "sort", completeAmong(f.keys...))
	flags.BoolVar(&f.reverse, "reverse", false, "reverse the sort order")
	flags.IntVar(&f.limit, "limit", 50, "at most this `number` of documents, 0 for all")
}

func (f *queryFlags) read(cmd *cobra.Command) (index.Query, error) {
	filter, err := f.filterFlags.read(cmd)
	if err != nil {
		return index.Query{}, err
	}
	if f.sort, err = oneOf(cmd, "sort key", f.sort, f.keys); err != nil {
		return index.Query{}, err
	}
	if f.limit < 0 {
		return index.Query{}, usage(cmd, fmt.Sprintf("invalid limit %d: must be a whole number, 0 for all", f.limit))
	}
	q := index.Query{
		Filter: filter,
		Sort:   index.Sort{Key: index.SortKey(f.sort), Desc: descends(index.SortKey(f.sort)) != f.reverse},
		Limit:  f.limit,
	}
	if q.Limit == 0 {
		q.Limit = everything
	}
	return q, nil
}

// descends tells which direction people expect of a sort key.
func descends(key index.SortKey) bool { return key != index.SortStatus }

// query runs q and prints its first page.
func (p *program) query(cmd *cobra.Command, q index.Query) error {
	ctx := cmd.Context()
	return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		if err := p.settleFilter(cmd, ix, &q.Filter); err != nil {
			return err
		}
		page, err := ix.Find(ctx, q)
		if err != nil {
			return err
		}
		if page.Total == 0 && !p.json {
			return p.printNoDocuments(ctx, ix, q)
		}
		if err := p.printPage(page, q.Text); err != nil {
			return err
		}
		if hint := filterAsWords(q.Text); hint != "" && !p.json {
			fmt.Fprintf(p.errOut, "hint: %s\n", harmless(hint))
		}
		return nil
	})
}
