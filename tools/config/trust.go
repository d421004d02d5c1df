package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// A repository may come from a stranger. Its own files are the workspace's DefaultFile
// and a .env file that the user has not named. They may change answers, but nothing that
// reaches out of the workspace. The user's own file, files that the user has named, the
// environment and the flags may set everything.

// What a repository may set a key to, besides everything and nothing.
const (
	loopbackOnly  = "only to an address of this machine"
	warningsShown = "only to debug, info or warn"
	belowCache    = "only to a place below .wrangler/cache"
)

// Never is the Repository of a key that a repository may not set.
const Never = "not at all"

// A repositoryError is returned for a value that a repository's own file may not set.
type repositoryError struct {
	key      *Key
	userFile string // "" when it is not known
}

func (e *repositoryError) Error() string {
	may := "may not set it"
	if e.key.Repository != Never {
		may = "may set it " + e.key.Repository
	}
	var ways []string
	if e.key.Flag != "" {
		ways = append(ways, "--"+e.key.Flag)
	}
	if len(e.key.Env) > 0 {
		ways = append(ways, "the environment variable "+e.key.Env[0])
	}
	ways = append(ways, ownFile(e.userFile))
	if len(e.key.Env) > 0 {
		ways = append(ways, "a file that you name with --config or --env-file")
	}
	return fmt.Sprintf("a repository's own file %s; use %s", may, either(ways))
}

// byRepository limits what a repository may set a key to.
func byRepository(limit string, fits func(text string) bool) func(*Key) {
	return func(k *Key) { k.Repository, k.fits = limit, fits }
}

// inCache limits a repository to paths in the cache, see home.confined.
func inCache(k *Key) { k.Repository = belowCache }

// onThisMachine reports whether only programs on this machine can reach an address.
func onThisMachine(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// refusedByTrust reports whether an error is a repositoryError.
func refusedByTrust(err error) bool {
	var refused *repositoryError
	return errors.As(err, &refused)
}

// InEnvFile reports whether the .env file sets a variable, known or not.
func (c *Config) InEnvFile(name string) bool { return c.inEnvFile[name] != "" }

// A home says where a text comes from, to resolve and restrict paths.
type home struct {
	root      string // relative paths start here; "" for the working directory
	stranger  bool   // the text is from a repository's own file
	workspace string // the root of the workspace; a stranger's path must be in its cache
	userFile  string // the path of the user's own file, for messages; "" when it is not known
}

// inMemory is the path of an index without a file.
const inMemory = ":memory:"

// place resolves a path, and reports whether it may lead there.
func (h home) place(path string) (string, bool) {
	switch {
	case path == inMemory:
	case h.stranger:
		return h.confined(path)
	case h.root != "" && !filepath.IsAbs(path):
		return filepath.Join(h.root, filepath.FromSlash(path)), true
	}
	return path, true
}

// cacheDir is the folder of a workspace that a repository's paths must be in.
const cacheDir = ".wrangler/cache"

// confined returns the absolute path of a name. The path must be below the workspace's
// cache, and links in its existing part must not lead out of the workspace.
func (h home) confined(name string) (path string, ok bool) {
	name = filepath.FromSlash(name)
	real, err := filepath.EvalSymlinks(h.workspace)
	if err != nil || h.workspace == "" || !filepath.IsLocal(name) {
		return "", false
	}
	path = filepath.Join(h.root, name)
	cache := filepath.Join(h.workspace, filepath.FromSlash(cacheDir))
	if path == cache || !inside(cache, path) {
		return "", false
	}
	for existing := path; ; existing = filepath.Dir(existing) {
		resolved, err := filepath.EvalSymlinks(existing)
		if errors.Is(err, fs.ErrNotExist) && !isLink(existing) && len(existing) > len(h.workspace) {
			continue
		}
		return path, err == nil && inside(real, resolved)
	}
}

// inside reports whether a path is that of a folder or in it.
func inside(dir, path string) bool {
	within, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(within)
}

// isLink reports whether a path is a symbolic link, broken or not.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
