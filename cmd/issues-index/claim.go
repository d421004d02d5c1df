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
	var filter index.Filter
	var local bool
	cmd := &cobra.Command{
		Use:   "claim [ID]",
		Short: "Claim a document, or the next document, to work on",
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
			if len(args) == 1 && !reflect.ValueOf(filter).IsZero() {
				return usage(cmd, "claim takes an id, or filters to choose by, not both")
			}
			if len(filter.Statuses) > 0 {
				return usage(cmd, "claim chooses among open documents: leave --status out")
			}
			return p.withWriter(cmd.Context(), func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
				request := edit.ClaimRequest{Holder: p.holder(), Length: p.claims.Lease, Local: local}
				if len(args) == 1 {
					done, err := w.Claim(ctx, edit.DocumentRef{ID: p.documentNamed(ix.Workspace(), args[0])}, request)
					if err != nil {
						return err
					}
					return p.printClaimed(done)
				}
				if _, err := p.narrow(ctx, ix, &filter, ""); err != nil {
					return err
				}
				next, err := w.Next(ctx, filter, request)
				if err != nil {
					return err
				}
				for _, row := range next.Skipped {
					p.tell("warning: passed over %s: its id is shared, or its frontmatter cannot be edited", row.Path)
					p.tell("hint: issues-index check says more")
				}
				if !next.Found {
					return errors.Join(p.printIdle(next), p.noteUnknownStatuses(ctx, ix))
				}
				return p.printClaimed(next.Claimed)
			})
		},
	}
	p.filterFlags(cmd, &filter)
	cmd.Flags().BoolVar(&local, "local", false, "in a team, claim it in this clone alone, without asking the cluster")
	p.settingFlags(cmd.Flags(), "claims.lease", "claims.holder")
	return cmd
}

func newReleaseCommand(p *program) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "release ID",
		Short: "Give a claimed document back",
		Long: `Release sets a document that you have claimed open again and removes its assignee. With --as
it ends the claim of an agent that has gone: show names its holder.`,
		Example: `  issues-index release ISS-000041 --reason "Needs a decision first."
  issues-index release ISS-000041 --as claude-code/k3f9q2`,
		Args:              arguments(1, 1, "one id or path"),
		ValidArgsFunction: p.completeDocument(p.unfinished),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withWriter(cmd.Context(), func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
				done, err := w.Release(
					ctx, edit.DocumentRef{ID: p.documentNamed(ix.Workspace(), args[0])}, p.holder(), 0, strings.TrimSpace(reason),
				)
				if err != nil {
					return err
				}
				if done.Lost != nil && done.Lost.Told { // else a note has said it
					p.note("%s", tools.LeaseEnd(*done.Lost))
				}
				if reason != "" && !done.Changed {
					p.note("the reason was not written down, since the document has no holder: issues-index append writes it")
				}
				return p.printWritten(done.Applied)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` to append to the document")
	p.settingFlags(cmd.Flags(), "claims.holder")
	return cmd
}

// holder is the name under which the person claims, which me and @me stand for. It is not the name
// that git has, which the agents of a whole fleet share.
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
	p.noteWritten(done.Applied)
	if note := documents.NotReadyNote(done.NotReady); note != "" {
		p.note("%s", note)
	}
	doc, held := done.After, done.Lease
	return p.print(claimedJSON{
		doc.ID, done.Path, p.file(done.Path), doc.Title, held.Holder, done.Former, held.Expires, held.Fence, doc.Version,
		documents.NotReady(done.NotReady),
	}, func(page *terminal.Page) {
		layTitle(page, doc.ID, doc.Title)
		page.Line("%s %s", page.Dim("claimed by"), p.claimText(index.ClaimOf(held, held.Renewed)))
		if done.Former != "" {
			page.Line("%s %s, whose claim had lapsed", page.Dim("taken from"), done.Former)
		}
	})
}

// claimText says for a person who works on a document, and until when that counts.
func (p *program) claimText(c index.RowClaim) string { return claimedText(c, p.timeText) }

func claimedText(c index.RowClaim, at func(time.Time) string) string {
	if c.Stale {
		return terminal.OneLine(c.Holder) + ", stale since " + at(c.Until)
	}
	return terminal.OneLine(c.Holder) + " until " + at(c.Until)
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
		}{
			"", idle[index.IdleWaiting], assigned + deferred + parents, assigned, deferred, parents,
			idle[index.IdleClaimed], idle[index.IdleUnclaimed],
		})
	}
	idle[index.IdleReady] = 0 // they were passed over, and the warnings say why
	_, err := fmt.Fprintln(p.out, p.nothingReady(next.Narrowing, idle))
	return err
}

// nothingReady says why nothing is ready, and what is without the filters.
func (p *program) nothingReady(n index.Narrowing, idle index.Idle) string {
	said, without := documents.NothingReady(n, flagOf)
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
