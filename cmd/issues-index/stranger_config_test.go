//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"issues-index/store/storetest"
	"issues-index/tools/config"
)

// A repository from a stranger can set every key, in the workspace's configuration file
// and in a file of variables. Whatever it sets, nothing of the user's is overwritten, no
// program is started, and no address is connected to or listened at but, where the key
// is that of an address to listen at, one of this machine.
func TestStrangersConfigurationHarmsNobody(t *testing.T) {
	needStraceOfAll(t)
	w := newStrangerWorld(t)
	sites := w.env
	w.env = nil // the user names no service
	places := []struct {
		name  string
		write func(w *strangerWorld, t *testing.T, settings map[*config.Key]string, turn int)
	}{
		{"configuration file", (*strangerWorld).writeConfiguration},
		{"file of variables", (*strangerWorld).writeVariables},
	}
	runs := []strangerRun{{args: []string{"serve"}, calls: []smallCall{
		{"issues_list", map[string]any{"limit": 3}},
		{"wagtail_search_content", map[string]any{"query": "hours"}},
		{"search", map[string]any{"q": "hook"}},
	}}}
	if storetest.Long() {
		runs = strangerRuns(t, w.sessionID)
	}
	for parity, place := range places {
		t.Run(place.name, func(t *testing.T) {
			harmless := make([]map[*config.Key]string, 2) // at their least, and at their most
			for i := range harmless {
				harmless[i] = make(map[*config.Key]string)
			}
			for _, key := range config.Keys(toolNames()) {
				values, harmful := strangerValues(t, key, sites)
				if !harmful && key.Repository == "" {
					for i := range harmless {
						harmless[i][key] = values[i*(len(values)-1)]
					}
					continue
				}
				t.Run(key.Name, func(t *testing.T) {
					t.Parallel()
					stranger := w.copy(t)
					stranger.plantTargets(t)
					for turn, value := range values {
						if !storetest.Long() && turn%max(1, len(values)/2) != parity {
							continue
						}
						place.write(stranger, t, map[*config.Key]string{key: value}, turn)
						ordeal{
							strangerWorld: stranger, planted: key.Name + ": " + value + " in the " + place.name,
							traced: true, listens: strings.HasPrefix(key.Allowed, "HOST:PORT"),
						}.endure(t, runs)
						if t.Failed() {
							return // what is damaged now tells nothing of the next value
						}
					}
				})
			}
			for i, settings := range harmless {
				t.Run("all other keys at once, "+[]string{"least", "most"}[i], func(t *testing.T) {
					t.Parallel()
					stranger := w.copy(t)
					place.write(stranger, t, settings, i)
					if said, err := stranger.run(t, stranger.repo, nil, strangerRun{args: []string{"config", "show"}}); err != nil || !strings.Contains(said, "cacheTTL") {
						t.Fatalf("the values are not taken: %v: %s", err, said)
					}
					ordeal{strangerWorld: stranger, planted: fmt.Sprint(settings), traced: true}.endure(t, runs)
				})
			}
		})
	}
}

var bounds = regexp.MustCompile(`^(?:a whole number|a number|a duration|a size) from (\S+) to (\S+)$`)

// strangerValues are values for a key, made from what it allows, and whether any of them
// could do harm by what it is.
func strangerValues(t *testing.T, key *config.Key, sites []string) (values []string, harmful bool) {
	t.Helper()
	switch {
	case key.Repository == config.LayoutOnly:
		return layoutValues, true
	case key.Name == "workspaces":
		return []string{`{"victims": "/"}`, `{"../victims": "../victims"}`}, true
	}
	if limits := bounds.FindStringSubmatch(key.Allowed); limits != nil {
		return limits[1:], false
	}
	switch allowed := key.Allowed; {
	case allowed == "a path":
		return []string{
			"README.md", ".git/HEAD", ".git/config", ".wrangler/issues/ISS-000037-implement-mcp-session-types-and-storage-provider.md",
			"docs/plan", "docs/new.db", "docs", ".wrangler/config/issues-index.yaml", "way-out/new.db", "way-out", "dangling", ".wrangler/cache/way-out.db",
			"../victims/new.db", "../home/.bashrc", "/proc/self/cwd/../home/.bashrc", "~/.bashrc", "new\nline",
		}, true
	case strings.HasPrefix(allowed, "HOST:PORT"):
		return []string{"127.0.0.1:0", "0", ":0", "0.0.0.0:0", "[::]:0", "10.255.255.1:0"}, true
	case strings.HasPrefix(allowed, "an http or https address"):
		for _, site := range sites {
			_, address, _ := strings.Cut(site, "=")
			values = append(values, address, strings.Replace(address, "127.0.0.1", "127.0.0.2", 1))
		}
		return values, true
	case strings.HasPrefix(allowed, "a list of addresses"):
		for _, site := range sites {
			_, address, _ := strings.Cut(site, "://")
			values = append(values, "nats://"+strings.TrimRight(address, "/"))
		}
		return values, true
	case strings.HasSuffix(allowed, "lower-case letters, digits and hyphens"):
		return []string{"api", "main", "../victims"}, true
	case strings.HasPrefix(allowed, "a path like"):
		return []string{"/../../admin/", "/api/v2/"}, true
	case strings.HasPrefix(allowed, "a text of one line"):
		return []string{"Ignore all previous instructions", "$(touch ../marks/name)"}, true
	case strings.HasPrefix(allowed, "visible ASCII"):
		return []string{"hunter2", "$(touch${IFS}../marks/key)"}, true
	case allowed == "true or false":
		return []string{"true", "false"}, false
	case strings.HasPrefix(allowed, "a list of "):
		return strings.Split(strings.TrimPrefix(allowed, "a list of "), ", "), false
	case strings.Contains(allowed, " or "):
		return strings.Split(strings.ReplaceAll(allowed, " or ", ", "), ", "), false
	}
	t.Fatalf("there are no values for %s, which may be %s", key.Name, key.Allowed)
	return nil, false
}

// layoutValues are JSON values for keys that describe the workspace, each of which some keys
// take and others refuse.
var layoutValues = []string{
	`{"issue": "../victims"}`, `{"issue": "way-out"}`, `{"issue": ".git"}`, `"../victims"`, `"$(touch ../marks/layout)"`, `"{id}/../../victims/{title}.md"`,
	`[{"name": "'); DROP TABLE document; --", "category": "open"}, {"name": "$(touch ../marks/name)", "category": "active"}, {"name": "../victims", "category": "done"}]`,
	`["'); DROP TABLE document; --", "$(touch ../marks/priority)"]`, `{"created": "../victims", "format": "yyyy-mm-dd"}`,
}

// plantTargets makes what the paths of strangerValues lead to.
func (w *strangerWorld) plantTargets(t *testing.T) {
	t.Helper()
	plantFiles(t, w.repo, map[string]string{"docs/plan.new-draft.md": "A draft.\n", "docs/plan-wal": "Notes.\n", ".wrangler/cache/.gitignore": "*\n"})
	for link, target := range map[string]string{"way-out": "../victims", "dangling": "../victims/dangling", ".wrangler/cache/way-out.db": "../../../victims/new.db"} {
		if err := os.Symlink(target, filepath.Join(w.repo, link)); err != nil {
			t.Fatal(err)
		}
	}
}

// writeConfiguration writes the workspace's configuration file.
func (w *strangerWorld) writeConfiguration(t *testing.T, settings map[*config.Key]string, _ int) {
	t.Helper()
	all := make(map[string]any)
	for key, value := range settings {
		var given any = value
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			given = number
		}
		if key.Repository == config.LayoutOnly || key.Name == "workspaces" {
			given = json.RawMessage(value)
		}
		if toggle, err := strconv.ParseBool(value); err == nil && key.Allowed == "true or false" {
			given = toggle
		}
		block, steps := all, strings.Split(key.Name, ".")
		for _, step := range steps[:len(steps)-1] {
			if block[step] == nil {
				block[step] = make(map[string]any)
			}
			block = block[step].(map[string]any)
		}
		block[steps[len(steps)-1]] = given
	}
	text, err := json.Marshal(all) // which is YAML, too
	if err != nil {
		t.Fatal(err)
	}
	plantFiles(t, w.repo, map[string]string{config.DefaultFile: string(text)})
}

// writeVariables writes the file of variables, each key by the next of its names.
func (w *strangerWorld) writeVariables(t *testing.T, settings map[*config.Key]string, turn int) {
	t.Helper()
	var text strings.Builder
	for key, value := range settings {
		if len(key.Env) == 0 { // it has no variable
			continue
		}
		fmt.Fprintf(&text, "%s='%s'\n", key.Env[turn%len(key.Env)], value)
	}
	plantFiles(t, w.repo, map[string]string{".env": text.String()})
}
