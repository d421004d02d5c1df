package git

import (
	"path/filepath"
	"slices"
	"testing"
)

// From 2.54 on git runs hooks that its configuration names.
func TestAHookOfTheRepositoryStaysOff(t *testing.T) {
	const theirs = "[hook \"x\"]\n\tcommand = theirs\n\tevent = post-checkout\n"
	r := repositoryOf(t, theirs, func(git func(args ...string) string, _ string) {
		git("commit", "--quiet", "--allow-empty", "-m", "first")
	})
	home := t.TempDir()
	write(t, home, "gitconfig", "[hook \"x\"]\n\tcommand = users\n\tenabled = true\n[hook \"y\"]\n\tcommand = users\n")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "gitconfig"))
	options, err := filterOptions(t.Context(), r.dir)
	if want := []string{"-c", "hook.x.enabled=false"}; err != nil || !slices.Equal(options, want) {
		t.Errorf("%q, %v, want %q", options, err, want)
	}
}
