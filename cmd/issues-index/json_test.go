//go:build !windows

package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/store/cachedir"
	"issues-index/tools"
	"issues-index/tools/telemetry"
	"issues-index/tools/toolstest"
)

// Each command that prints an answer prints it as JSON for scripts: one value, and
// nothing else on standard output.
func TestEveryAnswerAsJSON(t *testing.T) {
	t.Parallel()
	tokens, cluster := filepath.Join(t.TempDir(), "tokens.json"), filepath.Join(t.TempDir(), "cluster")
	answers := [][]string{
		{"list"},
		{"list", "--assignee", "nobody"},
		{"search", "hook"},
		{"search", "nothingofthekind"},
		{"show", "SPEC-000004"},
		{"ready"},
		{"prime"},
		{"history", "ISS-000041"},
		{"diff"},
		{"blocked"},
		{"deps", "ISS-000041"},
		{"dep", "add", "ISS-000041", "ISS-000040"},
		{"dep", "rm", "ISS-000041", "ISS-000040"},
		{"stats"},
		{"check"},
		{"new", "A title"},
		{"set", "ISS-000041", "priority=low"},
		{"set", "ISS-000041", "priority=low"},
		{"edit", "ISS-000041"},
		{"append", "ISS-000041", "More."},
		{"tick", "SPEC-000006", "1"},
		{"untick", "SPEC-000006", "1"},
		{"claim", "ISS-000041"},
		{"claim"},
		{"claim", "--label", "nobody has it"},
		{"release", "ISS-000041"},
		{"done", "ISS-000041"},
		{"reopen", "ISS-000041", "ISS-000042"},
		{"delete", "ISS-000041", "--yes"},
		{"undo", "--dry-run"},
		{"undo"},
		{"sessions"},
		{"sessions", "list"},
		{"sessions", "show", "2026-01-22-abc1234-0a1b"},
		{"health"},
		{"telemetry"},
		{"telemetry", "--tool", "none"},
		{"telemetry", "compare"},
		{"sql", "SELECT * FROM labels"},
		{"rebuild"},
		{"export", "html", filepath.Join(t.TempDir(), "pages")},
		{"config", "show"},
		{"config", "check"},
		{"init", "--client", "claude", "--yes"},
		{"version"},
		{"token", "new", "ann", "--tokens", tokens},
		{"token", "list", "--tokens", tokens},
		{"token", "revoke", "ann", "--tokens", tokens},
		{"cluster", "new", cluster, "--nodes", "localhost:4222", "--workspaces", "api"},
		{"cluster", "add", cluster, "laptop", "--workspaces", "api,web"},
	}
	editor := func(name string) string { return map[string]string{"EDITOR": "true"}[name] }
	talk := []string{"serve", "hub", "web", "export", "config", "dep", "completion", "completion bash", "completion zsh", "completion fish", "completion powershell", "help", "merge-driver", "token", "cluster", "cluster init", "cluster status", "cluster verify", "cluster rebuild", "publish"}

	root := sampleCopy(t)
	commitAll(t.Context(), t, root, "begin")
	plantFiles(t, root, map[string]string{
		".wrangler/sessions/2026-01-22-abc1234-0a1b/context.json": `{"id":"2026-01-22-abc1234-0a1b","status":"running"}`,
	})
	if got := runIn(t, root, "rebuild"); got.code != 0 { // makes the folder of the index, and of the calls
		t.Fatal(got.errOut)
	}
	record := telemetry.New(telemetry.Options{
		Place: func(context.Context) (*cachedir.Dir, string, error) {
			dir, err := cachedir.Open(filepath.Join(root, ".wrangler/cache"), 0o777)
			return dir, "telemetry.db", err
		},
		Settings: func() telemetry.RecorderSettings {
			return telemetry.RecorderSettings{Enabled: true, MaxAge: time.Hour, MaxSize: 1e7}
		},
	})
	for _, variant := range []string{"off", "on"} {
		record.Record(tools.Call{Time: time.Now(), Tool: "issues_list", Variant: variant, Outcome: tools.OutcomePlain})
	}
	record.Close()

	untold := commands(t)
	for _, path := range talk {
		delete(untold, path)
	}
	for _, path := range bareCommands(t) {
		if untold[path] != nil && !slices.ContainsFunc(answers, func(args []string) bool { return runs(args, path) }) {
			answers = append(answers, strings.Fields(path))
		}
	}
	for _, args := range answers {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			_, program := tree()
			cmd, _, err := program.Find(args)
			if err != nil {
				t.Fatal(err)
			}
			delete(untold, strings.TrimPrefix(cmd.CommandPath(), "issues-index "))
			got := runWith(t, editor, root, append(args, "--json")...)
			var envelope struct {
				SchemaVersion int
				Kind          string
			}
			if err := json.Unmarshal([]byte(got.out), &envelope); err != nil || envelope.SchemaVersion != schemaVersion || envelope.Kind == "" {
				t.Errorf("it is of %+v, %v", envelope, err)
			}
			if !json.Valid([]byte(got.out)) || !strings.HasSuffix(got.out, "\n") {
				t.Errorf("exit code %d, printed %q and %q", got.code, got.out, got.errOut)
			}
		})
	}
	for path := range untold {
		t.Errorf("%s has no answer here", path)
	}
}

// A failure is an answer of one shape, wherever it comes from; the words for people
// are on standard error as ever.
func TestEveryFailureAsJSON(t *testing.T) {
	root := sampleCopy(t)
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"show", "nothing-like-it", "--json"}, exitFailed},
		{[]string{"show", "ISS-000058", "--json"}, exitFailed},
		{[]string{"set", "nothing-like-it", "status=open", "--json"}, exitFailed},
		{[]string{"sql", "DELETE FROM document", "--json"}, exitFailed},
		{[]string{"delete", "ISS-000041", "--json"}, exitUsage},
		{[]string{"list", "--workspace", "nowhere", "--json"}, exitFailed},
		{[]string{"list", "--type", "bug", "--json"}, exitUsage},
		{[]string{"list", "--staus", "open", "--json"}, exitUsage},
		{[]string{"list", "--limit", "ten", "--json"}, exitUsage},
		{[]string{"show", "--json"}, exitUsage},
		{[]string{"lst", "--json"}, exitUsage},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			got := runIn(t, root, c.args...)
			var answer struct {
				SchemaVersion int
				Kind          string
				failureJSON
			}
			decoder := json.NewDecoder(strings.NewReader(got.out))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&answer); err != nil || decoder.More() {
				t.Fatalf("printed %q: %v", got.out, err)
			}
			if e := answer.Error; got.code != c.code || e.ExitCode != c.code || e.Message == "" || e.Hint == "" {
				t.Errorf("exit code %d, %+v", got.code, e)
			}
			if !strings.Contains(got.errOut, "\nhint: "+answer.Error.Hint+"\n") {
				t.Errorf("standard error has %q", got.errOut)
			}
		})
	}
	for _, args := range [][]string{
		{"check", "--json"},                          // its report is the answer
		{"serve", "--json", "--toolsets", "wagtail"}, // its standard output is the client's
		{"show", "nothing-like-it"},
	} {
		t.Run("not of "+strings.Join(args, " "), func(t *testing.T) {
			if got := runIn(t, root, args...); got.code == 0 || strings.Contains(got.out, "exitCode") {
				t.Errorf("exit code %d, printed %q", got.code, got.out)
			}
		})
	}
}

// plantFiles writes files into a workspace.
func plantFiles(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		toolstest.Write(t, root, name, text)
	}
}

// Whatever stands in a file, no command hands it to the terminal as a command: as
// table, page, message or JSON. The Markdown that show writes into a pipe is the
// file's own, and left alone.
func TestNoCommandLetsAFileDriveTheTerminal(t *testing.T) {
	t.Parallel()
	const attack = `\e]0;owned\a\e[2J\u009b31m\u202e\x7f` // as YAML writes it
	root := sampleCopy(t)
	context := strings.NewReplacer(`\e`, `\u001b`, `\a`, `\u0007`, `\x7f`, `\u007f`).Replace(attack)
	checkpoint := `{"checkpointId":"` + context + `","lastAction":"` + context + `","resumeInstructions":"` + context + `"}`
	plantFiles(t, root, map[string]string{
		".wrangler/issues/ISS-000777-a.md": "---\nid: \"ISS-000777" + attack + "\"\ntitle: \"T" + attack + "\"\nstatus: \"s" + attack + "\"\npriority: \"p" + attack +
			"\"\nlabels: [\"l" + attack + "\"]\nassignee: \"a" + attack + "\"\nproject: \"j" + attack + "\"\nwranglerContext: {k: \"" + attack + "\"}\n---\nneedle \x1b[2J \u009b31m\n",
		".wrangler/issues/ISS-000778-\x1b[2J.md":          "---\nid: ISS-000778\n---\nneedle\n",
		".wrangler/issues/ISS-000778-b.md":                "---\nid: ISS-000778\ntitle: [\n---\nneedle\n",
		".wrangler/sessions/2026-01-22-a/context.json":    `{"id":"2026-01-22-a","specFile":"` + context + `","status":"` + context + `","branchName":"` + context + `","tasksPending":["` + context + `"]}`,
		".wrangler/sessions/2026-01-22-a/checkpoint.json": checkpoint,
		".wrangler/sessions/2026-01-22-a/audit.jsonl":     `{"phase":"` + context + `","timestamp":"2026-01-22T10:00:00Z","status":"` + context + `","more":"` + context + `"}` + "\n",
	})
	for _, args := range [][]string{
		{"list"}, {"list", "--limit", "0"}, {"list", "--label", "l\x1b"}, {"search", "needle"}, {"stats", "--by", "label"}, {"stats"}, {"stats", "--by", "assignee"},
		{"check"}, {"check", "--fix"}, {"show", "ISS-000778"}, {"show", "ISS-000777-a"}, {"show", "ISS-000776"}, {"sessions"}, {"sessions", "show", "2026-01-22-a"},
		{"set", "ISS-000777-a", "priority=low"}, {"done", ".wrangler/issues/ISS-000778-\x1b[2J.md"}, {"delete", "ISS-000778"},
		{"sql", "SELECT * FROM documents"}, {"sql", "SELECT * FROM problems"}, {"sql", "SELECT char(27), char(155)"}, {"sql", "SELECT '\x1b[2J' FROM nothing"},
		{"__complete", "show", ""}, {"__complete", "list", "--label", ""}, {"__complete", "sessions", "show", ""}, {"__complete", "set", "ISS-000041", "assignee="},
		{"health"}, {"rebuild"},
	} {
		for _, args := range [][]string{args, append([]string{"--json"}, args...)} {
			got := runIn(t, root, args...)
			page := got.out + got.errOut
			if args[0] == "show" && got.code == 0 {
				page, _, _ = strings.Cut(page, "\n\n") // the file's own text follows
			}
			page = strings.NewReplacer("\t", " ", "\r", " ").Replace(page)
			if terminal.Harmless(page) != page {
				t.Errorf("%q prints %q", args, page)
			}
		}
	}
}
