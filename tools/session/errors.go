package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"issues-index/store"
	sessions "issues-index/store/session"
	"issues-index/store/words"
	"issues-index/tools"
)

const (
	maxNear   = 3   // sessions and files that an error names
	maxReason = 200 // bytes of what the file system or git answered
)

// sessionError words why a session could not be read or written; what it has no
// words for passes.
func sessionError(ctx context.Context, ws *store.Workspace, id string, err error) error {
	var outside *store.PathError
	var conflict *store.ConflictError
	var disk *store.DiskError
	switch {
	case errors.As(err, &outside):
		return tools.Errorf(tools.CodePathTraversal, "Session id %s %s.", tools.Quote(id), tools.Plain(outside.Reason)).
			On("sessionId").Try("%s", newest(ctx, ws))
	case errors.Is(err, sessions.ErrNotFound):
		return tools.Errorf(tools.CodeNotFound, "Session %s not found.", tools.Plain(id)).
			On("sessionId").Try("%s", newest(ctx, ws))
	case errors.As(err, &conflict):
		return tools.Errorf(tools.CodeConflict, "Session %s %s.", tools.Plain(id), tools.Plain(conflict.Reason)).
			Try("Read it with session_get.")
	case errors.As(err, &disk) && disk.Unsettled:
		return tools.Errorf(tools.CodeProvider, "Cannot %s %s: %s. The change may be on disk in part.", disk.Op, disk.Path,
			reason(disk)).
			On("sessionId").Try("Read the session with session_get before trying again, and tell the user.")
	}
	return err
}

// newest names the sessions that were started last.
func newest(ctx context.Context, ws *store.Workspace) string {
	sessions, err := sessions.In(ws).Newest(ctx, maxNear)
	if err != nil || len(sessions) == 0 {
		return "There are no sessions yet: session_start {specFile} begins one."
	}
	var names []string
	for _, s := range sessions {
		names = append(names, fmt.Sprintf("%s (%s)", tools.Plain(s.ID), cmp.Or(tools.Plain(s.Status), "unreadable")))
	}
	return "The newest are " + strings.Join(names, ", ") + ". session_get without sessionId finds the one to resume."
}

// startError words why a session could not be started.
func startError(ctx context.Context, ws *store.Workspace, n sessions.StartOptions, err error) error {
	var outside *store.PathError
	var disk *store.DiskError
	var errno syscall.Errno
	switch {
	case errors.As(err, &outside):
		field, allowed := "specFile", "Pass the specification's path relative to the workspace."
		if n.WorkingDirectory != "" && outside.Path == n.WorkingDirectory {
			field, allowed = "workingDirectory",
				"Pass a directory of the workspace or of another worktree of its repository, or none."
		}
		return tools.Errorf(tools.CodePathTraversal, "Path %s %s.", tools.Quote(outside.Path), tools.Plain(outside.Reason)).
			On(field).Try("%s", allowed)
	case errors.Is(err, fs.ErrNotExist) && !errors.As(err, &disk):
		try := "issues_list with type specification shows those there are."
		near := nearFiles(ctx, ws, n.SpecFile)
		if len(near) > 0 {
			try += " Or did you mean:"
		}
		return tools.Errorf(tools.CodeFileNotFound, "Specification %s not found.", tools.Quote(n.SpecFile)).
			On("specFile").Try("%s", try).Among(near...)
	case errors.As(err, &disk) && !errors.As(err, &errno): // git refused, in words
		return tools.Errorf(tools.CodeProvider, "Cannot %s %s: %s; nothing was changed.", disk.Op, disk.Path, reason(disk)).
			Try("Tell the user, and call again once the repository is fixed.")
	}
	return err
}

// reason is what the file system or git answered, on one line.
func reason(e *store.DiskError) string {
	return words.CutBytes(words.OneLine(e.Reason()), maxReason)
}

// nearFiles are the documents whose names share the most words with a path.
func nearFiles(ctx context.Context, ws *store.Workspace, given string) []string {
	listing, err := ws.List(ctx)
	if err != nil {
		return nil
	}
	wanted := nameWords(given)
	shared := make(map[string]int)
	var near []string
	for _, file := range listing.Files {
		for _, word := range nameWords(file.Path) {
			if slices.Contains(wanted, word) {
				shared[file.Path]++
			}
		}
		if shared[file.Path] > 0 {
			near = append(near, file.Path)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return shared[b] - shared[a] })
	return near[:min(len(near), maxNear)]
}

// nameWords are those of a file's name without its extension, the prefix that all
// specifications have left out.
func nameWords(file string) []string {
	name := strings.ToLower(path.Base(file))
	return slices.DeleteFunc(strings.FieldsFunc(strings.TrimSuffix(name, ".md"), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), func(word string) bool { return word == "spec" })
}
