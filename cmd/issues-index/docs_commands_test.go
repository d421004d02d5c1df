//go:build !windows

package main

// Why some commands are not run, and the tests that do what they say.
const (
	noGo      = "the go command is not the program: TestDocumentedTestsExist and TestNewcomer"
	noCluster = "it needs a cluster: TestClusterCommands, TestPublishOnce and TestHubsShowAndWriteWhatMachinesHave"
	noClient  = "it needs the client's own program: TestDocumentedClientEntries"
	noSite    = "it needs the server of the connector: TestScript"
)

// docRows are the commands of the README and of docs, each without what explains it.
var docRows = map[string]docRow{
	// The README.
	"git clone <this repository> issues-index":                   {elsewhere: noGo},
	"cd issues-index":                                            {elsewhere: noGo},
	"go install ./cmd/issues-index":                              {elsewhere: noGo},
	"go run ./cmd/issues-index list --workspace testdata/sample": {elsewhere: noGo},
	"go test ./...":                                              {elsewhere: noGo},
	"issues-index new 'Parse dates without a year' --label parser --priority high --body ''": {
		out:   `ISS-000181.*\.wrangler/issues/ISS-000181-parse-dates-without-a-year\.md`,
		then:  "cat .wrangler/issues/ISS-000181-*",
		shows: `title: Parse dates without a year.*priority: high.*labels:\s+- parser`,
	},
	"issues-index new 'Write the release notes' --body ''": {
		out: `ISS-000181`, then: "cat .wrangler/issues/ISS-000181-*", shows: "title: Write the release notes",
	},
	"issues-index list": {out: `ID +STATUS.*(ISS-.*\n){180}`, not: "more"},
	"issues-index set 1 status=in_progress assignee=ann": {
		out:   `ISS-000001.*status open → in_progress`,
		then:  "cat .wrangler/issues/ISS-000001-*",
		shows: `status: in_progress.*assignee: ann`,
	},
	"issues-index show 1": {
		out: `Work on part 1\s+id +ISS-000001.*read by git hooks`,
	},
	"issues-index search dates": {
		out:   `ISS-000`,
		then:  "issues-index search dates --json --jq .totalCount",
		shows: `^180\n`,
	},
	"issues-index done 2 --note 'Published.'": {
		then:  "cat .wrangler/issues/archived/ISS-000002-*",
		shows: `status: closed.*Published\.`,
	},
	"issues-index init --client claude": {
		out:   `\+ +"issues": \{`,
		code:  2,
		then:  "ls -a",
		shows: "notes",
	},
	"issues-index list -s open -p high,critical": {
		out: `(ISS-\d+ +open +(high|critical).*\n)+`,
		not: `closed|in_progress|medium|low `,
	},
	"issues-index list --where 'is:blocked or updated < -30d'": {out: "ISS-000041"},
	"issues-index ready":                                            {out: `^ID.*critical`, not: "ISS-000041|closed"},
	"issues-index deps ISS-000041":                                  {out: "ISS-000012"},
	"issues-index search git hooks":                                 {out: "ISS-000"},
	`issues-index search '"words in a row" OR title:word -without'`: {out: "ISS-000"},
	"issues-index show ISS-000041":                                  {out: `ISS-000041.*SPEC-000007`},
	"issues-index stats --by label":                                 {out: `(45 +api|api +45)`},
	"issues-index new 'Sort by relevance'": {
		out:   "ISS-000181",
		then:  "cat .wrangler/issues/ISS-000181-*",
		shows: "title: Sort by relevance",
	},
	"issues-index set 41 status=in_progress": {
		setup: "issues-index set 41 status=open",
		out:   "status open → in_progress",
	},
	"issues-index edit 41": {
		setup: "printf '#!/bin/sh\\necho More. >> \"$1\"\\n' > ed; chmod +x ed",
		then:  "EDITOR=$PWD/ed VISUAL=$PWD/ed issues-index edit 41; cat .wrangler/issues/ISS-000041-*",
		shows: `More\.`,
	},
	"issues-index append 41 'Seen again.'": {
		then:  "tail -n 1 .wrangler/issues/ISS-000041-*",
		shows: `^Seen again\.\n$`,
	},
	"issues-index tick 41 2 3": {
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: `- \[ \] Parse\n- \[x\] Test\n- \[x\] Cache`,
	},
	"issues-index claim": {
		out:   `ISS-\d+`,
		then:  "issues-index list -s in_progress -p critical",
		shows: "ISS-",
	},
	"issues-index set 41 42 labels+=later": {
		then:  "issues-index list -l later",
		shows: `ISS-000041.*ISS-000042|ISS-000042.*ISS-000041`,
	},
	"issues-index done 41 --note 'Merged.'": {
		then:  "cat .wrangler/issues/archived/ISS-000041-*",
		shows: `status: closed.*Merged\.`,
	},
	"issues-index delete 41": {
		code:  2,
		out:   "--yes",
		then:  "ls .wrangler/issues; issues-index delete 41 --yes; ! ls .wrangler/issues/ISS-000041-part-41.md",
		shows: "ISS-000041-part-41.md.*ISS-000041",
	},
	"issues-index undo": {
		setup: "issues-index set 1 assignee=ann",
		then:  "cat .wrangler/issues/ISS-000001-*; ! grep assignee .wrangler/issues/ISS-000001-*",
		shows: "ISS-000001",
	},
	"issues-index undo --list": {setup: "issues-index set 1 assignee=ann", out: "set +you .*ISS-000001"},
	"issues-index undo --of claude-code": {
		setup: "ISSUES_INDEX_HOLDER=claude-code/6vfmpf issues-index set 1 assignee=ann",
		then:  "! grep assignee .wrangler/issues/ISS-000001-*",
		out:   "Took back set by claude-code/6vfmpf",
	},
	"issues-index sessions":           {out: "No sessions"},
	"issues-index history ISS-000041": {out: `in_progress`},
	"issues-index diff main...":       {out: "ISS-000042", not: "ISS-000041"},
	"issues-index check": {
		out: "closed-with-open-boxes.*No problems in 200 documents",
	},
	"issues-index web": {page: "/", out: `200 <nil>.*ISS-`},
	"issues-index sql 'SELECT * FROM stats_by_status'": {out: `closed.*36|36.*closed`},
	"issues-index version":                             {out: "^issues-index .*go1"},
	"issues-index --help":                              {out: "Look:.*Change:.*Work:.*Agents:.*Team:"},
	"issues-index health":                              {out: `index +readable.*documents +200`},
	"issues-index telemetry --since 7d":                {setup: callOfServer, out: "issues_list +1"},
	"issues-index config show":                         {out: "tokenBudgetThreshold"},
	"issues-index rebuild":                             {setup: ":", out: "200 documents"},
	"issues-index completion zsh":                      {out: "#compdef issues-index"},
	"issues-index init": {
		setup: "rm -r .wrangler", code: 2, out: `\.wrangler/issues/.*File to make`,
		then:  "issues-index init --yes; ls .wrangler; cat .wrangler/views.yaml",
		shows: "ideas.*issues.*specifications.*unassigned:",
	},
	"issues-index serve": {
		stdin: handshake + `{"jsonrpc":"2.0","id":2,"method":"tools/call",` +
			`"params":{"name":"issues_get","arguments":{"id":"ISS-000041"}}}` + "\n",
		out: "Work on part 41",
	},
	"issues-index check --fix duplicate-id": {
		setup: "sed s/ISS-000012/ISS-000011/ .wrangler/issues/ISS-000012-* > .wrangler/issues/ISS-000011-again.md",
		code:  1,
		out:   "ISS-000011-again",
		then:  "issues-index check --fix duplicate-id --yes; issues-index check",
		shows: "No problems in 201 documents",
	},

	// Clients.
	"claude mcp add --scope user issues -- issues-index serve": {elsewhere: noClient},
	"claude --plugin-dir plugin": {
		elsewhere: "it needs the client's own program: TestPluginIsAsClientsWantIt",
	},
	"claude mcp add --transport http issues http://127.0.0.1:8080/mcp": {elsewhere: noClient},
	"issues-index prime":                  {out: "ISS-"},
	"issues-index prime --as claude-code": {out: "ISS-"},

	// Commands.
	"issues-index reopen 41 42": {
		setup: "issues-index done 41 42",
		then:  "issues-index list -s open",
		shows: "ISS-000041.*ISS-000042|ISS-000042.*ISS-000041",
	},
	"issues-index list -l parser --format '{{.ID}}' | issues-index set - assignee=ann": {
		then:  "issues-index list -a --assignee ann --json --jq .totalCount",
		shows: `^45\n`,
	},
	"issues-index set 41 labels+=later,parser": {
		then:  "issues-index list -l later -l parser --json --jq '.documents[]|select(.id==\"ISS-000041\")|.labels'",
		shows: `later.*parser|parser.*later`,
	},
	"issues-index set 41 labels=+later,-parser": {
		then:  "issues-index show 41 --json",
		shows: `"labels": \[\s*"later"\s*\]`,
	},
	"issues-index set 41 --label later -l -parser": {
		then:  "issues-index show 41 --json",
		shows: `"labels": \[\s*"later"\s*\]`,
	},
	"issues-index set 41 labels=later": {
		then:  "issues-index show 41 --json",
		shows: `"labels": \[\s*"later"\s*\]`,
	},
	"issues-index new 'A title' --label +later": {
		then:  "cat .wrangler/issues/ISS-000181-*",
		shows: `labels:\s+- later`,
	},
	"issues-index init --client claude --client vscode": {
		code: 2,
		out:  `\.mcp\.json.*\.vscode/mcp\.json`,
	},
	"issues-index init --git": {
		code: 2,
		out:  `merge=issues-index.*merge\.issues-index\.driver`,
	},

	// Configuration and connectors.
	"issues-index config check FILE": {
		setup: "printf 'output: text\\n' > FILE",
		then:  "printf 'outptu: x\\n' > FILE; ! issues-index config check FILE",
		shows: "FILE:1",
	},
	"WAGTAIL_BASE_URL=https://www.example.org issues-index serve --toolsets wagtail": {
		elsewhere: noSite,
	},
	"pdpp connect https://rs.example.org": {
		elsewhere: "it is another program: TestScript",
	},
	`PDPP_PROVIDER_URL=https://rs.example.org PDPP_CACHE_ROOT="$PWD/.pdpp" issues-index serve --toolsets pdpp`: {
		elsewhere: noSite,
	},
	"issues-index serve --env-file .env": {
		setup: "echo ISSUES_INDEX_LOG_LEVEL=info > .env",
	},

	// Git.
	"issues-index history 41 --field status":    {out: `status: open → in_progress.*status: \(none\) → open`},
	"issues-index history 41 --since 2w --json": {out: `"kind": "history".*Begin ISS-000041`},
	"issues-index diff": {
		setup: "issues-index set 1 priority=low",
		out:   "ISS-000001",
		not:   "ISS-000041|ISS-000042",
	},
	"issues-index diff v1.2 --type issue --json": {out: `ISS-00004[12].*ISS-00004[12]`},
	"issues-index check --since origin/main":     {out: "problems"},

	"issues-index check --fix duplicate-id --dry-run": {
		setup: duplicate,
		code:  1,
		out:   `formerIds:\s.*- ISS-000002.*fingerprint [a-z0-9]{10}`,
		then:  "ls .wrangler/issues",
		shows: "ISS-000002-rain.md",
	},
	"issues-index check --fix duplicate-id --yes": {
		setup: duplicate,
		out:   "formerIds",
		then:  "issues-index check",
		shows: "No problems in 201 documents",
	},
	"issues-index check --fix duplicate-id --yes --if-fingerprint hjk3sa7q2d": {
		setup: duplicate, code: 1, out: "hjk3sa7q2d|fingerprint", then: "issues-index check --fix duplicate-id --yes " +
			"--if-fingerprint $(issues-index check --fix duplicate-id --dry-run | " +
			"sed -n 's/.*fingerprint \\([a-z0-9]*\\).*/\\1/p') && issues-index check",
		shows: "No problems in 201",
	},
	"issues-index check --fix duplicate-id --keep .wrangler/issues/ISS-000002-rain.md": {
		code:  1,
		setup: duplicate,
		out:   `ISS-000002-part-2\.md → .*ISS-000181`,
	},
	"issues-index check --fix duplicate-id --references repo": {
		code:  1,
		setup: "echo See ISS-000002. > README.md; git add README.md; " + duplicate, out: "ISS-000002-rain",
	},
	"issues-index check invalid-yaml": {
		setup: "printf -- '---\\nid: [x\\n---\\n' > .wrangler/issues/broken.md",
		code:  1,
		out:   "invalid-yaml.*broken.md:2.*1 problem in 1 document",
	},
	"issues-index check merge-conflict": {out: "No problems"},
	"issues-index check --fix --dry-run": {
		setup: "sed -i.bak 's/status: open/status: Open/' .wrangler/issues/ISS-000001-*",
		code:  1,
		out:   "- status: Open.*\\+ status: open",
		then:  "cat .wrangler/issues/ISS-000001-*", shows: "status: Open",
	},
	"issues-index check --fix": {
		setup: "sed -i.bak 's/status: open/status: Open/' .wrangler/issues/ISS-000001-*",
		code:  1,
		out:   "- status: Open.*\\+ status: open",
		then:  "issues-index check --fix --yes; git status --short", shows: "No problems|^[^M]*$|Made 1 change",
	},

	// HTTP and pages.
	"issues-index serve --http :8080":            {page: "/d/ISS-000041", out: "200 <nil>.*Work on part 41"},
	"issues-index serve --http :8080 --no-stdio": {page: "/healthz", out: "200 <nil>"},
	"issues-index serve --no-stdio --http :8080 --base-url https://issues.example.org " +
		"--trust-proxy-headers": {
		setup: "issues-index token new ann", page: "/healthz", out: "200 <nil>",
	},
	"issues-index token new ann --scopes read,write --expires 30d": {
		out:   "ii_|token",
		then:  "issues-index token list",
		shows: "ann.*read.*write",
	},
	"issues-index token new ci --allowed-workspaces web,/srv/notes": {
		with: [2]string{"/srv/notes", "$PWD"}, then: "issues-index token list", shows: "ci.*web",
	},
	"issues-index token list": {setup: "issues-index token new ann >made 2>&1", out: "ann"},
	"issues-index token revoke ci": {
		setup: "issues-index token new ci >made 2>&1; issues-index token new ann >>made 2>&1",
		then:  "issues-index token list; ! issues-index token list | grep ^ci",
		shows: "ann",
	},
	"issues-index web --addr :8080 --no-open": {page: "/board", out: "200 <nil>.*ISS-000"},
	"issues-index web --http-edit":            {page: "/d/ISS-000041", out: "200 <nil>.*<form"},
	"issues-index export html": {
		then:  "ls issues-html && grep -rl 'Work on part 41' issues-html",
		shows: "index.html.*ISS-000041",
	},
	"issues-index export html public/issues": {then: "ls public/issues", shows: "index.html"},

	// Queries and telemetry.
	"issues-index sql \"SELECT id, title FROM documents WHERE status = 'open' AND priority = 'high'\"": {
		out: "ISS-000002",
		not: "ISS-000001",
	},
	"issues-index sql \"SELECT id, boxes_checked, boxes_total FROM documents WHERE boxes_checked < boxes_total\"": {
		out: "ISS-000041 +1 +6",
	},
	"issues-index sql \"SELECT source_id, kind, line FROM backlinks WHERE id = 'ISS-000012'\"": {
		out: "SPEC-000007",
	},
	"sqlite3 .wrangler/cache/issues-index.db 'SELECT * FROM labels'": {
		elsewhere: "sqlite3 is another program, and sql reads the same views: TestScript",
	},
	"issues-index sql":       {code: 2, out: "sql takes one query"},
	"issues-index telemetry": {setup: callOfServer, out: "issues_list +1"},
	"issues-index telemetry --tool issues_list --since 24h --outcome paginated": {
		setup: callOfServer,
		out:   "issues_list",
	},
	"issues-index telemetry compare off on": {
		elsewhere: "it compares calls of weeks: TestScript",
	},

	// Teams.
	"go install github.com/nats-io/nats-server/v2@v2.15.2": {elsewhere: noCluster},
	"issues-index cluster new cluster --nodes localhost:4222,localhost:4223,localhost:4224 " +
		"--workspaces api,web": {
		out: "Wrote admin.nk", then: "cat cluster/node1.conf", shows: "sync_interval: always",
	},
	"nats-server -c cluster/node1.conf &": {elsewhere: noCluster},
	"nats-server -c cluster/node2.conf &": {elsewhere: noCluster},
	"nats-server -c cluster/node3.conf &": {elsewhere: noCluster},
	"export ISSUES_INDEX_TEAM_URL=nats://localhost:4222,nats://localhost:4223,nats://localhost:4224": {
		elsewhere: noCluster,
	},
	"ISSUES_INDEX_TEAM_CREDENTIALS=$PWD/cluster/admin.nk issues-index cluster init": {
		elsewhere: noCluster,
	},
	"ISSUES_INDEX_TEAM_CREDENTIALS=$PWD/cluster/api.nk issues-index publish --once --workspace " +
		"~/src/api --team-workspace api": {
		elsewhere: noCluster,
	},
	"ISSUES_INDEX_TEAM_CREDENTIALS=$PWD/cluster/hub.nk issues-index hub --http :8080": {
		elsewhere: noCluster,
	},
	"issues-index hub --http :8080": {elsewhere: noCluster},
	"issues-index hub --dir /var/lib/issues-hub --workspaces api,web --lines all --no-stdio --http :8080": {
		elsewhere: noCluster,
	},
	"issues-index list --workspace ~/.cache/issues-index/hub --where 'workspace:api is:ready'": {
		elsewhere: noCluster,
	},
	"issues-index cluster new cluster --nodes " +
		"nats1.example.org:4222,nats2.example.org:4222,nats3.example.org:4222 --workspaces api,web " +
		"--data /var/lib/nats --cert /etc/nats/%s.crt --key /etc/nats/%s.key": {
		out:   "tls://nats1.example.org:4222",
		then:  "cat cluster/node2.conf",
		shows: `cert_file: "/etc/nats/node2.crt"`,
	},
	"issues-index cluster status": {code: 1, out: "team.url"},
	"issues-index publish":        {code: 1, out: "team"},

	// Workspaces.
	"issues-index append 41 'Seen on Windows, too.'": {
		then:  "tail -n 1 .wrangler/issues/ISS-000041-*",
		shows: `^Seen on Windows, too\.\n$`,
	},
	"issues-index append 41 --section Tasks -- '- [ ] Test'": {
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: `words in a row\n- \[ \] Test\n\n## Acc`,
	},
	"git log -3 --oneline | issues-index append 41 -": {
		then:  "tail -n 4 .wrangler/issues/ISS-000041-*",
		shows: "Begin ISS-000041",
	},
	"issues-index tick 41": {
		code:  2,
		out:   `1 \[ \] Parse\s+2 \[x\] Test\s+3 \[ \] Cache`,
		then:  "git status --short",
		shows: "^$",
	},
	"issues-index tick 41 1 3": {
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: `- \[x\] Parse\n- \[x\] Test\n- \[x\] Cache`,
	},
	"issues-index untick 41 2 --section Tasks": {
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: `- \[ \] Parse\n- \[ \] Test`,
	},
	"issues-index set 41 description@notes.md": {
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: `---\nFrom a file\.\n$`,
	},
	"issues-index blocked":                  {out: "ISS-000041.*ISS-000012"},
	"issues-index deps 41":                  {out: "ISS-000012"},
	"issues-index deps 41 --format mermaid": {out: "graph|flowchart"},
	"issues-index set 41 parent=SPEC-7 dependsOn+=12,13": {
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: `dependsOn: \[ISS-000012, ISS-000013\]\nparent: SPEC-000007`,
	},
	"issues-index dep add 41 12": {
		setup: "issues-index dep rm 41 12",
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: `dependsOn: \[ISS-000012\]`,
	},
	"issues-index dep rm 41 12": {
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: `dependsOn: \[\]`,
	},
	"issues-index list --tree": {out: `SPEC-000007[^\n]*\n[^\n]*ISS-000041`},
	"issues-index claim 41 --lease 2d": {
		setup: "issues-index set 41 status=open; issues-index dep rm 41 12",
		out:   "ISS-000041",
		then:  "cat .wrangler/issues/ISS-000041-*",
		shows: "in_progress",
	},
	"issues-index claim --label search": {
		then:  "issues-index list -s in_progress -l search",
		shows: "ISS-",
	},
	"issues-index claim --where 'estimate < 3 and labels != bug'": {setup: ":", out: "ISS-"},
	"issues-index release 41 --reason 'Needs a decision first.'": {
		setup: "issues-index dep rm 41 12; issues-index set 41 status=open; issues-index claim 41",
		then:  "issues-index show 41 --json --jq '.status, .assignee'; cat .wrangler/issues/ISS-000041-*",
		shows: `open.*Needs a decision first\.`,
	},
	"issues-index list --claimed-by anna@laptop": {
		setup: "issues-index claim 1 --as anna@laptop",
		out:   "ISS-000001",
		not:   "ISS-000002",
	},
	"issues-index merge-driver base.md ours.md theirs.md": {
		setup: "cp .wrangler/issues/ISS-000001-* base.md; cp base.md ours.md; cp base.md theirs.md; " +
			"sed -i.bak s/medium/high/ ours.md; sed -i.bak 's/estimate: 1/estimate: 9/' theirs.md",
		then: "cat ours.md", shows: "priority: high.*estimate: 9",
	},
	"issues-index set --where 'label:old' status=cancelled": {
		setup: "issues-index set 1 2 labels+=old", code: 2, out: "--yes",
		then:  "issues-index set --where label:old status=cancelled --yes; ls .wrangler/issues/archived",
		shows: "ISS-000001-part-1.md.*ISS-000002-part-2.md",
	},
	"issues-index list @big":         {out: `ID +TITLE +PRIORITY +ASSIGNEE.*ISS-000006`, not: "ISS-000001"},
	"issues-index list --boxes open": {out: "ISS-000041"},

	// Names of commands alone.
	"issues-index set":  {code: 2, out: "Usage|usage|issues-index set --help"},
	"issues-index edit": {code: 2, out: "Usage|usage|issues-index edit --help"},

	// Figures.
	"go test ./cmd/issues-bench -run TestTeamFigures -long -v -documents 10000,100000 -timeout 1h": {
		elsewhere: noGo,
	},
	"go test ./cmd/issues-bench -run TestMirrorFigures -long -v -workspaces 300 -documents " +
		"1000,10000,300000 -timeout 1h": {
		elsewhere: noGo,
	},
}

// duplicate gives a new document the id of another.
const duplicate = "sed 's/part 2/rain/' .wrangler/issues/ISS-000002-* > .wrangler/issues/ISS-000002-rain.md"

// callOfServer has a server answer a call, which it records.
const callOfServer = "printf '%s" + handshake + `{"jsonrpc":"2.0","id":2,"method":"tools/call",` +
	`"params":{"name":"issues_list","arguments":{}}}` + "\n' '' | issues-index serve > answers"
