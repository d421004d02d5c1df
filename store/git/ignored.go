package git

import (
	"context"
	"os"
)

// Ignores reports whether git would leave a file of dir's repository out of commits. The path
// is relative to dir. Nothing is ignored where there is no repository, or no git. The list of
// the user is left out: a repository's configuration could name any file as that.
func Ignores(ctx context.Context, dir, path string) bool {
	_, err := run(ctx, dir, "-c", "core.excludesFile="+os.DevNull, "check-ignore", "--quiet", "--", path)
	return err == nil
}
