package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store/words"
	"issues-index/tools/web"
	"issues-index/tools/webexport"
)

func newExportCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export FORMAT",
		Short: "Write the documents in another form",
		Long: `Export writes the documents in a form for other programs. Html is for browsers: the pages of
the web command as files.`,
		Example: `  issues-index export html`,
		Args:    arguments(1, 1, "a format: html"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return usage(cmd, "unknown format "+strconv.Quote(args[0]), "the only format is html: issues-index export html")
		},
	}
	cmd.AddCommand(newExportHTMLCommand(p))
	return cmd
}

// exportFolder is where pages are written unless the user names a folder.
const exportFolder = "issues-html"

func newExportHTMLCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "html [DIRECTORY]",
		Short: "Write the pages of the web command as files",
		Long: `Html writes the pages that the web command serves into a folder, ` + exportFolder + ` unless you name
one: the overview, all lists, the boards, the documents, the graph, the agents and the problems.
Open its index.html in a browser, or copy the folder below any path of a web server. The pages
can be read only. They have neither a search nor figures of calls, which need a server.

The folder must be empty or from an earlier export. Pages of documents that are no more are
removed from it, and files that the command has not written are left alone.`,
		Example: `  issues-index export html
  issues-index export html public/issues`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			if len(args) > 0 {
				return p.exportHTML(ctx, args[0])
			}
			// A repository may have a link of that name, which leads anywhere.
			if info, err := os.Lstat(exportFolder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return failed(exportFolder+" is a symbolic link", "name the directory that you want the pages in")
			}
			return p.exportHTML(ctx, exportFolder)
		},
	}
}

// exportHTML writes the pages of the workspace as files.
func (p *program) exportHTML(ctx context.Context, dir string) error {
	if dir == "" {
		return misused("the directory must have a name", "name a folder that is empty, or that is not there yet")
	}
	options := p.indexOptions()
	options.Mode = index.ModePoll // an export need not see every change at once
	return p.withIndexAs(ctx, options, func(ix *index.Index) error {
		pages := http.NewServeMux()
		web.New(web.Options{
			Acquire: func(context.Context) (*index.Index, func(), error) { return ix, func() {}, nil },
			Me:      p.person, Static: true, Log: options.Log,
		}).Register(pages)
		written, err := webexport.Write(ctx, dir, pages, p.progress("Writing pages", progressDelay))
		if unwanted := (*webexport.NotEmptyError)(nil); errors.As(err, &unwanted) {
			return failed(unwanted.Error(), "name a folder that is empty, or that is not there yet")
		}
		if err != nil {
			return err
		}
		return p.printExport(written)
	})
}

func (p *program) printExport(s webexport.Exported) error {
	removed := ""
	if s.Removed > 0 {
		removed = fmt.Sprintf(", and removed %d of an earlier export", s.Removed)
	}
	return p.print(struct {
		Directory string `json:"directory"`
		Pages     int    `json:"pages"`
		Removed   int    `json:"removed"`
		Bytes     int64  `json:"bytes"`
	}{s.Dir, s.Pages, s.Removed, s.Bytes}, func(page *terminal.Page) {
		page.Line("Wrote %s (%s)%s: %s", words.Count(s.Pages, "page"), sizeText(s.Bytes), removed, s.Dir)
	})
}
