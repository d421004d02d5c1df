package publish

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
	"issues-index/store/pattern"
)

// leaseLasts is how long a branch stays with a machine that says nothing more.
const leaseLasts = time.Minute

// isMain reports whether a branch is the main one.
func isMain(branch string) bool { return branch == mirror.Main }

// wantedBranch is the branch that the checkout is to publish, "" for none.
func (l *publishLoop) wantedBranch() string {
	switch {
	case l.p.Branch != "":
		return l.p.Branch
	case l.git.onDefault:
		return mirror.Main
	case l.p.MainOnly:
		return ""
	}
	return l.ownBranch
}

// holdBranch takes or renews the lease of the branch that is to be published, and changes the branch
// where another one is. Where another machine has the main branch, it is the branch of this checkout
// alone, if that may take its place. Without an error, Branch is "" or its lease is held.
func (l *publishLoop) holdBranch(ctx context.Context) error {
	wanted := l.wantedBranch()
	// Where another machine has the main branch, it is tried for when the own branch is renewed.
	waits := isMain(wanted) && l.MainHolder != "" && l.p.wall().Before(l.renewAt)
	if err := l.renewBranch(ctx); err != nil {
		return err
	}
	switch {
	case wanted == "":
		l.leaveBranch(ctx, "this is no checkout of the default branch, and nothing else is to be published")
		return nil
	case l.Branch == wanted || l.Branch == l.ownBranch && waits:
		return nil
	}
	lease, err := l.take(ctx, share.BranchLeaseKey(wanted))
	if held := new(share.HeldError); errors.As(err, &held) {
		if l.MainHolder = ""; isMain(wanted) {
			l.MainHolder = held.Lease.Holder
		}
		if l.p.Branch != "" || l.p.MainOnly || l.once {
			err := &HeldBranchError{Branch: wanted, Lease: held.Lease}
			l.leaveBranch(ctx, err.Error())
			return err
		}
		if wanted = l.ownBranch; l.Branch == wanted {
			return nil
		}
		lease, err = l.take(ctx, share.BranchLeaseKey(wanted))
	}
	if err != nil {
		return err
	}
	l.leaveBranch(ctx, "")
	l.enterBranch(ctx, wanted, lease)
	return nil
}

// renewBranch renews the lease of the branch where that is due. A lease that is lost ends the branch
// at once.
func (l *publishLoop) renewBranch(ctx context.Context) error {
	now := l.p.wall()
	if l.Branch == "" || now.Before(l.renewAt) {
		return nil
	}
	lease, err := l.p.Team.Renew(ctx, l.lease, leaseLasts)
	if errors.Is(err, share.ErrLost) {
		l.p.Log.Warn("another machine may publish the line now", "workspace", l.p.Workspace, "line", l.Branch)
		l.leaveBranch(ctx, "the lease of the line "+l.Branch+" was lost")
		return nil
	}
	if err != nil {
		return err // nothing is published before it is known which machine has the branch
	}
	l.lease, l.renewAt = lease, now.Add(leaseLasts/3)
	l.announce(ctx)
	return nil
}

// teamLease is a lease of this checkout.
func (l *publishLoop) teamLease(key string) share.TeamLease {
	return share.TeamLease{
		Workspace: l.p.Workspace, Key: key, Holder: fmt.Sprintf("%s:%s", l.p.host, l.ws.Root),
		Nonce: nonceOf(l.p.host, l.identity), Since: l.p.Now(),
	}
}

// take takes a lease for this checkout, or renews it.
func (l *publishLoop) take(ctx context.Context, key string) (share.TeamLease, error) {
	return l.p.Team.Take(ctx, l.teamLease(key), leaseLasts)
}

// release lets others have a lease. A lease that is not released lapses.
func (l *publishLoop) release(ctx context.Context, lease share.TeamLease) {
	if err := l.p.Team.Release(ctx, lease); err != nil {
		l.p.Log.Debug("release a lease", "workspace", l.p.Workspace, "lease", lease.Key, "error", err)
	}
}

// enterBranch begins to publish a branch. The lease was taken just now.
func (l *publishLoop) enterBranch(ctx context.Context, branch string, lease share.TeamLease) {
	l.Branch, l.lease, l.renewAt = branch, lease, l.p.wall().Add(leaseLasts/3)
	l.reconcileAt, l.isNew = time.Time{}, true
	if isMain(branch) {
		l.MainHolder = ""
	}
	l.p.set(l.PublisherStatus, false)
	l.p.Log.Info("publishing", "workspace", l.p.Workspace, "line", branch)
	l.announce(ctx)
	if l.p.Answer != nil && !l.once {
		serving, end := context.WithCancel(context.WithoutCancel(ctx))
		l.endCalls = end
		go l.p.serveCalls(serving, l.p.branch(branch))
	}
}

// leaveBranch ends the publishing of the branch, if there is one, and lets others have it.
func (l *publishLoop) leaveBranch(ctx context.Context, why string) {
	l.endCalls()
	if l.Branch != "" {
		l.release(ctx, l.lease)
	}
	l.Branch, l.Idle, l.Position, l.published = "", why, 0, indexVersion{}
	clear(l.problems)
	clear(l.unsaved) // they are those of the branch
	l.setWaiting(0)
}

// serveCalls answers calls to a branch until ctx ends.
func (p *Publisher) serveCalls(ctx context.Context, branch mirror.Branch) {
	for {
		err := p.Team.ServeCalls(ctx, branch, p.Answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.Log.Warn("answer calls to the line", "line", branch.String(), "error", err)
		if share.Pause(ctx, p.intervals.tick) != nil {
			return
		}
	}
}

// announce has the team see this machine. A presence that fails keeps no document back: the next one
// comes when the lease is renewed, and by then the old one still counts.
func (l *publishLoop) announce(ctx context.Context) {
	if l.once {
		return
	}
	err := l.p.Team.Announce(ctx, share.Presence{
		Branch: l.p.branch(l.Branch), Machine: l.p.host, Version: l.p.Version, Commit: l.git.commit,
		Waiting: l.Waiting, At: l.p.Now(),
	})
	if err != nil {
		l.p.Log.Debug("announce this machine", "line", l.Branch, "error", err)
	}
}

// ownBranchName names the branch of one checkout alone, such as mac-7k2q, by its machine and by what
// tells its folder from others.
func ownBranchName(host, folder string) string {
	const most = 40
	host, _, _ = strings.Cut(strings.ToLower(host), ".")
	host = strings.Trim(nameGaps().ReplaceAllString(host, "-"), "-")
	host = strings.Trim(host[:min(len(host), most)], "-")
	if host == "" {
		host = "machine"
	}
	const letters = 4
	sum := sha256.Sum256([]byte(folder))
	return host + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:letters])
}

// nameGaps are what the name of a branch has a hyphen for.
var nameGaps = pattern.Lazy(`[^a-z0-9]+`)

// nonceOf tells the leases of a checkout from those of others. A process that is started again
// has the same, also when what was published was forgotten.
func nonceOf(host, folder string) string {
	sum := sha256.Sum256([]byte(host + "\n" + folder))
	return hex.EncodeToString(sum[:16])
}
