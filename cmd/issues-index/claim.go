package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	account "os/user"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/tools"
)

func newClaimCommand(p *program) *cobra.Command {
	var filters filterFlags
	var local bool
	cmd := &cobra.Command{
		Use:   "claim [ID]",
		Short: "Claim a document to work on, or the one to work on next",
		Long: `Claim sets a document in progress and assigns it to you, so that no agent takes it. Without
an ID it claims the ready document of the highest priority, and of these the oldest.

A claim counts for four hours, and each change that you make with this program renews it. When
it has lapsed, others may take the document an hour later. To finish the document, or to
change its status or assignee, ends the claim.

You are your user name and the name of the machine, unless --as or ISSUES_INDEX_HOLDER says
otherwise. An agent's claim has the name of its program and session.`,
		Example: `  issues-index claim
  issues-index claim ISS-000041 --lease 2d
  issues-index claim --label search --priority high`,
		Args:              arguments(0, 1, "one id or path, or none"),
		ValidArgsFunction: p.completeDocument(p.unfinished),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := filters.read(cmd)
			if err != nil {
				return err
			}
			if len(args) == 1 && !reflect.ValueOf(filter).IsZero() {
				return usage(cmd, "claim takes an id, or filters to choose by: leave one of them out")
			}
			if len(filter.Statuses) > 0 {
				return usage(cmd, "claim chooses among open documents: leave --status out")
			}
			return p.withWriter(cmd.Context(), func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
				request := edit.ClaimRequest{Holder: p.holder(), Length: p.claims.Lease, Local: local}
				if len(args) == 1 {
					done, err := w.Claim(ctx, edit.DocumentRef{ID: documentNamed(ix.Workspace(), args[0])}, request)
					if err != nil {
						return err
					}
					return p.printClaimed(done)
				}
				if err := p.normalizeFilter(cmd, ix, &filter); err != nil {
					return err
				}
				next, err := w.Next(ctx, filter, request)
				if err != nil {
					return err
				}
				for _, row := range next.Skipped {
					fmt.Fprintf(p.errOut, "warning: passed over %s: its id is shared, or its frontmatter cannot be edited\nhint: issues-index check says more\n", terminal.OneLine(row.Path))
				}
				if !next.Found {
					return errors.Join(p.printIdle(next), p.noteUnknownStatuses(ctx, ix))
				}
				return p.printClaimed(next.Claimed)
			})
		},
	}
	filters.register(cmd)
	cmd.Flags().BoolVar(&local, "local", false, "in a team, claim it in this clone alone, without asking the cluster")
	p.settingFlags(cmd.Flags(), "claims.lease", "claims.holder")
	return cmd
}

func newReleaseCommand(p *program) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "release ID",
		Short: "Give a claimed document back",
		Long: `Release sets a document that you have claimed open again and assigns it to nobody. With --as
it ends the claim of an agent that has gone: show names its holder.`,
		Example: `  issues-index release ISS-000041 --reason "Needs a decision first."
  issues-index release ISS-000041 --as claude-code/k3f9q2`,
		Args:              arguments(1, 1, "one id or path"),
		ValidArgsFunction: p.completeDocument(p.unfinished),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withWriter(cmd.Context(), func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
				done, err := w.Release(ctx, edit.DocumentRef{ID: documentNamed(ix.Workspace(), args[0])}, p.holder(), 0, strings.TrimSpace(reason))
				if err != nil {
					return err
				}
				if done.Lost != nil && done.Lost.Told { // else a note has said it
					fmt.Fprintf(p.errOut, "note: %s\n", terminal.Harmless(tools.LeaseEnd(*done.Lost)))
				}
				if reason != "" && !done.Changed {
					fmt.Fprintln(p.errOut, "note: the reason was not written down, since nobody holds the document: "+
						"issues-index append writes it")
				}
				return p.printWritten(done.Applied)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` to append to the document")
	p.settingFlags(cmd.Flags(), "claims.holder")
	return cmd
}

// holder is the name under which the person claims, which me and @me stand for. It is not the name that git has, which
// the agents of a whole fleet share.
func (p *program) holder() string {
	if p.claims.Holder != "" {
		return claims.HolderName(p.claims.Holder)
	}
	name := cmp.Or(p.getenv("USER"), p.getenv("LOGNAME"), p.getenv("USERNAME"))
	if name == "" { // as in containers
		name = fmt.Sprint("uid-", os.Getuid())
		if of, err := account.Current(); err == nil {
			name = of.Username
		}
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return claims.HolderName(name)
}

// A claimedJSON describes a claim for scripts. Without an id nothing was claimed.
type claimedJSON struct {
	ID      string    `json:"id"`
	Path    string    `json:"path"`
	File    string    `json:"file"`
	Title   string    `json:"title"`
	Holder  string    `json:"holder"`
	Former  string    `json:"former"`
	Until   time.Time `json:"until"`
	Fence   int64     `json:"fence"`
	Version string    `json:"version"`
	// NotReady is why the document is not among the ready ones although it was claimed.
	NotReady []string `json:"notReady"`
}

func (p *program) printClaimed(done edit.Claimed) error {
	p.warnWritten(done.Applied)
	if note := documents.NotReadyNote(done.NotReady); note != "" {
		fmt.Fprintf(p.errOut, "note: %s\n", terminal.Harmless(note))
	}
	doc, held := done.After, done.Lease
	if p.json {
		return p.printJSON(claimedJSON{doc.ID, done.Path, p.file(done.Path), doc.Title, held.Holder, done.Former, held.Expires, held.Fence, doc.Version, documents.NotReady(done.NotReady)})
	}
	s := p.screen()
	fmt.Fprintln(p.out, s.Paint(terminal.Bold, terminal.OneLine(doc.ID))+" "+terminal.OneLine(doc.Title))
	fmt.Fprintf(p.out, "%s %s\n", s.Paint(terminal.Dim, "claimed by"), p.claimText(index.ClaimOf(held, held.Renewed)))
	if done.Former != "" {
		fmt.Fprintf(p.out, "%s %s, whose claim had lapsed\n", s.Paint(terminal.Dim, "taken from"), terminal.OneLine(done.Former))
	}
	return nil
}

// claimText says who works on a document, and until when that counts.
func (p *program) claimText(c index.RowClaim) string {
	if c.Stale {
		return terminal.OneLine(c.Holder) + ", stale since " + p.timeText(c.Until)
	}
	return terminal.OneLine(c.Holder) + " until " + p.timeText(c.Until)
}

// A claimJSON is who works on a document, for scripts.
type claimJSON struct {
	Holder string    `json:"holder"`
	Until  time.Time `json:"until"`
	Stale  bool      `json:"stale"`
}

// text is the claim for CSV, "" for none.
func (c *claimJSON) text() string {
	switch {
	case c == nil:
		return ""
	case c.Stale:
		return c.Holder + ", stale since " + isoText(c.Until)
	}
	return c.Holder + " until " + isoText(c.Until)
}

// printIdle says why there is nothing to claim.
func (p *program) printIdle(next edit.NextClaim) error {
	idle := next.Idle
	if p.json {
		assigned, deferred, parents := idle[index.IdleAssigned], idle[index.IdleDeferred], idle[index.IdleParent]
		return p.printJSON(struct {
			ID         string `json:"id"`
			Waiting    int    `json:"waiting"`
			Other      int    `json:"other"` // the next three together
			Assigned   int    `json:"assigned"`
			Deferred   int    `json:"deferred"`
			Parents    int    `json:"parents"`
			Claimed    int    `json:"claimed"`
			InProgress int    `json:"inProgress"` // without a claim
		}{"", idle[index.IdleWaiting], assigned + deferred + parents, assigned, deferred, parents, idle[index.IdleClaimed], idle[index.IdleUnclaimed]})
	}
	idle[index.IdleReady] = 0 // they were passed over, and the warnings say why
	_, err := fmt.Fprintln(p.out, p.nothingReady(next.Narrowing, idle))
	return err
}

// flagOf has the flags that are called other than the fields of a filter.
var flagOf = map[string]string{
	"types": "type", "statuses": "status", "priorities": "priority", "labels": "label", "claimedBy": "claimed-by",
	"createdAfter": "created-after", "createdBefore": "created-before", "updatedAfter": "updated-after", "updatedBefore": "updated-before",
	"closedAfter": "closed-after", "closedBefore": "closed-before",
}

// nothingReady says why nothing is ready, and what is without the filters.
func (p *program) nothingReady(n index.Narrowing, idle index.Idle) string {
	said, without := documents.NothingReady(n, func(field string) string { return "--" + cmp.Or(flagOf[field], field) })
	return strings.TrimSpace(p.idleText(said, idle) + " " + without)
}

// idleText says something of all documents, and how many have which reason.
func (p *program) idleText(said string, idle index.Idle) string {
	var reasons []string
	for says := range documents.IdleFacts(idle, p.workspaceLayout()) {
		reasons = append(reasons, says)
	}
	if len(reasons) > 0 {
		said += ": " + strings.Join(reasons, ", ")
	}
	return said + "."
}
