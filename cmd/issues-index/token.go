package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index/where"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
	"issues-index/store/words"
	"issues-index/tools/auth"
	"issues-index/tools/config"
)

func newTokenCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke tokens for serve --http",
		Long: `Token keeps the tokens that let others use a server of yours over HTTP. As soon as there is
one, each request of serve --http needs one, those of pages too, and --http may be an address that
others can reach. Only the digest of a token is kept, in a file that only you may read.`,
		Example: `  issues-index token new ci --scopes read --expires 30d
  issues-index token list
  issues-index token revoke ci`,
		Args: knownCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(newTokenNewCommand(p), &cobra.Command{
		Use:     "list",
		Short:   "List the tokens",
		Long:    `List prints the names of the tokens, what they are good for, and until when.`,
		Example: `  issues-index token list --json`,
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return p.withTokens(p.listTokens) },
	}, &cobra.Command{
		Use:   "revoke NAME",
		Short: "Revoke a token",
		Long: `Revoke removes a token. Running servers refuse it from the next request on, and end within
some seconds what is still being answered.`,
		Example: `  issues-index token revoke ci`,
		Args:    arguments(1, 1, "the token's name"),
		ValidArgsFunction: among(func(*cobra.Command, []string, string) (names []cobra.Completion) {
			_ = p.withTokens(func(f *auth.TokenFile) error {
				names = namesIn(f)
				return nil
			})
			return names
		}),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withTokens(func(f *auth.TokenFile) error { return p.revokeToken(f, args[0]) })
		},
	})
	for _, sub := range cmd.Commands() {
		p.settingFlags(sub.Flags(), "auth.tokens")
	}
	return cmd
}

func newTokenNewCommand(p *program) *cobra.Command {
	var scopes, workspaces []string
	var expires string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a token and print it",
		Long: `New makes a token and prints it, once: it is kept nowhere. Its NAME is the holder of the claims
that are made with it, and stands in the telemetry. Tell it apart by who uses it, so that you can
revoke it alone.`,
		Example: `  issues-index token new ann --scopes read,write,delete --expires never
  issues-index token new ci --allowed-workspaces web,/srv/notes`,
		Args: arguments(1, 1, "the token's name"),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := p.askedToken(args[0], scopes, workspaces, expires)
			if err != nil {
				return err
			}
			return p.withTokens(func(f *auth.TokenFile) error { return p.newToken(f, t) })
		},
	}
	cmd.Flags().StringSliceVar(&scopes, "scopes", []string{string(auth.Read)},
		"what it is good for: `list` of read, write, delete; the others include read")
	completeFlag(cmd, "scopes", completeAmong(scopeNames(auth.Scopes())...))
	cmd.Flags().StringSliceVar(
		&workspaces, "allowed-workspaces", nil,
		"the workspaces that it is good for: `list` of names from your own configuration or of your team, or of paths "+
			"(default: all that are served)",
	)
	completeFlag(cmd, "allowed-workspaces", p.completeWorkspace)
	cmd.Flags().StringVar(&expires, "expires", "90d", "when it expires: a `time`, how long from now, or never")
	return cmd
}

// tokenFile returns the file of tokens that a configuration names, else the one beside the
// user's own configuration. It has no path where there is neither.
func (p *program) tokenFile(c *config.Config) *auth.TokenFile {
	if c.Auth.Tokens != "" {
		return &auth.TokenFile{Path: c.Auth.Tokens}
	}
	if own, _ := p.userConfigFile(); own != "" {
		return &auth.TokenFile{Path: filepath.Join(filepath.Dir(own), "tokens.json")}
	}
	return &auth.TokenFile{}
}

// ownConfig is the configuration of a command that is about no workspace, whichever it is
// started in.
func (p *program) ownConfig() (*config.Config, error) {
	o := p.configOptions("")
	o.EnvFile = ""
	return config.Load(o)
}

// withTokens calls use with the file of tokens of a command.
func (p *program) withTokens(use func(*auth.TokenFile) error) error {
	c, err := p.ownConfig()
	if err != nil {
		return err
	}
	f := p.tokenFile(c)
	if f.Path == "" {
		return misused("there is no folder for your own files to keep the tokens in", "name a file with --tokens")
	}
	return use(f)
}

// askedToken checks what a new token shall be.
func (p *program) askedToken(name string, scopes, workspaces []string, expires string) (auth.TokenEntry, error) {
	t := auth.TokenEntry{Name: name}
	for _, text := range scopes {
		scope, ok := auth.ParseScope(strings.TrimSpace(text))
		if !ok {
			return t, misused(fmt.Sprintf("unknown scope %q", text), "the scopes are read, write and delete")
		}
		if !slices.Contains(t.Scopes, scope) {
			t.Scopes = append(t.Scopes, scope)
		}
	}
	if len(t.Scopes) == 0 {
		return t, misused("a token without scopes is good for nothing", "give --scopes read, or leave it out")
	}
	named, err := p.userWorkspaces()
	if err != nil {
		return t, err
	}
	c, err := p.ownConfig()
	if err != nil {
		return t, err
	}
	for _, one := range workspaces {
		if _, ok := named[one]; !ok {
			path, err := cachedir.RealPath(p.absolute(one))
			info, missing := os.Stat(path)
			switch {
			case err == nil && missing == nil && info.IsDir() && one != "":
				one = path
			case !c.Team.On() || !mirror.IsName(one):
				return t, misused(
					fmt.Sprintf("%q is neither a folder nor the name of a workspace", one),
					"give a name from workspaces in your own configuration, that of a workspace of your team, or the path of a "+
						"workspace",
				)
			}
		}
		t.Workspaces = append(t.Workspaces, one)
	}
	if expires == "never" {
		return t, nil
	}
	now := time.Now()
	at, ok := where.ParseTime("+"+expires, now)
	if !ok {
		at, ok = where.ParseTime(expires, now)
	}
	if !ok || !at.After(now) {
		return t, misused(
			fmt.Sprintf("--expires %q is not a time in the future", expires),
			"give a date like 2027-01-31, how long from now like 90d or 12h, or never",
		)
	}
	t.Expires = at.UTC().Truncate(time.Second)
	return t, nil
}

// A tokenJSON describes a token for scripts.
type tokenJSON struct {
	Name       string       `json:"name"`
	Token      string       `json:"token,omitempty"` // of a new one
	Scopes     []auth.Scope `json:"scopes"`
	Workspaces []string     `json:"allowedWorkspaces,omitempty"`
	Created    time.Time    `json:"created,omitzero"`
	Expires    time.Time    `json:"expires,omitzero"`
	Expired    bool         `json:"expired,omitempty"`
}

func (p *program) newToken(f *auth.TokenFile, t auth.TokenEntry) error {
	token, err := f.New(t)
	if err != nil {
		return tokenError(f, t.Name, err)
	}
	if !p.json {
		p.tell("The token %s, which is shown only now. Send it as the header Authorization: Bearer TOKEN.", t.Name)
	}
	return p.print(tokenJSON{Name: t.Name, Token: token, Scopes: t.Scopes, Workspaces: t.Workspaces, Expires: t.Expires},
		func(page *terminal.Page) { page.Line("%s", token) })
}

func (p *program) listTokens(f *auth.TokenFile) error {
	tokens, err := f.List()
	if err != nil {
		return tokenError(f, "", err)
	}
	if len(tokens) == 0 && !p.json {
		p.tell("No tokens. issues-index token new NAME makes one.")
		return nil
	}
	list := make([]tokenJSON, len(tokens))
	t := &terminal.Table{Columns: []terminal.Column{
		{Title: "NAME"}, {Title: "SCOPES"}, {Title: "WORKSPACES", Least: 12}, {
			Title: "CREATED", Optional: true,
		}, {Title: "EXPIRES"},
	}}
	for i, one := range tokens {
		list[i] = tokenJSON{one.Name, "", one.Scopes, one.Workspaces, one.Created, one.Expires, one.HasExpired(time.Now())}
		workspaces, expires := "all", cmp.Or(p.timeText(one.Expires), "never")
		if one.Workspaces != nil {
			workspaces = strings.Join(one.Workspaces, ", ")
		}
		if list[i].Expired {
			expires = "has expired"
		}
		t.Add(one.Name, strings.Join(scopeNames(one.Scopes), ", "), workspaces, p.timeText(one.Created), expires)
	}
	return p.print(struct {
		Tokens []tokenJSON `json:"tokens"`
	}{list}, func(page *terminal.Page) { page.Table(t, nil) })
}

func scopeNames(scopes []auth.Scope) []string {
	list := make([]string, len(scopes))
	for i, s := range scopes {
		list[i] = string(s)
	}
	return list
}

func (p *program) revokeToken(f *auth.TokenFile, name string) error {
	left, err := f.Revoke(name)
	if err != nil {
		return tokenError(f, name, err)
	}
	if left == 0 && !p.json {
		p.note(
			"no token is left, so that servers refuse every request; delete %s to serve this machine without tokens", f.Path,
		)
	}
	return p.print(struct {
		Revoked string `json:"revoked"`
		Left    int    `json:"left"`
	}{name, left}, func(page *terminal.Page) { page.Line("Revoked %s.", name) })
}

// namesIn returns the names of the tokens in a file, none when it cannot be read.
func namesIn(f *auth.TokenFile) (names []string) {
	tokens, _ := f.List()
	for _, t := range tokens {
		names = append(names, t.Name)
	}
	return names
}

// tokenError says what to do about an error of the file of tokens.
func tokenError(f *auth.TokenFile, name string, err error) error {
	file := shellWord(f.Path)
	switch {
	case errors.Is(err, auth.ErrName):
		return misused(fmt.Sprintf("%q cannot be the name of a token", name), err.Error())
	case errors.Is(err, auth.ErrTaken):
		return failed("there is a token "+name+" already", "choose another name, or revoke that one first")
	case errors.Is(err, auth.ErrUnknown):
		hint := "issues-index token list shows all of them"
		if near := words.Nearest(name, namesIn(f)); near != "" {
			hint = "did you mean " + near + "?"
		}
		return failed("there is no token "+name, hint)
	case errors.Is(err, auth.ErrExposed):
		return failed(
			err.Error(), "chmod 600 "+file+" makes it yours alone; revoke its tokens if somebody may have changed it",
		)
	}
	return failed(err.Error(), "correct "+file+", or move it away and make the tokens anew; --tokens names another file")
}
