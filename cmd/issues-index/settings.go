package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"issues-index/store"
	"issues-index/store/words"
	"issues-index/tools/config"
)

// servedFlags are the keys that serve has flags for.
var servedFlags = []string{
	"output", "toolsets", "httpAddr", "httpEdit", "httpBaseUrl", "httpTrustProxy", "auth.tokens", "logLevel",
}

// settingFlags adds the flags for these keys.
func (p *program) settingFlags(flags *pflag.FlagSet, names ...string) {
	if p.settings == nil {
		p.settings = make(map[string]*string)
	}
	for _, name := range names {
		k := config.KeyNamed(name)
		if p.settings[name] == nil {
			p.settings[name] = new(string)
		}
		usage := k.Doc + ": " + k.Allowed + " (default: $" + k.Env[0]
		if k.Default != "" {
			usage += ", else " + k.Default
		}
		flags.StringVar(p.settings[name], k.Flag, "", usage+")")
		if k.Toggle {
			flags.Lookup(k.Flag).NoOptDefVal = "true"
		}
	}
}

// configOptions returns the options for reading the configuration.
func (p *program) configOptions(root string) config.Options {
	o := config.Options{
		File: p.config, Root: root, Getenv: p.getenv, EnvFile: config.EnvFile, Flags: map[string]string{}, Tools: toolNames(),
	}
	o.UserFile, o.UserFileNamed = p.userConfigFile()
	if named := cmp.Or(p.envFile, p.getenv(config.EnvFileVariable)); named != "" {
		o.EnvFile, o.EnvFileNamed = named, true
	}
	for name, value := range p.settings {
		if *value != "" {
			o.Flags[name] = *value
		}
	}
	return o
}

// userConfigFile returns the path of the user's own configuration file, "" for none, and
// whether the user has named it. The null device stands for none.
func (p *program) userConfigFile() (path string, named bool) {
	switch named := p.getenv(config.UserFileVariable); {
	case named == os.DevNull:
		return "", false
	case named != "":
		return named, true
	}
	dir, err := os.UserConfigDir()
	if err != nil { // there is no home folder
		return "", false
	}
	return filepath.Join(dir, "issues-index", "config.yaml"), false
}

// userWorkspaces returns the workspaces that the user's own configuration names.
func (p *program) userWorkspaces() (map[string]string, error) {
	var o config.Options
	o.UserFile, o.UserFileNamed = p.userConfigFile()
	return config.UserWorkspaces(o)
}

// namedWorkspace returns what --workspace says as a path, "" when it says nothing. A name
// of the user's own configuration goes before a folder with that name.
func (p *program) namedWorkspace() (path string, err error) {
	if !config.IsWorkspaceName(p.workspace) {
		return p.workspace, nil
	}
	named, err := p.userWorkspaces()
	if path, ok := named[p.workspace]; ok {
		return path, nil
	}
	if info, err := os.Stat(p.absolute(p.workspace)); err == nil && info.IsDir() {
		return p.workspace, nil
	}
	if len(named) > 0 {
		names := slices.Sorted(maps.Keys(named))
		hint := "your own configuration has the workspaces " + strings.Join(names, ", ")
		if near := words.Nearest(p.workspace, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return "", &commandError{exitUsage,
			fmt.Sprintf("--workspace %s is neither a folder nor the name of a workspace", strconv.Quote(p.workspace)), hint}
	}
	return p.workspace, err
}

// readConfig reads the configuration for one command. It logs and ignores unknown keys of
// the workspace's own file, which a team may share between several versions.
func (p *program) readConfig(root string, log *slog.Logger) (*config.Config, error) {
	options := p.configOptions(root)
	options.SkipUnknown = true
	c, err := config.Load(options)
	if err != nil {
		return nil, err
	}
	for _, problem := range c.Unknown() {
		log.Warn(problem.String() + "; the key is ignored")
	}
	return c, nil
}

// toolNames returns the names of all tools, served or not. Each command needs them for the keys of the
// configuration, and to make the tools for that would take a twentieth of its start.
func toolNames() []string {
	return strings.Fields(`
		issues_create issues_list issues_search issues_get issues_get_batch issues_update
		issues_update_batch issues_edit issues_delete issues_labels issues_projects issues_metadata
		issues_mark_complete issues_claim issues_all_complete issues_stats issues_history session_start
		session_phase session_checkpoint session_complete session_get wagtail_list_pages
		wagtail_get_page_details wagtail_get_page_html wagtail_list_images wagtail_get_image_details
		wagtail_list_documents wagtail_get_document_details wagtail_search_content wagtail_find_in_pages
		wagtail_overview schema list_streams query_records aggregate search fetch
		discover_event_subscription_capabilities create_event_subscription list_event_subscriptions
		get_event_subscription update_event_subscription delete_event_subscription send_test_event
		fetch_blob`)
}

// followConfig loads the configuration, which follows its file and SIGHUP until ctx ends.
// level follows the configuration.
func (p *program) followConfig(
	ctx context.Context, ws *store.Workspace, log *slog.Logger, level *slog.LevelVar,
) (*config.Live, error) {
	options := p.configOptions(ws.Root)
	for _, sentence := range config.Misspelt(p.environ, options.Tools) {
		log.Warn(sentence)
	}
	options.Draw = rand.Float64()
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	live, err := config.Open(config.LiveOptions{
		Options: options,
		Log:     log,
		Changed: func(c *config.Config) { level.Set(c.LogLevel) },
	})
	if err != nil {
		return nil, err
	}
	for _, sentence := range live.Config().Warnings() {
		log.Warn(sentence)
	}
	go func() {
		for {
			select {
			case <-hangups:
				live.Reread()
			case <-ctx.Done():
				return
			}
		}
	}()
	return live, nil
}
