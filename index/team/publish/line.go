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

// leaseLasts is how long a line stays with a machine that says nothing more.
const leaseLasts = time.Minute

// isMain reports whether a line is the main one.
func isMain(line string) bool { return line == mirror.Main }

// wantedLine is the line that the checkout is to publish, "" for none.
func (l *publishLoop) wantedLine() string {
	switch {
	case l.p.Line != "":
		return l.p.Line
	case l.git.onDefault:
		return mirror.Main
	case l.p.MainOnly:
		return ""
	}
	return l.ownLine
}

// holdLine takes or renews the lease of the line that is to be published, and changes the line
// where another one is. Where another machine has the main line, it is the line of this checkout
// alone, if that may take its place. Without an error, line is "" or its lease is held.
func (l *publishLoop) holdLine(ctx context.Context) error {
	wanted := l.wantedLine()
	if l.line != "" {
		if err := l.renewLine(ctx); err != nil {
			return err
		}
		waits := isMain(wanted) && l.line == l.ownLine && l.p.wall().Before(l.tryMainAt)
		if l.line != "" && (l.line == wanted || waits) {
			return nil
		}
	}
	if wanted == "" {
		l.leaveLine(ctx, "this is no checkout of the default branch, and nothing else is to be published")
		return nil
	}
	lease, err := l.take(ctx, wanted)
	if held := new(share.HeldError); errors.As(err, &held) {
		l.p.note(func(s *PublisherStatus) {
			if s.MainHolder = ""; isMain(wanted) {
				s.MainHolder = held.Lease.Holder
			}
		})
		if l.p.Line != "" || l.p.MainOnly || l.once {
			err := &HeldBranchError{Line: wanted, Lease: held.Lease}
			l.leaveLine(ctx, err.Error())
			return err
		}
		l.tryMainAt = l.p.wall().Add(l.p.rhythm.tick)
		if wanted = l.ownLine; l.line == wanted {
			return nil
		}
		lease, err = l.take(ctx, wanted)
	}
	if err != nil {
		return err
	}
	l.leaveLine(ctx, "")
	l.enterLine(ctx, wanted, lease)
	return nil
}

// renewLine renews the lease of the line where that is due. A lease that is lost ends the line
// at once.
func (l *publishLoop) renewLine(ctx context.Context) error {
	now := l.p.wall()
	if now.Before(l.renewAt) {
		return nil
	}
	lease, err := l.p.Team.Renew(ctx, l.lease, leaseLasts)
	if errors.Is(err, share.ErrLost) {
		l.p.Log.Warn("another machine may publish the line now", "workspace", l.p.Workspace, "line", l.line)
		l.lease = share.TeamLease{}
		l.leaveLine(ctx, "the lease of the line "+l.line+" was lost")
		return nil
	}
	if err != nil {
		return err // nothing is published before it is known which machine has the line
	}
	l.lease, l.renewAt = lease, now.Add(leaseLasts/3)
	return nil
}

// take takes the lease of a line.
func (l *publishLoop) take(ctx context.Context, line string) (share.TeamLease, error) {
	return l.p.Team.Take(ctx, l.teamLease(share.BranchLeaseKey(line)), leaseLasts)
}

// teamLease is a lease of this checkout.
func (l *publishLoop) teamLease(key string) share.TeamLease {
	return share.TeamLease{
		Workspace: l.p.Workspace, Key: key, Holder: fmt.Sprintf("%s:%s", l.p.host, l.ws.Root),
		Nonce: nonceOf(l.p.host, l.identity), Since: l.p.Now(),
	}
}

// release lets others have a lease. One that is not released lapses.
func (l *publishLoop) release(ctx context.Context, lease share.TeamLease) {
	if err := l.p.Team.Release(ctx, lease); err != nil {
		l.p.Log.Debug("release a lease", "workspace", l.p.Workspace, "lease", lease.Key, "error", err)
	}
}

// enterLine begins to publish a line. The lease was taken just now.
func (l *publishLoop) enterLine(ctx context.Context, line string, lease share.TeamLease) {
	l.line, l.lease, l.renewAt = line, lease, l.p.wall().Add(leaseLasts/3)
	l.compareAgain()
	l.p.note(func(s *PublisherStatus) {
		if s.Line, s.Idle = line, ""; isMain(line) {
			s.MainHolder = ""
		}
	})
	l.p.Log.Info("publishing", "workspace", l.p.Workspace, "line", line)
	if l.p.Answer != nil && !l.once {
		serving, end := context.WithCancel(ctx)
		l.endCalls = end
		go l.p.serveCalls(serving, l.p.line(line))
	}
	l.announced = time.Time{}
}

// leaveLine ends the publishing of the line, if there is one, and lets others have it.
func (l *publishLoop) leaveLine(ctx context.Context, why string) {
	l.endCalls()
	l.endCalls = func() {}
	if l.line != "" && l.lease.Key != "" {
		l.release(ctx, l.lease)
	}
	l.line, l.lease, l.position, l.published = "", share.TeamLease{}, 0, indexVersion{}
	clear(l.problems)
	clear(l.conflicts)
	l.setWaiting(0)
	l.p.note(func(s *PublisherStatus) { s.Line, s.Idle = "", why })
}

// serveCalls answers calls to a line until ctx ends.
func (p *Publisher) serveCalls(ctx context.Context, line mirror.Branch) {
	for pause := p.rhythm.retry; ctx.Err() == nil; pause = min(2*pause, p.rhythm.maxRetry) {
		err := p.Team.ServeCalls(ctx, line, p.Answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.Log.Warn("answer calls to the line", "line", line.String(), "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// announce gives a sign of life where that is due. One that fails keeps no document back: the
// next one comes with the next tick, and by then the old one still counts.
func (l *publishLoop) announce(ctx context.Context) {
	now := l.p.wall()
	caughtUp := l.waiting == 0 && l.announcedWaiting > 0
	if l.once || l.line == "" || now.Sub(l.announced) < l.p.rhythm.tick && !caughtUp {
		return
	}
	err := l.p.Team.Announce(ctx, share.Presence{
		Branch: l.p.line(l.line), Machine: l.p.host, Version: l.p.Version, Commit: l.git.commit,
		Waiting: l.waiting, At: l.p.Now(),
	})
	if err != nil {
		l.p.Log.Debug("give a sign of life", "line", l.line, "error", err)
		return
	}
	l.announced, l.announcedWaiting = now, l.waiting
}

// ownLineName names the line of one checkout alone, such as mac-7k2q, by its machine and by what
// tells its folder from others.
func ownLineName(host, folder string) string {
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

// nameGaps are what the name of a line has a hyphen for.
var nameGaps = pattern.Lazy(`[^a-z0-9]+`)

// nonceOf tells the leases of a checkout from those of others. A process that is started again
// has the same, also when what was published was forgotten.
func nonceOf(host, folder string) string {
	sum := sha256.Sum256([]byte(host + "\n" + folder))
	return hex.EncodeToString(sum[:16])
}
