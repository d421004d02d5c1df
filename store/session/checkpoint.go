package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"issues-index/store"
)

// SaveCheckpoint replaces a session's checkpoint. Its session, id, phase and
// time are filled in. When nothing differs from the last one, that one stays.
func (w Sessions) SaveCheckpoint(ctx context.Context, id string, c Checkpoint) (Session, Checkpoint, error) {
	if _, err := givenObject("variables", c.Variables); err != nil {
		return Session{}, Checkpoint{}, err
	}
	if c.Variables = bytes.TrimSpace(c.Variables); len(c.Variables) == 0 || string(c.Variables) == "null" {
		c.Variables = json.RawMessage("{}")
	}
	s, err := w.changeSession(ctx, id, func(m *store.Mutation, s Session, o fileObject) error {
		last, file, _ := w.readCheckpoint(id) // one that cannot be read is replaced
		now := w.Now().UTC().Truncate(time.Millisecond)
		c.SessionID, c.CurrentPhase, c.CreatedAt = id, s.CurrentPhase, now
		c.CheckpointID = fmt.Sprintf("chk-%d-%08x", now.UnixMilli(), rand.Uint32())
		steps := []func() error{func() error { return m.WriteFile(sessionFile(id, checkpointFile), c.onto(file).file()) }}
		if last != nil && last.same(c) {
			c, steps = *last, nil
		}
		if !slices.Equal(s.TasksCompleted, c.TasksCompleted) || !slices.Equal(s.TasksPending, c.TasksPending) || steps != nil {
			o.putList("tasksCompleted", c.TasksCompleted)
			o.putList("tasksPending", c.TasksPending)
			steps = append(steps, func() error { return saveContext(m, id, o, now) })
		}
		line, err := auditLine("checkpointId", "checkpoint", "complete", c.CreatedAt, c.details())
		if err != nil {
			return err
		}
		steps = append(steps, func() error { return w.auditOnce(ctx, m, id, c.CheckpointID, "checkpoint", line) })
		return inOrder(steps...)
	})
	if err != nil {
		return Session{}, Checkpoint{}, err
	}
	return s, c, nil
}

// same reports whether the caller's part of two checkpoints is equal.
func (c Checkpoint) same(other Checkpoint) bool {
	return c.CheckpointID != "" && c.CurrentPhase == other.CurrentPhase &&
		c.LastAction == other.LastAction && c.ResumeInstructions == other.ResumeInstructions &&
		slices.Equal(c.TasksCompleted, other.TasksCompleted) && slices.Equal(c.TasksPending, other.TasksPending) &&
		sameJSON(c.Variables, other.Variables)
}

// onto is the checkpoint's file, with the unknown keys of the last one.
func (c Checkpoint) onto(o fileObject) fileObject {
	o.putText("sessionId", c.SessionID)
	o.putText("checkpointId", c.CheckpointID)
	o.putTime("createdAt", c.CreatedAt)
	o.putText("currentPhase", c.CurrentPhase)
	o.putList("tasksCompleted", c.TasksCompleted)
	o.putList("tasksPending", c.TasksPending)
	o.Put("variables", c.Variables)
	o.putText("lastAction", c.LastAction)
	o.putText("resumeInstructions", c.ResumeInstructions)
	return o
}

func (c Checkpoint) details() (o fileObject) {
	o.putText("checkpoint_id", c.CheckpointID)
	o.putNumber("tasks_completed", int64(len(c.TasksCompleted)))
	o.putNumber("tasks_pending", int64(len(c.TasksPending)))
	return o
}
