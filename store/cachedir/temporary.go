package cachedir

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Temporary files are hidden, so that no walk takes them for documents, and never
// end in .md. No two writers choose the same name.
const (
	temporaryPrefix = ".issues-index-"
	temporarySuffix = ".tmp"
)

// TemporaryName is a new name for a file that will be renamed.
func TemporaryName() string {
	return fmt.Sprintf("%s%016x%s", temporaryPrefix, rand.Uint64(), temporarySuffix)
}

// IsTemporary reports whether a name is one of TemporaryName: a writer who died has
// left it behind.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix)
}
