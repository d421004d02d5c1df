package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"issues-index/store"
)

// RecordPhase records a phase of at most MaxPhase characters with one of PhaseStatuses. metadata, a
// JSON object or nil, goes to the audit file. Errors: ErrNotFound, *store.PathError,
// *store.ValueError, *store.ConflictError for an unreadable context.json, *store.DiskError.
func (w Sessions) RecordPhase(
	ctx context.Context, id, phase, status string, metadata json.RawMessage,
) (Session, error) {
	if strings.TrimSpace(phase) == "" {
		return Session{}, &store.ValueError{Field: "phase", Value: phase, Reason: "is empty"}
	}
	if utf8.RuneCountInString(phase) > MaxPhase {
		reason := fmt.Sprintf("has more than %d characters", MaxPhase)
		return Session{}, &store.ValueError{Field: "phase", Value: phase, Reason: reason}
	}
	if err := store.CheckChoice("status", status, PhaseStatuses); err != nil {
		return Session{}, err
	}
	details, err := givenObject("metadata", metadata)
	if err != nil {
		return Session{}, err
	}
	return w.changeSession(ctx, id, func(s *Session, now time.Time) (c change, err error) {
		s.CurrentPhase, s.UpdatedAt = phase, now
		if status == "complete" && !slices.Contains(s.PhasesCompleted, phase) {
			s.PhasesCompleted = append(s.PhasesCompleted, phase)
		}
		c.line, err = auditLine("metadata", phase, status, now, details)
		return c, err
	})
}

// Complete ends a session with one of EndStatuses, and returns how long it took. prURL and summary
// may be "", prNumber 0: what is recorded stays. The summary goes to the audit file. A session that
// has ended so already stays as it is. Errors are RecordPhase's.
func (w Sessions) Complete(
	ctx context.Context, id, status, prURL string, prNumber int, summary string,
) (s Session, took time.Duration, err error) {
	if err := store.CheckChoice("status", status, EndStatuses); err != nil {
		return Session{}, 0, err
	}
	if prNumber < 0 {
		return Session{}, 0, &store.ValueError{Field: "prNumber", Value: fmt.Sprint(prNumber), Reason: "is negative"}
	}
	s, err = w.changeSession(ctx, id, func(s *Session, now time.Time) (c change, err error) {
		ended := !s.CompletedAt.IsZero() && s.Status == status && (prURL == "" || prURL == s.PRURL) &&
			(prNumber == 0 || prNumber == s.PRNumber)
		s.Status, s.PRURL, s.PRNumber = status, cmp.Or(prURL, s.PRURL), cmp.Or(prNumber, s.PRNumber)
		if !ended {
			s.CurrentPhase, s.CompletedAt, s.UpdatedAt = "complete", now, now
		}
		if !s.StartedAt.IsZero() {
			took = s.CompletedAt.Sub(s.StartedAt)
		}
		if ended {
			return change{}, nil
		}
		var details fileObject
		details.put("session_id", id)
		details.put("duration_ms", took.Milliseconds())
		details.put("tasks_completed", len(s.TasksCompleted))
		if prURL != "" {
			details.put("pr_url", prURL)
		}
		if summary != "" {
			details.put("summary", summary)
		}
		outcome, longest := "complete", "summary"
		if status == "failed" {
			outcome = "failed"
		}
		if len(prURL) > len(summary) {
			longest = "prUrl"
		}
		c.line, err = auditLine(longest, "complete", outcome, s.CompletedAt, details)
		return c, err
	})
	return s, took, err
}

// A change is what a call writes beside the members of the session, nil for what stays.
type change struct {
	checkpoint []byte // the file
	line       []byte // of the audit file
}

// changeSession changes a session under the lock. One whose context.json cannot
// be read in full is refused: to write it would lose what could not be read.
func (w Sessions) changeSession(
	ctx context.Context, id string, edit func(s *Session, now time.Time) (change, error),
) (after Session, err error) {
	if err := w.checkSession(id); err != nil {
		return Session{}, err
	}
	err = w.Mutate(ctx, func(m *store.Mutation) error {
		if err := w.checkSession(id); err != nil {
			return err
		}
		before, o := w.readSession(id)
		if len(before.Problems) > 0 {
			reason := "cannot be changed: " + before.Problems[0]
			return &store.ConflictError{Path: path.Join(store.SessionsDir, id), Reason: reason}
		}
		now := before
		c, err := edit(&now, w.Now().UTC().Truncate(time.Millisecond))
		if err != nil {
			return err
		}
		var file []byte
		if o.update(before.members(), now.members()) {
			file = o.file()
		}
		err = write(m, id, file, c)
		after, _ = w.readSession(id)
		return err
	})
	if err != nil {
		return Session{}, err
	}
	return after, nil
}

// write writes the files of a session that are not nil, each durably, and the session itself last:
// the same call, after a kill on the way, does all of it again. After the first file the change is
// on the disk in part.
func write(m *store.Mutation, id string, session []byte, c change) error {
	unsettled := false
	for _, file := range []struct {
		name  string
		data  []byte
		write func(name string, data []byte) error
	}{
		{checkpointFile, c.checkpoint, m.WriteFile},
		{auditFile, c.line, m.AppendLine},
		{contextFile, session, m.WriteFile},
	} {
		if file.data == nil {
			continue
		}
		if err := file.write(sessionFile(id, file.name), file.data); err != nil {
			if refused := (*store.DiskError)(nil); unsettled && errors.As(err, &refused) {
				refused.Unsettled = true
			}
			return err
		}
		unsettled = true
	}
	return nil
}
