package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"issues-index/store"
	"issues-index/store/orderedjson"
)

// An AuditEntry is one line of a session's audit file. Phase and Status are "", and Timestamp (UTC)
// is zero, where the line has none.
type AuditEntry struct {
	Phase, Status string
	Timestamp     time.Time
	Rest          json.RawMessage // the whole object
}

const (
	// maxAuditLine is how long a new line may be, in bytes without its line end.
	maxAuditLine = 64 << 10
	// maxAuditSize is how many bytes are read, some thousand entries. Of a larger file these are
	// the last ones, since the newest entries are what a session goes on from.
	maxAuditSize = 1 << 20
)

// Audit returns the entries of a session's audit file, in its order: of a file over 1 MiB those
// of the last 1 MiB. It skips and counts lines that are no JSON object. What it does not read is
// among the problems of the session. Errors: ErrNotFound, *store.PathError, *store.DiskError, and
// that of reading the file.
func (w Sessions) Audit(ctx context.Context, id string) (entries []AuditEntry, skipped int, err error) {
	if err := w.checkSession(id); err != nil {
		return nil, 0, err
	}
	lines, _, err := w.readAudit(id)
	for _, line := range lines {
		o, err := orderedjson.Parse(line)
		if err != nil {
			skipped++
			continue
		}
		e := AuditEntry{Rest: line}
		fileObject{o}.read(auditFile, []member{{"phase", &e.Phase}, {"status", &e.Status}, {"timestamp", &e.Timestamp}})
		entries = append(entries, e)
	}
	return entries, skipped, errors.Join(err, ctx.Err())
}

// auditProblems says what is wrong with a session's audit file.
func (w Sessions) auditProblems(id string) (problems []string) {
	lines, isWhole, err := w.readAudit(id)
	if err != nil {
		return []string{auditFile + " " + fileProblem(err)}
	}
	torn := 0 // as a crash of another program can leave a line
	for _, line := range lines {
		if !isObject(line) {
			torn++
		}
	}
	if torn > 0 {
		problems = append(problems, fmt.Sprintf("%s has lines that are no JSON object: %d", auditFile, torn))
	}
	if !isWhole {
		problems = append(problems, auditFile+" is larger than 1 MiB: only its last 1 MiB is read")
	}
	return problems
}

// readAudit returns the lines of a session's audit file that are not empty, of a large file
// those that begin in its last maxAuditSize bytes.
func (w Sessions) readAudit(id string) (lines [][]byte, isWhole bool, err error) {
	p := sessionFile(id, auditFile)
	f, _, err := w.OpenFile(p)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrIrregular) {
			return nil, true, nil
		}
		return nil, false, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, false, store.WrapDiskError("read", p, err)
	}
	unread := max(0, info.Size()-maxAuditSize)
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, unread-1), maxAuditSize+1))
	if err != nil {
		return nil, false, store.WrapDiskError("read", p, err)
	}
	if unread > 0 { // the line that begins before
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, unread == 0, nil
}

// auditLine is a new entry. Its own keys come first, and details cannot
// replace them. field is the caller's value that makes the details long.
func auditLine(field, phase, status string, now time.Time, details fileObject) ([]byte, error) {
	var o fileObject
	o.put("phase", phase)
	o.put("timestamp", &now)
	o.put("status", status)
	for _, m := range details.Object {
		if o.Get(m.Name) == nil {
			o.Object = append(o.Object, m)
		}
	}
	line, err := orderedjson.Marshal(o.Object)
	if err != nil {
		return nil, &store.ValueError{Field: field, Reason: "is no JSON"}
	}
	if len(line) > maxAuditLine {
		return nil, &store.ValueError{Field: field, Reason: fmt.Sprintf(
			"makes the line in %s %d bytes long, over the limit of %d", auditFile, len(line), maxAuditLine)}
	}
	return append(line, '\n'), nil
}
