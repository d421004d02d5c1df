package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// An AuditEntry is one line of a session's audit file.
type AuditEntry struct {
	Phase, Status string
	Timestamp     time.Time
	Rest          json.RawMessage // the whole object
}

// Audit returns a session's audit file, in its order. Lines that are no JSON
// object, as a crash of another program can leave, are skipped and counted.
func (w *Workspace) Audit(ctx context.Context, id string) (entries []AuditEntry, skipped int, err error) {
	if err := w.checkSession(id); err != nil {
		return nil, 0, err
	}
	f, _, err := w.openFile(sessionFile(id, auditFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer closeQuietly(f)
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, diskError("read", sessionFile(id, auditFile), err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			o, invalid := parseObject(line)
			if invalid != nil {
				skipped++
			} else {
				r := reading{object: o}
				entries = append(entries, AuditEntry{r.text("phase"), r.text("status"), r.time("timestamp"), line})
			}
		}
		if err != nil {
			return entries, skipped, ctx.Err()
		}
	}
}

// auditLine is a new entry. Its own keys come first, and details cannot
// replace them.
func auditLine(phase, status string, now time.Time, details object) ([]byte, error) {
	var o object
	o.setText("phase", phase)
	o.setTime("timestamp", now)
	o.setText("status", status)
	for _, m := range details {
		if m.key != "phase" && m.key != "timestamp" && m.key != "status" {
			o = append(o, m)
		}
	}
	line, err := o.line()
	if err != nil || len(line) > MaxFileSize {
		return nil, &ValueError{Field: "metadata", Reason: "is too large"}
	}
	return line, nil
}

// appendAudit adds a line with one write, and makes it durable. After a torn
// line it begins on a new one.
func (m *mutation) appendAudit(id string, line []byte) error {
	p := sessionFile(id, auditFile)
	at, err := m.placeOf(p)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err != nil && !fresh {
		return err
	}
	f, err := m.w.root.OpenFile(at.target, os.O_RDWR|os.O_APPEND|os.O_CREATE|nonBlock, 0o666)
	if err != nil {
		return diskError("append to", p, err)
	}
	if err := errors.Join(appendLine(f, line), f.Close()); err != nil {
		return diskError("append to", p, err)
	}
	if fresh {
		return m.settle(p, path.Dir(at.target))
	}
	return nil
}

func appendLine(f *os.File, line []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err := f.Write(line); err != nil {
		return err
	}
	return f.Sync()
}
