package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// notIDs are the arguments of tools that write which name no document: a hub sends them as they
// are.
var notIDs = map[string]string{
	"issues_create":        "title description type status priority labels assignee project wranglerContext allowDuplicateTitle",
	"issues_update":        "title description type status priority labels assignee project wranglerContext ifVersion addLabels removeLabels",
	"issues_update_batch":  "updates updates.status updates.priority updates.labels updates.assignee updates.project updates.ifVersion updates.addLabels updates.removeLabels",
	"issues_edit":          "edits edits.op edits.section edits.find edits.count edits.text edits.boxes op section find count text boxes ifVersion",
	"issues_delete":        "confirm ifVersion",
	"issues_labels":        "operation labels cursor",
	"issues_projects":      "operation project cursor",
	"issues_metadata":      "operation key value",
	"issues_mark_complete": "note ifVersion",
	"issues_claim": "operation filters filters.labels filters.project filters.where filters.priority filters.assignee filters.types filters.type " +
		"leaseMinutes reason agentId ifFence ifVersion priority labels assignee project types type where local",
	"session_start":      "workingDirectory",
	"session_phase":      "sessionId phase status metadata",
	"session_checkpoint": "sessionId tasksCompleted tasksPending lastAction resumeInstructions variables",
	"session_complete":   "sessionId status prUrl prNumber summary",
}

// A hub finds the machine with the files by the ids of a call, which a tool declares. No argument
// is left undecided.
func TestEveryArgumentOfAToolThatWritesIsAnIDOrNone(t *testing.T) {
	for _, set := range toolsets(connectors{}, func(name string) bool { return name == "issues" || name == "session" }) {
		for _, tool := range set.Tools {
			if tool.ReadOnly {
				continue
			}
			names := append(argumentsOf(t, tool.Input, ""), tool.Takes...)
			if len(names) == 0 {
				t.Errorf("%s has no arguments", tool.Name)
			}
			for name, members := range tool.TakesIn {
				for _, member := range members {
					names = append(names, name+"."+member)
				}
			}
			plain := strings.Fields(notIDs[tool.Name])
			for _, name := range names {
				if name != "workspace" && slices.Contains(tool.IDs, name) == slices.Contains(plain, name) {
					t.Errorf("whether %s of %s names a document is not said: add it to the tool's IDs or to notIDs", name, tool.Name)
				}
			}
			for _, id := range tool.IDs {
				if object, _, _ := strings.Cut(id, "."); !slices.Contains(names, object) {
					t.Errorf("%s has no argument %s", tool.Name, id)
				}
			}
		}
	}
}

// argumentsOf are the paths of the properties of a schema and of the objects in it. Each begins
// with a prefix, and has a dot before the name within an object.
func argumentsOf(t *testing.T, schema json.RawMessage, prefix string) (paths []string) {
	t.Helper()
	var object struct {
		Properties map[string]json.RawMessage
		Items      json.RawMessage
	}
	if len(schema) == 0 || schema[0] != '{' {
		return nil
	}
	if err := json.Unmarshal(schema, &object); err != nil {
		t.Fatal(err)
	}
	for name, inner := range object.Properties {
		paths = append(append(paths, prefix+name), argumentsOf(t, inner, prefix+name+".")...)
	}
	return append(paths, argumentsOf(t, object.Items, prefix)...)
}
