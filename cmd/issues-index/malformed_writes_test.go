//go:build !windows

package main

// refusedWrites are calls of tools that write which must change nothing.
var refusedWrites = map[string][]malformedCall{
	"fields in a wrapper": {
		{tool: "issues_update", args: `{"id":"ISS-000041","fields":{"status":"closed"}}`, code: "VALIDATION_ERROR", says: []string{"'fields', nothing was changed", "beside the other arguments"}},
		{tool: "issues_update", args: `{"id":"ISS-000041","updates":{"status":"closed"}}`, code: "VALIDATION_ERROR", says: []string{"beside the other arguments"}},
		{tool: "issues_update", args: `{"id":"ISS-000041","changes":{"title":"x"}}`, code: "VALIDATION_ERROR", says: []string{"beside the other arguments"}},
	},
	"arguments under another name": {
		{tool: "issues_update", args: `{"id":"ISS-000041","body":"x"}`, code: "VALIDATION_ERROR", says: []string{"Did you mean description?"}},
		{tool: "issues_update", args: `{"id":"ISS-000041","tags":["x"]}`, code: "VALIDATION_ERROR", says: []string{"Did you mean labels?"}},
		{tool: "issues_update", args: `{"id":"ISS-000041","state":"closed"}`, code: "VALIDATION_ERROR", says: []string{"Did you mean status?"}},
		{tool: "issues_update", args: `{"id":"ISS-000041","comment":"x"}`, code: "VALIDATION_ERROR", says: []string{"'comment', nothing was changed", "issues_update takes id"}},
		{tool: "issues_update", args: `{"id":"ISS-000041","parentTaskId":"ISS-000042"}`, code: "VALIDATION_ERROR", says: []string{"wranglerContext: {parentTaskId"}},
		{tool: "issues_mark_complete", args: `{"id":"ISS-000041","comment":"x"}`, code: "VALIDATION_ERROR", says: []string{"Did you mean note?"}},
		{tool: "issues_labels", args: `{"operation":"add","issueId":"ISS-000041","tags":["x"]}`, code: "VALIDATION_ERROR", says: []string{"Did you mean labels?"}},
		{tool: "issues_labels", args: `{"operation":"list","labels":["docs"]}`, code: "VALIDATION_ERROR", says: []string{"issues_list"}},
		{tool: "issues_labels", args: `{"operation":"delete","issueId":"ISS-000041","labels":["cli"]}`, code: "VALIDATION_ERROR", says: []string{"Did you mean remove?"}},
		{tool: "issues_create", args: `{"title":"New","content":"x"}`, code: "VALIDATION_ERROR", says: []string{"Did you mean description?", "Missing required argument description"}},
		{tool: "issues_create", args: `{"name":"New","description":"x"}`, code: "VALIDATION_ERROR", says: []string{"Did you mean title?"}},
		{tool: "issues_create", args: `{"title":"New","description":"x","parent":"ISS-000042"}`, code: "VALIDATION_ERROR", says: []string{"wranglerContext: {parentTaskId"}},
		{tool: "issues_create", args: `{"title":"New","description":"x","parentTaskId":"ISS-000042"}`, code: "VALIDATION_ERROR", says: []string{"belongs in wranglerContext"}},
		{tool: "issues_create", args: `{"title":"New","description":"x","type":"bug"}`, code: "VALIDATION_ERROR", says: []string{"Did you mean issue?"}},
		{tool: "session_complete", args: `{"id":"x","status":"done","note":"x"}`, code: "VALIDATION_ERROR", says: []string{"Did you mean summary?", "Did you mean completed?"}},
	},
	"values that are missing or empty": {
		{tool: "issues_create", args: `{"title":"New"}`, code: "MISSING_REQUIRED_FIELD", says: []string{"Missing required argument description."}},
		{tool: "issues_create", args: `{"title":"New","description":""}`, code: "MISSING_REQUIRED_FIELD", says: []string{"description: it is empty"}},
		{tool: "issues_create", args: `{}`, code: "MISSING_REQUIRED_FIELD", says: []string{"argument title", "argument description"}},
		{tool: "issues_update", args: `{"id":"ISS-000041"}`, says: []string{"No changes", "no field to change was given beside id"}},
		{tool: "issues_update", args: `{"status":"closed"}`, code: "MISSING_REQUIRED_FIELD", says: []string{"argument id"}},
		{tool: "issues_update", args: `{"id":"ISS-000041","status":"all"}`, code: "VALIDATION_ERROR", says: []string{"Valid values: open"}},
		{tool: "issues_delete", args: `{"id":"ISS-000041"}`, code: "PERMISSION_DENIED", says: []string{"confirm: true"}},
		{tool: "issues_delete", args: `{"id":"ISS-000041","confirm":"yes"}`, code: "VALIDATION_ERROR", says: []string{"true or false"}},
		{tool: "issues_delete", args: `{"id":"ISS-000041","force":true}`, code: "VALIDATION_ERROR", says: []string{"Did you mean confirm?"}},
		{tool: "issues_metadata", args: `{"issueId":"ISS-000041","operation":"set","value":1}`, code: "MISSING_REQUIRED_FIELD", says: []string{"argument key"}},
	},
	"batches that are nested in another way": {
		{tool: "issues_update_batch", args: `{"ids":["ISS-000041"],"priority":"low"}`, code: "VALIDATION_ERROR", says: []string{"'ids'", "'priority'", "updates: [{id: 'ISS-000042', status: 'closed'}"}},
		{tool: "issues_update_batch", args: `{"updates":[{"id":"ISS-000041","fields":{"status":"closed"}}]}`, code: "VALIDATION_ERROR", says: []string{"None of 1 updates", "fields"}},
		{tool: "issues_update_batch", args: `{"updates":[{"status":"closed"}]}`, code: "MISSING_REQUIRED_FIELD", says: []string{"None of 1 updates", "updates[0].id"}},
		{tool: "issues_update_batch", args: `{"updates":[{"id":"ISS-000098","status":"closed"},{"id":"ISS-000099","status":"closed"}]}`, code: "ISSUE_NOT_FOUND", says: []string{"ISS-000098", "ISS-000099"}},
		{tool: "issues_update_batch", args: `{"updates":[{"id":"ISS-000098","status":"closed"},{"id":"ISS-000041","status":"done"}]}`, code: "VALIDATION_ERROR", says: []string{"ISS-000098", "Did you mean closed?"}},
		{tool: "issues_update_batch", args: `{"updates":["ISS-000041"]}`, code: "VALIDATION_ERROR", says: []string{"updates[0]: got 'ISS-000041'"}},
		{tool: "issues_update_batch", args: `{"updates":[]}`, code: "MISSING_REQUIRED_FIELD", says: []string{"updates: it is empty"}},
		{tool: "issues_update_batch", args: `{"issues":[{"id":"ISS-000041","status":"closed"}]}`, code: "VALIDATION_ERROR", says: []string{"Pass updates: ["}},
	},
}

// takenWrites are calls of tools that write which do what is meant, one after the other.
var takenWrites = []malformedCall{
	{tool: "issues_update", args: `{"issueId":"ISS-000041","priority":"low"}`, says: []string{"priority: high → low"}},
	{tool: "issues_update", args: `{"issue_id":"#41","priority":["medium"]}`, says: []string{"priority: low → medium"}},
	{tool: "issues_update", args: `{"path":".wrangler/issues/ISS-000041-hook.md","labels":"a,b"}`, says: []string{"a, b"}},
	{tool: "issues_update", args: `{"arguments":{"id":"ISS41","labels":["cli"]}}`, says: []string{"ISS-000041"}},
	{tool: "issues_update_batch", args: `{"updates":[{"issueId":"ISS-000041","priority":"high"}]}`, says: []string{"1 of 1 updated"}},
	{tool: "issues_update_batch", args: `{"updates":{"id":"ISS-000041","priority":"low"}}`, says: []string{"1 of 1 updated"}},
	{tool: "issues_update_batch", args: `{"updates":"[{\"id\":\"ISS-000041\",\"priority\":\"high\"}]"}`, says: []string{"1 of 1 updated"}},
	{tool: "issues_update_batch", args: `{"updates":[{"id":"ISS-000041","priority":"low"},{"id":"ISS-000099","priority":"low"}]}`, says: []string{"1 of 2 updated. Failed: ISS-000099."}},
	{tool: "issues_labels", args: `{"operation":"add","id":"ISS-000041","labels":"x"}`, says: []string{"cli, x"}},
	{tool: "issues_projects", args: `{"operation":"add","id":"ISS-000041","project":"p"}`, says: []string{"project now: p"}},
	{tool: "issues_metadata", args: `{"operation":"get","id":"ISS-000041"}`, says: []string{"ISS-000041"}},
	{tool: "issues_create", args: `{"title":"Newer","description":"x","labels":"a,b","status":["open"]}`, says: []string{"Created issue \"Newer\""}},
	{tool: "session_start", args: `{"specFile":"SPEC-000004"}`, says: []string{"Started session"}},
	{tool: "session_start", args: `{"spec":"spec-000004"}`, says: []string{"Started session"}},
	{tool: "issues_mark_complete", args: `{"issue":"41"}`, says: []string{"Completed ISS-000041"}},
	{tool: "issues_delete", args: `{"issueId":"ISS-000042","confirm":"true"}`, says: []string{"Deleted ISS-000042"}},
}
