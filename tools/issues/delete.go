package issues

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store/words"
	"issues-index/tools"
)

// A deleteAnswer answers issues_delete.
type deleteAnswer struct {
	ID        string `json:"id"`
	DeletedAt string `json:"deletedAt"`
	Path      string `json:"path"` // where the file was
}

func remove(ix *index.Index, w *edit.Writer) tools.Tool {
	return tools.Tool{
		Name:        "issues_delete",
		Description: "Delete one issue's file for good. Writes. confirm must be true.",
		Destructive: true,
		Input:       tools.ObjectSchema(`"id":`+anyText+`,"confirm":{"type":"boolean"},`+ifVersion, "id", "confirm"),
		IDs:         []string{"id"},
		Output:      tools.ObjectSchema(`"id":`+anyText+`,"deletedAt":`+anyText+`,"path":`+anyText, "id", "deletedAt"),
		Handle: func(ctx context.Context, args *tools.Args) (tools.Result, error) {
			ref, named := readRef(args), namingOf(args)
			confirmed := args.Bool("confirm")
			if err := args.Err(); err != nil {
				return tools.Result{}, err
			}
			if !confirmed {
				var err error
				if confirmed, err = confirmDelete(ctx, ix, args, &ref); err != nil {
					return tools.Result{}, err
				}
			}
			if !confirmed {
				pass := "the same id and confirm: true"
				if whole, ok := tools.Whole(named.given(ref.ID)); ok {
					pass = "{id: '" + whole + "', confirm: true}"
				}
				return tools.Result{}, tools.Errorf(tools.CodePermissionDenied, "Cannot delete issue without confirm: true.").
					On("confirm").Try("Pass %s to confirm deletion.", pass)
			}
			waiters, _ := ix.Waiters(ctx, ref.ID) // Delete says what is wrong with the id
			gone, err := w.Delete(ctx, ref)
			if err != nil {
				return tools.Result{}, err
			}
			gone, waiters = named.deleted(gone), named.rows(waiters)
			noteBehind(args, gone.Behind)
			noteClaim(args, gone.Claim)
			noteLeftWaiting(args, gone.ID, waiters)
			d := deleteAnswer{documents.ShortID(gone.ID, gone.Path), documents.Stamp(time.Now()), gone.Path}
			text := fmt.Sprintf("Deleted %s %s\ndeleted: %s\npath: %s", documents.Name(d.ID), quotedTitle(gone.Document),
				d.DeletedAt, d.Path)
			return tools.Result{Text: text, Structured: d, Items: 1}, nil
		},
	}
}

// confirmDelete asks the user, where that can be done. What is deleted then is the file as
// it was when the user was asked.
func confirmDelete(ctx context.Context, ix *index.Index, args *tools.Args,
	ref *edit.DocumentRef) (agreed bool, err error) {
	var row index.Row
	agreed, err = args.Confirm(func() (tools.Confirmation, error) {
		if row, err = ix.Get(ctx, ref.ID); err != nil {
			return tools.Confirmation{}, err
		}
		return tools.Confirmation{
			Question: fmt.Sprintf("Delete %s %s for good? Its file is %s.", tools.Plain(row.ID),
				tools.Quote(words.Cut(row.Title, documents.TitleLength)), tools.Line(row.Path)),
			Title: "Delete it for good", About: row.Path + " " + row.Version, Undone: "nothing was deleted",
		}, nil
	})
	if agreed {
		ref.ID, ref.IfVersion = row.Path, cmp.Or(ref.IfVersion, row.Version)
	}
	return agreed, err
}

// noteLeftWaiting names the documents that wait for one that is gone.
func noteLeftWaiting(args *tools.Args, gone string, waiters []index.Row) {
	const most = 10
	if len(waiters) == 0 {
		return
	}
	var ids []string
	for _, waiter := range waiters[:min(len(waiters), most)] {
		ids = append(ids, tools.Plain(documents.ShortID(waiter.ID, waiter.Path)))
	}
	if left := len(waiters) - most; left > 0 {
		ids = append(ids, fmt.Sprintf("%d more", left))
	}
	args.Note(fmt.Sprintf("these still wait for %s, which is gone: %s; removeDependsOn of issues_update removes the link",
		tools.Quote(gone), strings.Join(ids, ", ")))
}
