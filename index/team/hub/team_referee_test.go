package hub_test

import (
	"fmt"
	"sync"
	"testing"
)

// A referee hears of each claim and each number that was agreed with the engine. Machines say
// before a change that it may end a claim, and after a change that one was made.
type referee struct {
	mu      sync.Mutex
	holders map[string]agreedClaim // by workspace and id
	numbers map[string]int         // the machine that got a number, likewise
}

type agreedClaim struct {
	machine int
	holder  string
}

func newReferee() *referee {
	return &referee{holders: map[string]agreedClaim{}, numbers: map[string]int{}}
}

// claimed hears of a claim that was agreed. The error says who else has the document.
func (r *referee) claimed(workspace, id string, by agreedClaim) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := workspace + ":" + id
	if other, held := r.holders[key]; held && other != by {
		return fmt.Errorf("%s is given to %+v while %+v has it", key, by, other)
	}
	r.holders[key] = by
	return nil
}

// mayEnd hears that a machine is about to end its claim on a document, if it has one.
func (r *referee) mayEnd(workspace, id string, machine int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if key := workspace + ":" + id; r.holders[key].machine == machine {
		delete(r.holders, key)
	}
}

// numbered hears of an id that was agreed. The error says who has it, too.
func (r *referee) numbered(workspace, id string, machine int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := workspace + ":" + id
	if other, given := r.numbers[key]; given {
		return fmt.Errorf("machines %d and %d were both given %s", other, machine, key)
	}
	r.numbers[key] = machine
	return nil
}

func TestTheRefereeSeesFouls(t *testing.T) {
	r := newReferee()
	anna, ben := agreedClaim{0, "anna"}, agreedClaim{1, "ben"}
	ok(t, r.claimed("api", "ISS-1", anna), r.claimed("api", "ISS-1", anna), r.claimed("web", "ISS-1", ben))
	if r.claimed("api", "ISS-1", ben) == nil {
		t.Error("two machines have a document")
	}
	r.mayEnd("api", "ISS-1", ben.machine)
	if r.claimed("api", "ISS-1", ben) == nil {
		t.Error("one machine has ended the claim of another one")
	}
	r.mayEnd("api", "ISS-1", anna.machine)
	ok(t, r.claimed("api", "ISS-1", ben), r.numbered("api", "ISS-2", 0), r.numbered("web", "ISS-2", 1))
	if r.numbered("api", "ISS-2", 0) == nil {
		t.Error("a number is given out twice")
	}
}
