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
		"leaseMinutes reason agentId ifFence ifVersion priority labels assignee project types type where",
	"session_start":      "workingDirectory",
	"session_phase":      "sessionId phase status metadata",
	"session_checkpoint": "sessionId tasksCompleted tasksPending lastAction resumeInstructions variables",
	"session_complete":   "sessionId status prUrl prNumber summary",
}

// A hub finds the machine with the files by the ids of a call, which a tool declares. No argument
// is left undecided.
func TestEveryArgumentOfAToolThatWritesIsAnIDOrNone(t *testing.T) {
	type object struct{ Properties map[string]json.RawMessage }
	for _, set := range toolsets(connectors{}, func(name string) bool { return name == "issues" || name == "session" }) {
		for _, tool := range set.Tools {
			if tool.ReadOnly {
				continue
			}
			names := slices.Clone(tool.Takes)
			var input object
			if err := json.Unmarshal(tool.Input, &input); err != nil {
				t.Fatal(err)
			}
			for name, property := range input.Properties {
				var of struct {
					object
					Items object
				}
				if err := json.Unmarshal(property, &of); err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
				for _, members := range []object{of.object, of.Items} {
					for member := range members.Properties {
						names = append(names, name+"."+member)
					}
				}
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
