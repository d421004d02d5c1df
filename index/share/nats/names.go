// Package nats shares a team's documents through a cluster of NATS JetStream: it implements
// package share, makes the streams, and writes the configuration of a cluster's servers.
//
// It knows nothing about the index or MCP. Its invariants: nobody is trusted to have published
// what its subject says, so that each message is checked when it is read; every change that is
// acknowledged is on the disks of most nodes.
package nats

// The streams and buckets of a team. A bucket of keys or of objects is a stream, too.
const (
	docsStream     = "DOCS"
	idsStream      = "IDS"
	claimsBucket   = "claims"
	claimsStream   = "KV_" + claimsBucket
	presenceBucket = "presence"
	presenceStream = "KV_" + presenceBucket
	blobsStream    = "BLOBS"
)
