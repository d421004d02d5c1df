//go:build !windows

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"issues-index/store/storetest"
)

// piped is how many things each listing of TestAPipeGetsEverything has.
const piped = 200

// A listing is a command that lists things.
type listing struct {
	args   string // with blanks between them
	things string // what each of them has in the output, as a pattern
	format string // for --format, where the command has that flag
}

// listings are the commands that list things, by their paths. Each has 200 to list.
var listings = map[string][]listing{
	"list": {
		{"list -l free", `FREE-\d+`, "{{.Title}}"},
		{"list @recent", `FREE-\d+`, "{{.Title}}"},
		{"list --where label:free", `FREE-\d+`, "{{.Title}}"},
	},
	"ready":         {{"ready", `FREE-\d+`, "{{.Title}}"}},
	"blocked":       {{"blocked", `WAITS-\d+`, "{{.Title}}"}},
	"search":        {{"search needle", `FREE-\d+`, "{{.Title}}"}},
	"show":          {{"show SPEC-1", `ISS-000[234]\d\d`, ""}, {"show SPEC-2", `ISS-000[234]\d\d`, ""}},
	"deps":          {{"deps SPEC-1", `ISS-000[234]\d\d`, "mermaid"}, {"deps --down SPEC-1", `ISS-000[234]\d\d`, "dot"}},
	"history":       {{"history ISS-100", `Change \d+`, ""}},
	"diff":          {{"diff", `WAITS-\d+`, ""}},
	"stats":         {{"stats --by label", `own-\d+`, ""}},
	"check":         {{"check", `gone-\d+`, ""}, {"check", `odd-\d+`, ""}},
	"sessions":      {{"sessions", `2026-01-22-\d+`, ""}},
	"sessions list": {{"sessions list", `2026-01-22-\d+`, ""}},
	"sessions show": {{"sessions show 2026-01-22-100", `phase-\d+`, ""}},
	"sql":           {{"sql SELECT(title)FROM(documents)", `FREE-\d+`, ""}},
}

// unlisted are the other commands, by the reason why nothing can be missing there.
var unlisted = map[string]string{
	"changes, and says so of each document": "append,claim,delete,dep add,dep rm,done,edit,new,release," +
		"reopen,set,tick,undo,untick",
	"lists no documents, and all it has": "config check,config show,health,telemetry,telemetry compare," +
		"token list,version",
	"serves, and says how":         "hub,publish,serve,web",
	"writes files, and says which": "export html,init,rebuild,token new,token revoke",
	"is about a team's machines": "cluster add,cluster init,cluster new,cluster rebuild," +
		"cluster status,cluster verify",
	"is never longer, as its help says": "prime",
	"is read by git or a shell": "completion bash,completion fish,completion powershell,completion zsh," +
		"help,merge-driver",
	"is a group of commands": "cluster,completion,config,dep,export,token",
}

// A command behind a pipe cannot see that a list was cut. So none is: in no form, and by no
// command. A command that is in no table runs without arguments: it may leave nothing out that it
// shows with --limit 0, and has nothing to say beside its answer. If it needs arguments, or has
// more to say, it has to be put into one of the tables.
func TestAPipeGetsEverything(t *testing.T) {
	t.Parallel()
	all := commands(t)
	known := slices.Collect(maps.Keys(listings))
	for _, paths := range unlisted {
		known = append(known, strings.Split(paths, ",")...)
	}
	bare := bareCommands(t)
	var untold []string
	for path := range all {
		switch {
		case slices.Contains(known, path):
		case slices.Contains(bare, path):
			untold = append(untold, path)
		default:
			t.Errorf("%s needs arguments, and is in no table", path)
		}
	}
	for _, path := range known {
		if all[path] == nil {
			t.Errorf("there is no command %s", path)
		}
	}
	root := largeWorkspace(t)
	for _, path := range untold {
		for _, form := range [][]string{nil, {"--json"}} {
			args := append(strings.Fields(path), form...)
			whole := slices.Clone(args)
			if all[path].Flag("limit") != nil {
				whole = append(whole, "--limit", "0")
			}
			got, want := runIn(t, root, args...), runIn(t, root, whole...)
			if got != want || got.errOut != "" {
				t.Errorf("%q: %+v, without a limit %+v; put it into a table", args, got, want)
			}
		}
	}
	for path, of := range listings {
		for _, l := range of {
			forms := []string{"", "--json", "--jq .", "--tree"}
			forms = append(forms, "--csv", "--columns title", "--format "+l.format)
			for _, form := range forms {
				name, _, _ := strings.Cut(strings.TrimPrefix(form, "--"), " ")
				if name != "" && all[path].Flag(name) == nil || !storetest.Long() && rand.IntN(2) == 0 {
					continue
				}
				t.Run(l.args+" "+form, func(t *testing.T) {
					got := runIn(t, root, strings.Fields(l.args+" "+form)...)
					found := regexp.MustCompile(l.things).FindAllString(got.out, -1)
					slices.Sort(found)
					if n := len(slices.Compact(found)); n != piped {
						t.Errorf("%d of %d; it says %q", n, piped, got.errOut)
					}
				})
			}
		}
	}
}

// largeWorkspace is a repository with 200 of each: documents that can be begun, documents that
// wait for SPEC-1 below SPEC-2, commits of ISS-100, labels, problems, hints, and sessions.
func largeWorkspace(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	document := func(id, title, keys string) string {
		return fmt.Sprintf("---\nid: %s\ntitle: %s\nstatus: open\n%s---\n", id, title, keys)
	}
	files := map[string]string{
		".wrangler/specifications/SPEC-000001-a.md": document("SPEC-000001", "Blocks", "deferUntil: 2999-01-01\n"),
		".wrangler/specifications/SPEC-000002-b.md": document("SPEC-000002", "Above", ""),
	}
	var audit strings.Builder
	for i := 1; i <= piped; i++ {
		free, waits, session := fmt.Sprintf("ISS-%06d", i), fmt.Sprintf("ISS-%06d", piped+i), fmt.Sprint("2026-01-22-", i)
		keys := fmt.Sprintf("labels: [free, own-%d]\npriority: odd-%d\n", i, i)
		files[".wrangler/issues/"+free+"-a.md"] = document(free, fmt.Sprint("FREE-", i), keys) +
			fmt.Sprintf("needle [x](gone-%d.md)\n", i)
		files[".wrangler/issues/"+waits+"-b.md"] = document(waits, fmt.Sprint("WAITS-", i),
			"dependsOn: [SPEC-000001]\nparent: SPEC-000002\n")
		files[".wrangler/sessions/"+session+"/context.json"] = fmt.Sprintf(`{"id":%q,"status":"running"}`, session)
		fmt.Fprintf(&audit, `{"phase":"phase-%d","timestamp":"2026-01-22T10:00:00Z","status":"done"}`+"\n", i)
	}
	files[".wrangler/sessions/2026-01-22-100/audit.jsonl"] = audit.String()
	plantFiles(t, root, files)
	var stream bytes.Buffer
	for i := 1; i <= piped; i++ {
		subject, text := fmt.Sprintf("Change %d", i), document("ISS-000100", fmt.Sprint("Title ", i), "")
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata %d\n%s\n",
			1_700_000_000+i, len(subject), subject)
		fmt.Fprintf(&stream, "M 644 inline .wrangler/issues/ISS-000100-a.md\ndata %d\n%s\n", len(text), text)
	}
	git(t.Context(), t, root, "init", "-q", "-b", "main")
	imported := exec.CommandContext(t.Context(), "git", "fast-import", "--quiet")
	imported.Dir, imported.Stdin = root, &stream
	if out, err := imported.CombinedOutput(); err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	git(t.Context(), t, root, "reset", "-q")
	return root
}
