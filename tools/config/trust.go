package config

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// A repository is the work of many and comes from anywhere. Its own files are the
// workspace's DefaultFile and a file of variables that nobody has named; they may
// set what changes answers, and nothing that reaches out of the workspace. A file
// that the user has named, the environment and the flags are the user's own.

// What a repository may set a key to, besides nothing and anything.
const (
	loopbackOnly  = "only to an address of this machine"
	warningsShown = "only to debug, info or warn"
	belowCache    = "only to a place below .wrangler/cache"
)

// Never is the Repository of a key that a repository may not set.
const Never = "not at all"

// A repositoryError refuses a value that a repository's own file has for a key.
type repositoryError struct {
	key *Key
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
	ways = append(ways, "the environment variable "+e.key.Env[0], "a file that you name with --config or --env-file")
	return fmt.Sprintf("a repository's own file %s; use %s", may, either(ways))
}

// byRepository makes a key one that a repository may only set to what fits.
func byRepository[T any](limit string, fits func(T) bool) func(*Key) {
	return func(k *Key) {
		k.Repository = limit
		k.fits = func(v any) bool {
			value, ok := v.(T)
			return ok && fits(value)
		}
	}
}

// usersOwn makes a key one that a repository may not set.
func usersOwn(k *Key) { k.Repository = Never }

// inCache makes a key a path that a repository may set, as far as confine lets it.
func inCache(k *Key) { k.Repository = belowCache }

// onThisMachine reports whether nobody but programs of this machine can reach an
// address.
func onThisMachine(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// refusedByTrust reports whether an error is about who may set a key.
func refusedByTrust(err error) bool {
	var refused *repositoryError
	return errors.As(err, &refused)
}

// InEnvFile reports whether a variable is set in the file of variables, one of ours
// or not.
func (c *Config) InEnvFile(name string) bool { return c.inEnvFile[name] }
