package nats

import (
	"fmt"
	"strings"

	"github.com/nats-io/nkeys"
)

// A Role says what a user of the cluster is for.
type Role string

const (
	// RoleWorkspaces publishes the documents of some workspaces, claims in them, and answers
	// calls to them.
	RoleWorkspaces Role = "workspaces"
	// RoleHub reads the documents of all workspaces and calls their machines. It writes none.
	RoleHub Role = "hub"
	// RoleAdministrator may do everything, and is needed to make the streams.
	RoleAdministrator Role = "administrator"
)

// A ClusterUser may use the cluster, with a key of its own.
type ClusterUser struct {
	Name       string   `json:"name"`
	Public     string   `json:"public"` // its NKEY
	Role       Role     `json:"role"`
	Workspaces []string `json:"workspaces,omitempty"` // of RoleWorkspaces
}

// NewKey makes a key of a user: its seed, which is secret, and its public part.
func NewKey() (seed []byte, public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", fmt.Errorf("make a key: %w", err)
	}
	if seed, err = pair.Seed(); err == nil {
		public, err = pair.PublicKey()
	}
	if err != nil {
		return nil, "", fmt.Errorf("make a key: %w", err)
	}
	return seed, public, nil
}

// InboxPrefix is what the inboxes of a user begin with. No other user may listen there.
func InboxPrefix(public string) string { return anyInbox + "_" + public }

// permissions are the subjects to which a user may publish, and to which it may subscribe. What
// is read goes to the user's inbox. Consumers are pulled by their names, which are random, and
// which no user can list.
//
// What they do not close: a server sends its answer to whatever subject the request names, and
// its streams store it there, from any user who may write to that subject. So every member can put an
// acknowledgement, the state of a stream or a copy of a message of its own in the place of another
// workspace's document, claim or presence. No permission and no setting of a stream prevents that.
// It misleads no hub, since readers refuse a copy: share.ParseHeader of a document, readLease of a
// claim. A presence is believed: it is shown, and decides nothing. The owner of a document meets a
// conflict and publishes again; a claim in whose place it was put is lost, and taken anew. An
// answer to a call goes to a place that only the called machine learns. A member that has to be
// kept from disturbing others, too, needs a cluster of its own.
func (u ClusterUser) permissions() (publish, subscribe []string) {
	inbox := InboxPrefix(u.Public) + ".>"
	if u.Role == RoleAdministrator {
		return []string{">"}, []string{">"}
	}
	publish = []string{"$JS.API.INFO", "$JS.API.STREAM.INFO." + idsStream}
	for _, stream := range []string{docsStream, claimsStream, presenceStream} {
		publish = append(publish, "$JS.API.STREAM.INFO."+stream, "$JS.API.CONSUMER.MSG.NEXT."+stream+".*")
	}
	publish = append(publish, reading(presenceStream, presencePrefix+">")...)
	if u.Role == RoleHub {
		publish = append(publish, "call.>")
		for _, stream := range []string{docsStream, claimsStream} {
			publish = append(publish, reading(stream, ">")...)
			publish = append(publish, "$JS.API.CONSUMER.CREATE."+stream+".*") // of several workspaces
		}
		return publish, []string{inbox}
	}
	subscribe = []string{inbox}
	for _, workspace := range u.Workspaces {
		publish = append(publish, "ids."+workspace+".>") // nothing of it is read: an increment would come back as one
		for _, own := range []struct{ stream, subjects string }{
			{docsStream, "docs." + workspace + ".>"}, {claimsStream, leasePrefix + workspace + ".>"},
		} {
			publish = append(publish, own.subjects)
			publish = append(publish, reading(own.stream, own.subjects)...)
		}
		publish = append(publish, "$KV."+presenceBucket+"."+workspace+".>")
		subscribe = append(subscribe, "call."+workspace+".>")
	}
	return publish, subscribe
}

// reading are the requests by which messages with some subjects are found.
func reading(stream, subjects string) []string {
	return []string{
		"$JS.API.DIRECT.GET." + stream + "." + subjects, "$JS.API.CONSUMER.CREATE." + stream + ".*." + subjects,
	}
}

// config is the user in the configuration of a server.
func (u ClusterUser) config() string {
	publish, subscribe := u.permissions()
	responses := ""
	if u.Role == RoleWorkspaces { // a call tells where its answer goes
		responses = "\n      allow_responses: { max: 1, expires: \"1m\" }"
	}
	return fmt.Sprintf(`  { # %s
    nkey: %s
    permissions: {
      publish: { allow: [%s] }
      subscribe: { allow: [%s] }%s
    }
  }
`, u.Name, u.Public, quotedAll(publish), quotedAll(subscribe), responses)
}

func quotedAll(subjects []string) string {
	lines := make([]string, len(subjects))
	for i, subject := range subjects {
		lines[i] = "\n        \"" + subject + "\""
	}
	return strings.Join(lines, "") + "\n      "
}
