package nats_test

import (
	"fmt"
	"sync"
	"testing"

	"issues-index/index/team/natstest"
	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// What a reader asks for at once is less than all of a line: it goes on until it has all, and
// says so only then.
func TestManyDocumentsAreReadToTheEnd(t *testing.T) {
	const documents, batch = 2_300, 230
	c := natstest.Start(t, 1).Connect(natstest.API)
	line := mirror.Branch{Workspace: "api", Name: mirror.Main}
	for first := 1; first <= documents; first += batch {
		var versions []share.DocumentVersion
		for i := first; i < first+batch; i++ {
			versions = append(versions, share.DocumentVersion{Branch: line, Path: fmt.Sprintf("docs/%d.md", i), Data: []byte("text"), Origin: share.Origin{Epoch: "e", Rev: uint64(i)}})
		}
		for _, ack := range c.Publish(t.Context(), versions) {
			if ack.Err != nil {
				t.Fatal(ack.Err)
			}
		}
	}
	of := share.BranchSelection{Workspaces: []string{"api"}, Branches: []string{mirror.Main}}
	heads := 0
	for _, err := range c.Heads(t.Context(), of) {
		if heads++; err != nil {
			t.Fatal(err)
		}
	}
	if heads != documents {
		t.Errorf("%d heads of %d", heads, documents)
	}
	followed := 0
	for versions, err := range c.Follow(t.Context(), 0, of) {
		if err != nil {
			t.Fatal(err)
		}
		if followed += len(versions); len(versions) == 0 {
			break
		}
	}
	if followed != documents {
		t.Errorf("%d of %d documents were followed when that was said to be all", followed, documents)
	}
}

// After the cluster was away, all machines of a large team read at once. A reader stays at the
// server for a while after it is done.
func TestMoreReadersThanAServerAllows(t *testing.T) {
	const readers = 1_100
	c := natstest.Start(t, 1).Connect(natstest.API)
	line := mirror.Branch{Workspace: "api", Name: mirror.Main}
	version := share.DocumentVersion{Branch: line, Path: "docs/1.md", Data: []byte("text"), Origin: share.Origin{Epoch: "e", Rev: 1}}
	if acks := c.Publish(t.Context(), []share.DocumentVersion{version}); acks[0].Err != nil {
		t.Fatal(acks[0].Err)
	}
	var reading sync.WaitGroup
	for range 10 {
		reading.Go(func() {
			for range readers / 10 {
				for _, err := range c.Heads(t.Context(), share.BranchSelection{Workspaces: []string{"api"}, Branches: []string{mirror.Main}}) {
					if err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	reading.Wait()
}
