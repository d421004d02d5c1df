package git

import "context"

// Ignores reports whether git would leave a file of dir's repository out of commits. The path
// is relative to dir. Nothing is ignored where there is no repository, or no git.
func Ignores(ctx context.Context, dir, path string) bool {
	_, err := run(ctx, dir, "check-ignore", "--quiet", "--", path)
	return err == nil
}
