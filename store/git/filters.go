package git

import (
	"context"
	"maps"
	"slices"
	"strings"

	"issues-index/store/words"
)

// A repository's own configuration comes with its folder, and so may be a stranger's: of an archive
// that was unpacked. What follows keeps git from running the programs that it names.

// filterOptions returns the options with which git uses the user's filters alone,
// and no hook, of those that the configuration of dir's repository names. They hold in dir,
// with the same options where: in another worktree, git may include other files.
func filterOptions(ctx context.Context, dir string, where ...string) ([]string, error) {
	out, err := run(ctx, dir, slices.Concat(where, []string{"config", "--list", "--show-scope", "-z"})...)
	if err != nil {
		return nil, err
	}
	users, others := map[string]string{}, map[string]string{}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		switch fields[i] {
		case "system", "global", "command":
			if !strings.HasPrefix(key, "hook.") { // enabled would hold for the repository's command
				users[key] = value
			}
		default:
			switch {
			case strings.HasPrefix(key, "filter."):
				others[key] = ""
				if strings.HasSuffix(key, ".required") {
					others[key] = "false"
				}
			case strings.HasPrefix(key, "hook."):
				others[key[:strings.LastIndexByte(key, '.')]+".enabled"] = "false"
			}
		}
	}
	var options []string
	for _, key := range slices.Sorted(maps.Keys(others)) {
		if strings.Contains(key, "=") { // git takes it for the end of the key
			return nil, &Error{said: "its configuration has a key with = in it: " + words.CutBytes(key, 40)}
		}
		value := others[key]
		if own, set := users[key]; set {
			value = own
		}
		options = append(options, "-c", key+"="+value)
	}
	return options, nil
}
