package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issues-index/tools/config"
)

// What is wrong with a file is said all at once, each with its line.
func TestProblemsOfFile(t *testing.T) {
	for _, test := range []struct {
		name, file, contents string
		want                 []string // after the file's name
	}{
		{"every problem is named", "c.yaml",
			"defaultPageSize: 500\noutput: loud\n\ntelemetry:\n  maxAge: forever\n  sampelRate: 1\nzebra: 1\n",
			[]string{
				`:1: invalid defaultPageSize "500": must be a whole number from 1 to 100`,
				`:2: invalid output "loud": must be auto, both, text or structured`,
				`:5: invalid telemetry.maxAge "forever": must be a duration from 1h to 3650d`,
				`:6: unknown key "telemetry.sampelRate": did you mean sampleRate?`,
				`:7: unknown key "zebra": the file has defaultPageSize, `,
			}},
		{"a key is set twice", "c.yaml", "output: text\nchunkSize: 200\noutput: both\n",
			[]string{`:3: "output" is set twice, first in line 1`}},
		{"a tool that is none", "c.yaml", "tools:\n  row: {pagination: off}\n",
			[]string{`:2: unknown key "tools.row": did you mean rows?`}},
		{"a flag that is none", "c.yaml", "tools:\n  rows: {sorting: off}\n",
			[]string{`:2: unknown key "tools.rows.sorting": tools.rows has pagination, summarization, chunking`}},
		{"a block that is a value", "c.yaml", "wagtail: https://x\n", []string{`:1: wagtail must be a block of baseUrl, frontendUrl, apiPath, apiKey, authScheme, enableStdio, not a single value`}},
		{"a value that is a block", "c.yaml", "output:\n  - text\n", []string{`:2: invalid output: must be auto, both, text or structured, not a list`}},
		{"a value that is missing", "c.yaml", "output:\n", []string{`:1: invalid output: must be auto, both, text or structured, not nothing`}},
		{"a list as the whole file", "c.yaml", "- output\n", []string{`:1: the file must be a block of `}},
		{"a name with a dot", "c.yaml", "telemetry.enabled: false\n", []string{`:1: unknown key "telemetry.enabled": a dot is a step into a block`}},
		{"a wrong element of a list", "c.yaml", "toolsets:\n- issues\n- sesion\n- [x]\n", []string{
			`:3: invalid toolsets "sesion": must be a list of issues, session, wagtail, pdpp`,
			`:4: invalid toolsets "": must be a list of`,
		}},
		{"an anchor", "c.yaml", "output: &a text\n", []string{`:1: anchors and aliases are not allowed`}},
		{"an alias", "c.yaml", "telemetry: &a {}\nwagtail: *a\n", []string{`:1: anchors and`, `:2: anchors and`}},
		{"a merge", "c.yaml", "<<: {output: text}\n", []string{`:1: a single value cannot be the name of a key`}},
		{"a tag", "c.yaml", "chunkSize: !!int \"200\"\n", []string{`:1: tags are not allowed`}},
		{"two documents", "c.yaml", "output: text\n---\noutput: both\n", []string{`:2: not one YAML document: a second begins here`}},
		{"no YAML", "c.yaml", "output: text\n  bad: [\n", []string{`:2: not valid YAML: `}},
		{"JSON with problems", "c.json", "{\n \"output\": \"loud\",\n \"tools\": {\n\t\"rows\": {\"chunking\": 3}\n }\n}", []string{
			`:2: invalid output "loud"`, `:4: invalid tools.rows.chunking "3": must be true or false`}},
		{"a key in JSON twice", "c.json", "{\n \"chunkSize\": 200,\n \"chunkSize\": 300\n}", []string{`:3: "chunkSize" is set twice, first in line 2`}},
		{"too much", "c.yaml", strings.Repeat("# padding\n", 7000), []string{`: the file is over 65536 bytes long`}},
		{"secrets are left out", "c.yaml", "wagtail:\n  apiKey: [hunter2]\n  baseUrl: https://me:hunter2@x\n  apiKy: hunter2\n", []string{
			`:2: invalid wagtail.apiKey: must be`, `:3: invalid wagtail.baseUrl: must be`, `:4: unknown key "wagtail.apiKy": did you mean apiKey?`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := loadFile(t, test.file, test.contents)
			if err == nil {
				t.Fatal("it is taken")
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(test.want) {
				t.Fatalf("got %d problems, want %d:\n%v", len(lines), len(test.want), err)
			}
			for i, want := range test.want {
				if _, said, _ := strings.Cut(lines[i], test.file); !strings.HasPrefix(said, want) {
					t.Errorf("got  %s\nwant %s", said, want)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("a secret is in %v", err)
			}
		})
	}
}

func TestValidFiles(t *testing.T) {
	for name, test := range map[string]struct{ file, contents string }{
		"nothing":                     {"c.yaml", ""},
		"comments alone":              {"c.yaml", "# output: text\n"},
		"a block without lines":       {"c.yaml", "wagtail:\n  # baseUrl: https://x\n"},
		"a byte order mark":           {"c.yaml", "\uFEFFoutput: both\n"},
		"Windows line ends":           {"c.yaml", "output: both\r\nchunkSize: 2000\r\n"},
		"an empty object":             {"c.json", "{}"},
		"JSON with tabs":              {"c.JSON", "{\n\t\"output\": \"both\",\n\t\"tools\": {\n\t\t\"rows\": {\"chunking\": true}\n\t}\n}\n"},
		"telemetry as one key":        {"c.yaml", "telemetry: true\n"},
		"a separator at its start":    {"c.yaml", "---\noutput: both\n"},
		"a quoted key":                {"c.yaml", "\"output\": 'both'\n"},
		"blocks in one line":          {"c.yaml", "telemetry: {maxAge: 30d, sampleRate: 0.01}\n"},
		"a number in quotes":          {"c.yaml", "chunkSize: \"200\"\n"},
		"a list in place of one text": {"c.yaml", "toolsets: issues, session, wagtail, pdpp\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := loadFile(t, test.file, test.contents); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUnreadableFiles(t *testing.T) {
	refused := func(t *testing.T, o config.Options, want string) {
		t.Helper()
		if _, err := config.Load(o); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	t.Run("one that is named must be there", func(t *testing.T) {
		missing := filepath.Join(t.TempDir(), "no.yaml")
		refused(t, config.Options{File: missing}, missing+": there is no such file")
		refused(t, config.Options{Getenv: environment(config.FileVariable, missing)}, missing+": there is no such file")
	})
	t.Run("a folder is none", func(t *testing.T) {
		dir := t.TempDir()
		refused(t, config.Options{File: dir}, dir+": it is not a regular file")
	})
	t.Run("the workspace's may be missing, with any folder on the way", func(t *testing.T) {
		root := t.TempDir()
		mustLoad(t, config.Options{Root: root})
		write(t, filepath.Join(root, ".wrangler"), "a file, not a folder")
		mustLoad(t, config.Options{Root: root})
	})
}

// A workspace may come from anybody: its own file is held inside it.
func TestWorkspaceFileNeverLeadsOutside(t *testing.T) {
	outside := t.TempDir()
	for name, contents := range map[string]string{
		"an absolute path":      "db: " + filepath.Join(outside, "x.db") + "\n",
		"a way up":              "telemetry: {path: ../x.db}\n",
		"a way up in disguise":  "pdpp: {cacheRoot: a/../../x}\n",
		"a link out":            "db: out/x.db\n",
		"a link out that hangs": "db: hanging\n",
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			root, _ := workspace(t, contents)
			link(t, outside, filepath.Join(root, "out"))
			link(t, filepath.Join(outside, "nothing"), filepath.Join(root, "hanging"))
			_, err := config.Load(config.Options{Root: root})
			if err == nil || !strings.Contains(err.Error(), "a repository's own file may set it only to a place below .wrangler/cache") {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("the file itself is not read through a link out", func(t *testing.T) {
		root, file := workspace(t, "")
		secret := filepath.Join(outside, "secret")
		write(t, secret, "root: hunter2\n")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		link(t, secret, file)
		_, err := config.Load(config.Options{Root: root})
		if err == nil || !strings.Contains(err.Error(), "it leads out of its folder") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a path inside is relative to the root", func(t *testing.T) {
		root, _ := workspace(t, "db: .wrangler/cache/deep/x.db\n")
		if got, want := mustLoad(t, config.Options{Root: root}).DB, filepath.Join(root, ".wrangler/cache/deep/x.db"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("checking it by name is no way round", func(t *testing.T) {
		root, file := workspace(t, "db: ../x.db\n")
		if err := config.Check(config.Options{Root: root, File: file}); err == nil || !strings.Contains(err.Error(), "a repository's own file may set it only to a place below .wrangler/cache") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a file that a person names may point anywhere", func(t *testing.T) {
		named := filepath.Join(outside, "named.yaml")
		write(t, named, "db: ../x.db\n")
		root := filepath.Join(outside, "root")
		if got, want := mustLoad(t, config.Options{Root: root, File: named}).DB, filepath.Join(outside, "x.db"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("the environment's are as the shell has them", func(t *testing.T) {
		c := mustLoad(t, config.Options{Root: outside, Getenv: environment("ISSUES_INDEX_DB", "x.db")})
		if c.DB != "x.db" {
			t.Errorf("got %s", c.DB)
		}
	})
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}
