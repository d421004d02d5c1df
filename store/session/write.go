package session

import (
	"bytes"
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
	"issues-index/store/frontmatter"
	"issues-index/store/orderedjson"
)

// RecordPhase records that a phase has started, is complete or has failed.
// metadata, an object or nil, goes to the audit file.
func (w Sessions) RecordPhase(ctx context.Context, id, phase, status string, metadata json.RawMessage) (Session, error) {
	if strings.TrimSpace(phase) == "" {
		return Session{}, &store.ValueError{Field: "phase", Value: phase, Reason: "is empty"}
	}
	if utf8.RuneCountInString(phase) > MaxPhase {
		return Session{}, &store.ValueError{Field: "phase", Value: phase, Reason: fmt.Sprintf("has more than %d characters", MaxPhase)}
	}
	if err := store.CheckChoice("status", status, PhaseStatuses); err != nil {
		return Session{}, err
	}
	details, err := givenObject("metadata", metadata)
	if err != nil {
		return Session{}, err
	}
	return w.changeSession(ctx, id, func(m *store.Mutation, s Session, o fileObject) error {
		now := w.Now()
		line, err := auditLine("metadata", phase, status, now, details)
		if err != nil {
			return err
		}
		o.putText("currentPhase", phase)
		if status == "complete" && !slices.Contains(s.PhasesCompleted, phase) {
			o.putList("phasesCompleted", append(s.PhasesCompleted, phase))
		}
		return inOrder(
			func() error { return saveContext(m, id, o, now) },
			func() error { return m.AppendLine(sessionFile(id, auditFile), line) },
		)
	})
}

// Complete ends a session, and returns how long it took. prURL,
// prNumber and summary may be empty; the summary goes to the audit file. A
// session that has ended so already stays as it is.
func (w Sessions) Complete(ctx context.Context, id, status, prURL string, prNumber int, summary string) (Session, time.Duration, error) {
	if err := store.CheckChoice("status", status, EndStatuses); err != nil {
		return Session{}, 0, err
	}
	if prNumber < 0 {
		return Session{}, 0, &store.ValueError{Field: "prNumber", Value: fmt.Sprint(prNumber), Reason: "is negative"}
	}
	var took time.Duration
	s, err := w.changeSession(ctx, id, func(m *store.Mutation, s Session, o fileObject) error {
		var steps []func() error
		end := s.CompletedAt
		if s.Status != status || end.IsZero() || prURL != "" && s.PRURL != prURL || prNumber != 0 && s.PRNumber != prNumber {
			end = w.Now().UTC().Truncate(time.Millisecond)
			o.putText("status", status)
			o.putText("currentPhase", "complete")
			o.putTime("completedAt", end)
			if prURL != "" {
				o.putText("prUrl", prURL)
			}
			if prNumber != 0 {
				o.putNumber("prNumber", int64(prNumber))
			}
			steps = append(steps, func() error { return saveContext(m, id, o, end) })
		}
		if !s.StartedAt.IsZero() {
			took = end.Sub(s.StartedAt)
		}
		outcome := "complete"
		if status == "failed" {
			outcome = "failed"
		}
		var details fileObject
		details.putText("session_id", id)
		details.putNumber("duration_ms", took.Milliseconds())
		details.putNumber("tasks_completed", int64(len(s.TasksCompleted)))
		if prURL != "" {
			details.putText("pr_url", prURL)
		}
		if summary != "" {
			details.putText("summary", summary)
		}
		field := "summary"
		if len(prURL) > len(summary) {
			field = "prUrl"
		}
		line, err := auditLine(field, "complete", outcome, end, details)
		if err != nil {
			return err
		}
		steps = append(steps, func() error { return w.auditOnce(ctx, m, id, end.Format(frontmatter.TimeFormat), "complete", line) })
		return inOrder(steps...)
	})
	return s, took, err
}

// changeSession changes a session under the lock. One whose context.json cannot
// be read in full is refused: to write it would lose what could not be read.
func (w Sessions) changeSession(ctx context.Context, id string, change func(m *store.Mutation, s Session, o fileObject) error) (after Session, err error) {
	if err := w.checkSession(id); err != nil {
		return Session{}, err
	}
	err = w.Mutate(ctx, func(m *store.Mutation) error {
		if err := w.checkSession(id); err != nil {
			return err
		}
		m.RemoveTempFiles(path.Join(store.SessionsDir, id))
		s, o := w.readSession(id)
		if len(s.Problems) > 0 {
			return &store.ConflictError{Path: path.Join(store.SessionsDir, id), Reason: "cannot be changed: " + s.Problems[0]}
		}
		if err := change(m, s, o); err != nil {
			return err
		}
		after, _ = w.readSession(id)
		return nil
	})
	return after, err
}

// inOrder takes steps each of which is durable. After the first, the change is
// on disk in part.
func inOrder(steps ...func() error) error {
	for i, step := range steps {
		if err := step(); err != nil {
			var refused *store.DiskError
			if i > 0 && errors.As(err, &refused) {
				refused.Unsettled = true
			}
			return err
		}
	}
	return nil
}

func saveContext(m *store.Mutation, id string, o fileObject, now time.Time) error {
	o.putTime("updatedAt", now)
	return m.WriteFile(sessionFile(id, contextFile), o.file())
}

// auditOnce adds an entry that the same call made before may have added already,
// or not, when it was killed half way. mark is what tells it from others of its
// phase.
func (w Sessions) auditOnce(ctx context.Context, m *store.Mutation, id, mark, phase string, line []byte) error {
	found := false
	_, err := w.scanAudit(ctx, id, func(entry []byte) {
		if !found && bytes.Contains(entry, []byte(mark)) {
			o, err := orderedjson.Parse(entry)
			r := memberReader{Object: o}
			found = err == nil && r.text("phase") == phase
		}
	})
	if err != nil || found {
		return err
	}
	return m.AppendLine(sessionFile(id, auditFile), line)
}
