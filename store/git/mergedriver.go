package git

import (
	"context"
	"slices"
	"strings"
)

// DriverName is the merge driver of documents, as .gitattributes names it.
const DriverName = "issues-index"

// A ConfigVariable is a variable of git's configuration.
type ConfigVariable struct{ Key, Value string }

// driver is what git runs. 1 says that there are conflicts, with both sides in the file. With
// any other failure, such as that the program is gone, git would take our side as the result,
// and the other one would be lost when the file is added: git's plain merge goes in there.
const driver = "issues-index merge-driver %O %A %B %L %P || " +
	"{ test $? != 1 && git merge-file --diff3 -L ours -L base -L theirs --marker-size=%L %A %O %B; }"

// DriverSettings are what a clone needs so that git merges documents by this program. Git
// passes on none of a clone's configuration, so every clone needs them once.
func DriverSettings() []ConfigVariable {
	return []ConfigVariable{
		{"merge." + DriverName + ".name", "issues-index: frontmatter key by key"},
		{"merge." + DriverName + ".driver", driver},
	}
}

// DriverAttribute is the line of .gitattributes that has git merge the documents in dir, and
// in the folders below it, by the driver. dir is slash-separated and relative to the folder
// of .gitattributes, "." for that itself.
func DriverAttribute(dir string) string {
	pattern := "*.md"
	if dir != "." {
		pattern = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir) + "/**/*.md"
	}
	if strings.HasPrefix(pattern, "!") || strings.HasPrefix(pattern, "#") {
		pattern = `\` + pattern
	}
	if strings.ContainsAny(pattern, " \t\"") {
		pattern = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(pattern) + `"`
	}
	return pattern + " merge=" + DriverName
}

// MissingSettings returns those of the settings that the repository of dir does not have in
// its own configuration. Errors: *Error where dir is in no repository.
func MissingSettings(ctx context.Context, dir string, wanted []ConfigVariable) ([]ConfigVariable, error) {
	out, err := run(ctx, dir, "config", "--local", "--list", "-z")
	there := map[string]string{} // of several values the last one counts
	for variable := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(variable, "\n")
		there[key] = value
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(s ConfigVariable) bool { return there[s.Key] == s.Value }), err
}

// SetSettings writes settings into the configuration of dir's repository, which all its
// worktrees share. Errors: *Error where that configuration is not the repository's own.
func SetSettings(ctx context.Context, dir string, settings []ConfigVariable) error {
	if why := foreignRepository(dir); why != "" {
		return &Error{said: "nothing is written, since " + why}
	}
	for _, s := range settings {
		if _, err := run(ctx, dir, "config", "--local", "--replace-all", s.Key, s.Value); err != nil {
			return err
		}
	}
	return nil
}
