// Package claims keeps the leases of claimed documents: which holder works on which document,
// and until when that counts without a heartbeat. Where a team's engine is configured, it asks
// the engine for what two clones of a workspace must not both have: the claim on a document,
// and the number of a new id. A clone is one folder with a workspace on one machine: a git worktree
// and a copy of a folder are clones of their own.
//
// It knows nothing of the index, of MCP, of how work is chosen, or of which engine it is. Its
// invariants:
//   - The document decides: a lease counts only while its document is in progress and assigned
//     to its holder.
//   - Every grant has a larger fence than all before it.
//   - No two running processes serve one session, and the claims of a session whose process has
//     ended are stale.
//   - What is wrong with leases.db never changes a document.
//   - The engine is asked besides the local rules, and can only refuse. A lease at the engine is
//     the clone's, not the holder's: among the holders of one clone the local rules decide. So
//     any holder of the clone may take again what a killed process left behind.
//   - A lease at the engine is made to last before the local one is, so that it never ends
//     earlier.
package claims

import (
	"strings"
	"time"
	"unicode"
)

// A Lease says until when a holder's claim on a document counts.
type Lease struct {
	Path, ID string // of the document; Path is slash-separated, relative to the root
	Holder   string // as HolderName makes it
	// Fence tells grants apart: each has a larger one than all before it.
	Fence                     int64
	Granted, Renewed, Expires time.Time     // by this machine's clock
	Length                    time.Duration // from Renewed to Expires
	// EndedBy is which other holder has ended the lease, "" for none: by taking the document over
	// after the lease had lapsed, or by a change after which it did not count.
	EndedBy string
	Ended   time.Time
	// Status and Assignee are those of the document when the lease was ended. Both are "" when it
	// was deleted. When another holder took it over, Status is "", and Assignee is that holder.
	Status, Assignee string

	// Died is when the process of the holder's session was found to have ended, zero when
	// it runs, or when the holder has none: a command, or a client over HTTP.
	Died time.Time

	Told bool // the holder knows that it lapsed, or that it ended

	// Local says that in a team it binds this clone alone: the team's engine does not have it.
	Local bool
}

// DefaultLength is how long a claim counts without a heartbeat. MinLength and MaxLength bound what a
// caller may ask for: a lease that ends farther ahead was given by a wrong clock.
const (
	DefaultLength = 4 * time.Hour
	MinLength     = time.Minute
	MaxLength     = 7 * 24 * time.Hour
)

// farAheadBy is how far ahead no lease can end that was given by a clock which was right: a minute
// is for clocks that differ a little.
const farAheadBy = MaxLength + time.Minute

// Live reports whether the lease has not lapsed, and nothing tells that its holder is gone.
func (l Lease) Live(now time.Time) bool { return l.Died.IsZero() && !l.lapsed(now) }

// lapsed reports whether the lease has come to its end. A lease that ends farther ahead than any can
// was given while the clock was wrong, and counts as lapsed.
func (l Lease) lapsed(now time.Time) bool { return !now.Before(l.Expires) || l.farAhead(now) }

// farAhead reports whether the lease ends farther ahead than any can.
func (l Lease) farAhead(now time.Time) bool { return l.Expires.After(now.Add(farAheadBy)) }

// End is when the lease lapses, or its holder was found to be gone.
func (l Lease) End() time.Time {
	if !l.Died.IsZero() && l.Died.Before(l.Expires) {
		return l.Died
	}
	return l.Expires
}

// FreeFrom is when others may take the document: a quarter of the lease after it has
// lapsed, since a holder who is late may still be at work, or when a holder who is gone has
// had time to come back.
func (l Lease) FreeFrom() time.Time {
	from := l.Expires.Add(l.Length / 4)
	if back := l.Died.Add(RestartTime); !l.Died.IsZero() && back.Before(from) {
		return back
	}
	return from
}

// Free reports whether others may take the document.
func (l Lease) Free(now time.Time) bool {
	return !now.Before(l.FreeFrom()) || l.farAhead(now)
}

// IsOf reports whether the lease is a holder's, or that of an agent of the holder, whose
// name goes on after a slash.
func (l Lease) IsOf(holder string) bool {
	return l.Holder == holder || holder != "" && strings.HasPrefix(l.Holder, holder+"/")
}

// TakenOver reports whether the lease had lapsed, and EndedBy holds the document since.
func (l Lease) TakenOver() bool { return l.EndedBy != "" && l.Status == "" && l.Assignee != "" }

// due reports whether a heartbeat is worth a write.
func (l Lease) due(now time.Time) bool {
	return now.Before(l.Renewed) || now.Sub(l.Renewed) >= l.Length/3
}

// maxHolder limits each part of a holder's name, in bytes. Clients choose their names.
const maxHolder = 60

// HolderName joins the parts of a holder's name, such as the client, its session and an agent in
// it, in the one form that names are compared in: lower case, with a hyphen for each run of
// anything but letters, digits and . _ @, with / between the parts, and each part cut at 60 bytes
// (maxHolder): claude-code/k3f7qz/worker-1.
func HolderName(parts ...string) string {
	var folded []string
	for _, part := range strings.Split(strings.Join(parts, "/"), "/") {
		words := strings.FieldsFunc(strings.ToLower(part), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._@", r)
		})
		part = strings.Join(words, "-")
		if part = strings.ToValidUTF8(part[:min(len(part), maxHolder)], ""); part != "" {
			folded = append(folded, part)
		}
	}
	return strings.Join(folded, "/")
}
