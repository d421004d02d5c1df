package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"issues-index/store"
	"issues-index/store/orderedjson"
)

// An AuditEntry is one line of a session's audit file.
type AuditEntry struct {
	Phase, Status string
	Timestamp     time.Time
	Rest          json.RawMessage // the whole object
}

const (
	// maxAuditLine is how long a line may be, in bytes without its line end. A
	// longer one is skipped, and none is written.
	maxAuditLine = 64 << 10
	// maxAuditSize is how many bytes are read. Of a larger file these are the last
	// ones, since the newest entries are what a session goes on from.
	maxAuditSize = store.MaxFileSize
	// maxAuditEntries is how many entries Audit returns, the newest ones: parsed,
	// millions of the shortest take a hundred times the memory of the file.
	maxAuditEntries = 100_000
)

// auditGaps are what reading an audit file left out.
type auditGaps struct {
	torn   int   // lines that are no JSON object, as a crash of another program can leave
	long   int   // lines over maxAuditLine
	older  int   // entries before the newest maxAuditEntries
	unread int64 // bytes before those that were read
}

// problems words the gaps.
func (g auditGaps) problems() (list []string) {
	add := func(found bool, format string, args ...any) {
		if found {
			list = append(list, auditFile+fmt.Sprintf(format, args...))
		}
	}
	add(g.torn > 0, " has lines that are no JSON object: %d", g.torn)
	add(g.long > 0, " has lines longer than %d KiB, which are skipped: %d", maxAuditLine>>10, g.long)
	add(g.older > 0, " has more than %d entries: those before the newest are not shown: %d", maxAuditEntries, g.older)
	add(g.unread > 0, " is larger than %d MiB: only its last %[1]d MiB are read", maxAuditSize>>20)
	return list
}

// Audit returns the entries of a session's audit file, in its order: of a file over
// 16 MiB those of the last 16 MiB, and the newest 100,000 of these. It skips and
// counts older entries and lines that are too long or no JSON object. What it does
// not read is among the problems of the session.
func (w Sessions) Audit(ctx context.Context, id string) (entries []AuditEntry, skipped int, err error) {
	if err := w.checkSession(id); err != nil {
		return nil, 0, err
	}
	var lines [][]byte
	gaps, err := w.scanAudit(ctx, id, func(line []byte) {
		if len(lines) == 2*maxAuditEntries {
			lines = slices.Delete(lines, 0, maxAuditEntries)
		}
		lines = append(lines, bytes.Clone(line))
	})
	if err != nil {
		return nil, 0, err
	}
	for _, line := range lines[max(0, len(lines)-maxAuditEntries):] {
		o, err := orderedjson.Parse(line)
		if err != nil {
			gaps.torn++
			continue
		}
		e := AuditEntry{Rest: line}
		fileObject{o}.read(auditFile, []member{{"phase", &e.Phase}, {"status", &e.Status}, {"timestamp", &e.Timestamp}})
		entries = append(entries, e)
	}
	return entries, gaps.torn + gaps.long + gaps.older, nil
}

// auditProblems says what is wrong with a session's audit file. Its error is that
// of the context.
func (w Sessions) auditProblems(ctx context.Context, id string) ([]string, error) {
	gaps, err := w.scanAudit(ctx, id, func([]byte) {})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return []string{auditFile + " " + fileProblem(err)}, nil
	}
	return gaps.problems(), nil
}

// scanAudit calls visit with each entry of a session's audit file, in its order.
// The line is valid during the call only: a single line is in memory at a time,
// since the file may come from a stranger.
func (w Sessions) scanAudit(ctx context.Context, id string, visit func(line []byte)) (gaps auditGaps, err error) {
	p := sessionFile(id, auditFile)
	f, _, err := w.OpenFile(p)
	if err = w.irregular(p, err); errors.Is(err, fs.ErrNotExist) {
		return auditGaps{}, nil
	}
	if err != nil {
		return auditGaps{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() { // since it was looked at
		err = store.ErrIrregular
	}
	if err != nil {
		return auditGaps{}, store.WrapDiskError("read", p, err)
	}
	size := info.Size()
	gaps.unread = max(0, size-maxAuditSize)
	within := false // whether the first line begins before what is read
	if gaps.unread > 0 {
		before := make([]byte, 1)
		if _, err := f.ReadAt(before, gaps.unread-1); err != nil {
			return gaps, store.WrapDiskError("read", p, err)
		}
		within = before[0] != '\n'
	}
	buffer := int(min(size, maxAuditLine)) + 1 // with the line end
	lines := bufio.NewReaderSize(io.NewSectionReader(f, gaps.unread, size-gaps.unread), buffer)
	for entries := 0; ctx.Err() == nil; {
		line, long, err := readLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return gaps, store.WrapDiskError("read", p, err)
		}
		switch line = bytes.TrimSpace(line); {
		case long:
			gaps.long++
		case within || len(line) == 0:
		case isObject(line):
			visit(line)
			entries++
			gaps.older = max(0, entries-maxAuditEntries)
		default:
			gaps.torn++
		}
		within = false
		if err != nil {
			return gaps, nil
		}
	}
	return gaps, ctx.Err()
}

// readLine reads a line, or passes over one that does not fit into the reader's
// buffer.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	line, err = r.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		line, long = nil, true
		_, err = r.ReadSlice('\n')
	}
	return line, long, err
}

// auditLine is a new entry. Its own keys come first, and details cannot
// replace them. field is the caller's value that makes the details long.
func auditLine(field, phase, status string, now time.Time, details fileObject) ([]byte, error) {
	var o fileObject
	o.put("phase", phase)
	o.put("timestamp", &now)
	o.put("status", status)
	for _, m := range details.Object {
		if m.Name != "phase" && m.Name != "timestamp" && m.Name != "status" {
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
