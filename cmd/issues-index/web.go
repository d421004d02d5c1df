package main

import (
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store"
	"issues-index/tools/dashboard"
	"issues-index/tools/transport"
)

func newWebCommand(p *program) *cobra.Command {
	var address string
	var stay bool
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Show the documents in a browser",
		Long: `Web serves pages about the workspace and opens them in the browser: an overview, lists and
searches, a board, the documents with what they are linked with, the graph of what waits for
what, what agents do, and problems. With --http-edit the pages can change documents and make
new ones. Ctrl-C ends it.

Only this machine can reach the pages. There is no password, so --addr takes no address that
others could reach.`,
		Example: `  issues-index web
  issues-index web --http-edit
  issues-index web --addr :8080 --no-open`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return p.web(ctx, address, !stay)
		},
	}
	cmd.Flags().StringVar(
		&address, "addr", ":0", "`address` to listen on, of this machine, HOST:PORT; with port 0 any free port",
	)
	p.settingFlags(cmd.Flags(), "httpEdit")
	cmd.Flags().BoolVar(&stay, "no-open", false, "open no browser")
	return cmd
}

// web serves the pages until ctx ends.
func (p *program) web(ctx context.Context, address string, open bool) error {
	return p.withWorkspace(func(ws *store.Workspace) (err error) {
		level := new(slog.LevelVar)
		level.Set(slog.LevelWarn)
		log := p.logger(level)
		live, err := p.followConfig(ctx, ws, log, level)
		if err != nil {
			return err
		}
		link := teamOf(live.Config(), log)
		defer func() { err = errors.Join(err, link.Close()) }()
		options := servedIndex(live.Config(), log)
		options.Team = link.teamOptions(sharedAs(live.Config(), ws.Root, true))
		current, err := index.Serve(ctx, ws, options)
		if err != nil {
			return err
		}
		defer closeIndex(current, log)
		pages, endPages := p.webPages(ctx, live, current, httpService{metrics: dashboard.NewMetrics(), link: link}, log)
		server, err := transport.Listen(ctx, transport.ListenOptions{Address: address}, pages, log)
		if errors.Is(err, transport.ErrExposed) {
			return exposed(
				err,
				"--addr takes an address of this machine, such as :8080; for others to reach the pages, use serve --http "+
					"with tokens, or an SSH tunnel",
			)
		}
		if err != nil {
			return failed(err.Error(), "choose another --addr; with port 0 the system chooses one")
		}
		server.OnClose(endPages)
		err = p.print(struct {
			URL string `json:"url"`
		}{server.URL()}, func(page *terminal.Page) { page.Line("%s", server.URL()) })
		if err == nil && open && openBrowser(ctx, server.URL()) != nil {
			p.note("no browser could be opened; open the address above")
		}
		if err == nil {
			<-ctx.Done()
		}
		return errors.Join(err, server.Close())
	})
}

// openBrowser opens an address in the user's browser.
func openBrowser(ctx context.Context, url string) error {
	program, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // which ends on its own
	return nil
}
