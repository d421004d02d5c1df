// Package nats shares a team's documents through a cluster of NATS JetStream: it implements
// package share, makes the streams, and writes the configuration of a cluster's servers.
//
// It knows nothing about the index or MCP. Its invariants: a message is a version of what its
// subject says, or is skipped and named; every change that is acknowledged is on the disks of most
// nodes.
package nats

import (
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// The streams of a team. A bucket of keys is a stream, too.
const (
	docsStream     = share.DocumentStream // docs.<workspace>.<line>.<hash of the path>
	idsStream      = "IDS"                // ids.<workspace>.<series>
	claimsBucket   = "claims"
	claimsStream   = "KV_" + claimsBucket // $KV.claims.<workspace>.<key>
	presenceBucket = "presence"
	presenceStream = "KV_" + presenceBucket // $KV.presence.<workspace>.<line>
)

// streamNames has all streams.
var streamNames = []string{docsStream, idsStream, claimsStream, presenceStream}

const (
	leasePrefix    = "$KV." + claimsBucket + "."
	presencePrefix = "$KV." + presenceBucket + "."
)

func leaseSubject(workspace, key string) string {
	return leasePrefix + workspace + "." + share.SubjectToken(key)
}

func numberSubject(workspace, series string) string {
	return "ids." + workspace + "." + share.SubjectToken(series)
}

func presenceSubject(branch mirror.Branch) string {
	return presencePrefix + branch.Workspace + "." + branch.Name
}

func callSubject(branch mirror.Branch) string {
	return "call." + branch.Workspace + "." + branch.Name
}
