// Package session is the toolset of work sessions: an agent starts one on a
// specification, records its phases and checkpoints, and the next agent resumes
// from what is on disk. One file a tool, each with its definition, its handler
// and its answer in both channels; errors.go words what can go wrong.
//
// It knows nothing about the files of a session, git or MCP. Its invariants:
//
//   - text and structured output say the same, and each is enough to go on;
//   - the first line says what happened and what to call next;
//   - an answer that is cut to fit names the files that have all of it;
//   - a change that is answered is on disk.
package session

import (
	"encoding/json"
	"path"
	"strings"
	"time"

	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools"
)

// lockWait is how long a change waits for the lock that other writers hold. A
// start waits as long as its call may take, since git comes before the lock.
const lockWait = 10 * time.Second

// guide is what a client is told before it calls any of the tools.
const guide = "A session is work on a specification: session_get finds one to resume, session_start begins one."

// Toolset returns the tools that serve the sessions of a workspace.
func Toolset(ws *store.Workspace) tools.Toolset { return toolset(ws, lockWait) }

func toolset(ws *store.Workspace, wait time.Duration) tools.Toolset {
	all := []tools.Tool{
		start(ws),
		phase(ws, wait),
		checkpoint(ws, wait),
		complete(ws, wait),
		get(ws),
	}
	for i := range all {
		all[i].Also, all[i].Meant = idNames, otherNames
	}
	return tools.Toolset{Name: "session", Guide: guide, Tools: all}
}

// idNames are other names that are taken for an argument, and otherNames those that a
// refusal answers with the right one.
var (
	idNames = map[string][]string{
		"sessionId": {"session", "id"},
		"specFile":  {"spec", "specification", "specId", "specificationId", "file", "path", "id"},
	}
	otherNames = map[string][]string{
		"workingDirectory":   {"cwd", "dir", "directory", "worktree"},
		"phase":              {"name", "step", "stage"},
		"status":             {"state", "outcome", "result"},
		"metadata":           {"data", "details", "context"},
		"tasksCompleted":     {"completed", "done", "completedTasks"},
		"tasksPending":       {"pending", "remaining", "pendingTasks", "todo"},
		"lastAction":         {"last", "action"},
		"resumeInstructions": {"resume", "instructions", "next", "nextSteps"},
		"variables":          {"vars", "state", "context"},
		"prUrl":              {"pr", "pullRequest", "url"},
		"summary":            {"note", "message", "description"},
	}
)

// Fragments of JSON schema that several tools share.
const (
	anyText  = `{"type":"string"}`
	anyTexts = `{"type":"array","items":` + anyText + `}`
	number   = `{"type":"integer"}`
	anything = `{"type":"object","properties":{}}`
)

// lines is a text of fields, each on its own line; empty ones are left out.
type lines []string

func (l *lines) add(name, value string) {
	if value != "" {
		*l = append(*l, name+": "+words.OneLine(value))
	}
}

func (l lines) String() string { return strings.Join(l, "\n") }

// oneLined are the entries of a list, each in one line.
func oneLined(list []string) []string {
	entries := make([]string, len(list))
	for i, entry := range list {
		entries[i] = words.OneLine(entry)
	}
	return entries
}

// The files of a session.
const (
	contextFile    = "context.json"
	checkpointFile = "checkpoint.json"
)

// fileOf is where a session's file is, relative to the workspace.
func fileOf(id, name string) string { return path.Join(".wrangler/sessions", id, name) }

// inFile says where the rest of an answer is that had to be cut.
func inFile(id, name string) string { return fileOf(id, name) + " has all of it." }

// stamp is a time to the millisecond, "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// object is a JSON object that the caller gave, or gave the text of; nil when it
// gave none.
func object(args *tools.Args, name string) json.RawMessage {
	if args.Members(name) == nil {
		return nil
	}
	raw := args.JSON(name)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return json.RawMessage(text)
	}
	return raw
}
