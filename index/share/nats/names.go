// Package nats shares a team's documents through a cluster of NATS JetStream: it implements
// package share, makes the streams, and writes the configuration of a cluster's servers.
//
// It knows nothing about the index or MCP. Its invariants: nobody is trusted to have published
// what its subject says, so that each message is checked when it is read; every change that is
// acknowledged is on the disks of most nodes.
package nats

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"issues-index/store/mirror"
)

// The streams of a team. A bucket of keys is a stream, too.
const (
	docsStream     = "DOCS"  // docs.<workspace>.<line>.<hash of the path>
	blobsStream    = "BLOBS" // blobs.<workspace>.<hash>.<piece>: bodies too large for one message
	idsStream      = "IDS"   // ids.<workspace>.<series>
	claimsBucket   = "claims"
	claimsStream   = "KV_" + claimsBucket // $KV.claims.<workspace>.<key>
	presenceBucket = "presence"
	presenceStream = "KV_" + presenceBucket // $KV.presence.<workspace>.<line>
)

// streamNames has all streams.
var streamNames = []string{docsStream, blobsStream, idsStream, claimsStream, presenceStream}

const (
	leasePrefix    = "$KV." + claimsBucket + "."
	presencePrefix = "$KV." + presenceBucket + "."
)

var subjectEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// documentSubject is where the versions of a document are published. A path may have letters
// that a subject may not, so that its hash stands for it.
func documentSubject(line mirror.Line, path string) string {
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("docs.%s.%s.%s", line.Workspace, line.Name, subjectEncoding.EncodeToString(sum[:10]))
}

func leaseSubject(workspace, key string) string {
	return leasePrefix + workspace + "." + token(key)
}

func numberSubject(workspace, series string) string {
	return "ids." + workspace + "." + token(series)
}

func presenceSubject(line mirror.Line) string {
	return presencePrefix + line.Workspace + "." + line.Name
}

func callSubject(line mirror.Line) string {
	return "call." + line.Workspace + "." + line.Name
}

func blobSubject(workspace, hash string, piece int) string {
	return fmt.Sprintf("blobs.%s.%s.%d", workspace, hash, piece)
}

// token writes any text as one part of a subject: letters and digits of ASCII, hyphens and
// underscores stand for themselves, every other byte is = and two digits.
func token(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02x", c)
		}
	}
	return b.String()
}
