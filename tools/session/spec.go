package session

import (
	"context"
	"fmt"
	"path"
	"strings"

	"issues-index/store"
	"issues-index/tools"
)

// specByID is the path of the document with this id, for a caller who names a
// specification as the issues tools do; "" when no document has it. The documents whose
// file names hold the id's number are looked at first, since nearly all have it there.
func specByID(ctx context.Context, ws *store.Workspace, id string) (string, error) {
	id = strings.TrimSpace(id)
	if id == "" || strings.ContainsAny(id, `/\`) {
		return "", nil
	}
	listing, err := ws.List(ctx)
	if err != nil {
		return "", fmt.Errorf("list documents: %w", err)
	}
	number := strings.TrimLeft(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_")
	for _, numbered := range []bool{true, false} {
		var found []string
		for _, file := range listing.Files {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if strings.Contains(path.Base(file.Path), number) != numbered {
				continue
			}
			if doc, _, err := ws.Load(file.Path); err == nil && strings.EqualFold(doc.ID, id) {
				found = append(found, file.Path)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return "", tools.Errorf(tools.CodeAmbiguousID, "%d documents have the id %s.", len(found), tools.Quote(id)).
				On("specFile").Try("Pass the path of the one you mean:").Among(found...)
		}
	}
	return "", nil
}
