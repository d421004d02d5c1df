package publish

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"

	"issues-index/store/mirror"
	"issues-index/store/pattern"
)

// ownLine names the line of one checkout alone, such as mac-7k2q, by its machine and by what
// tells its folder from others.
func ownLine(host, folder string) string {
	const most = 40
	host, _, _ = strings.Cut(strings.ToLower(host), ".")
	host = strings.Trim(others().ReplaceAllString(host, "-"), "-")
	host = strings.Trim(host[:min(len(host), most)], "-")
	if host == "" {
		host = "machine"
	}
	const letters = 4
	sum := sha256.Sum256([]byte(folder))
	return host + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:letters])
}

// others are what the name of a line has a hyphen for.
var others = pattern.Lazy(`[^a-z0-9]+`)

// nonceOf tells the leases of a checkout from those of others. A process that is started again
// has the same, also when what was published was forgotten.
func nonceOf(host, folder string) string {
	sum := sha256.Sum256([]byte(host + "\n" + folder))
	return hex.EncodeToString(sum[:16])
}

// keptKey is the key of the sign of life of a line, and knownKey that of the mark which says
// that it has had one, see duty.keep.
func keptKey(line string) string  { return "kept-" + line }
func knownKey(line string) string { return "known-" + line }

// isMain reports whether a line is the main one.
func isMain(line string) bool { return line == mirror.Main }
