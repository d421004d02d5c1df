package agree

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"issues-index/index/share"
	"issues-index/store"
	"issues-index/store/mirror"
)

// Number returns a number of a series from the team's counter, at least next. With an
// *UnagreedError it is next, which is kept to be agreed later. Other errors are those of the
// file. The caller holds the lock of the workspace.
func (a *Agreement) Number(ctx context.Context, series string, next int) (int, error) {
	// Those that were made before come first: they would seem to be another clone's.
	number, err := next, a.register(ctx, series)
	if err == nil {
		number, err = a.count(ctx, series, next)
	}
	var unagreed *UnagreedError
	if !errors.As(err, &unagreed) {
		return number, err
	}
	if keeping := a.Keep(ctx, series, next); keeping != nil {
		return 0, keeping
	}
	return next, err
}

// Keep keeps a number that was given out without the counter, to be agreed later. The caller
// holds the lock of the workspace.
func (a *Agreement) Keep(ctx context.Context, series string, number int) error {
	return a.kept.exec(ctx, `INSERT OR REPLACE INTO number (series, number, made) VALUES (?, ?, ?)`, series, number, a.ws.Now().UnixMilli())
}

// Numbered keeps the path of a document that got a number without the counter.
func (a *Agreement) Numbered(ctx context.Context, series string, number int, at string) error {
	return a.kept.exec(ctx, `UPDATE number SET path = ? WHERE series = ? AND number = ?`, at, series, number)
}

func (a *Agreement) count(ctx context.Context, series string, atLeast int) (number int, err error) {
	err = a.ask(ctx, func(ctx context.Context, team share.Team) error {
		number, err = team.NextNumber(ctx, a.options.Workspace, series, atLeast)
		return err
	})
	return number, err
}

// A localNumber is one that was made without the counter.
type localNumber struct {
	series string
	number int
	path   string
	made   time.Time
	passed bool
}

func (a *Agreement) localNumbers(ctx context.Context, condition string, args ...any) ([]localNumber, error) {
	return rows(ctx, &a.kept, func(scan func(...any) error) (n localNumber, err error) {
		var made int64
		err = scan(&n.series, &n.number, &n.path, &made, &n.passed)
		n.made = time.UnixMilli(made)
		return n, err
	}, `SELECT series, number, path, made, passed FROM number WHERE `+condition+` ORDER BY series, number`, args...)
}

// register has the counter pass the numbers of a series that were made without it. Those that
// it had not passed before were nobody else's. Of the others, the documents of other clones
// tell (Compare).
func (a *Agreement) register(ctx context.Context, series string) error {
	made, err := a.localNumbers(ctx, `series = ? AND NOT passed`, series)
	if err != nil {
		return err
	}
	counted := 0
	for _, n := range made {
		if counted < n.number {
			if counted, err = a.count(ctx, series, n.number); err != nil {
				return err
			}
		}
		statement := `UPDATE number SET passed = 1 WHERE series = ? AND number = ?`
		if counted == n.number {
			statement = `DELETE FROM number WHERE series = ? AND number = ?`
		}
		if err := a.kept.exec(ctx, statement, series, n.number); err != nil {
			return err
		}
	}
	return nil
}

// RegisterNumbers has the counter pass all numbers that were made without it. The caller
// holds the lock of the workspace.
func (a *Agreement) RegisterNumbers(ctx context.Context) error {
	made, err := a.localNumbers(ctx, `NOT passed`)
	if err != nil {
		return err
	}
	for i, n := range made {
		if i > 0 && made[i-1].series == n.series {
			continue
		}
		if err := a.register(ctx, n.series); err != nil {
			return err
		}
	}
	return nil
}

// keptNumber is how long a number that another clone may have is looked for there. By then
// the documents of both have met in git, where check sees that they share an id.
const keptNumber = 30 * 24 * time.Hour

// A NumberConflict is a document whose number was made without the counter, and that another
// document of the team has, too.
type NumberConflict struct {
	Path  string // of the document of this clone
	Line  string // of the other one
	Other string // its path there
}

// Compare looks for the numbers that other clones may have among the documents that they
// have published.
func (a *Agreement) Compare(ctx context.Context) error {
	doubtful, err := a.localNumbers(ctx, `passed`)
	if err != nil || len(doubtful) == 0 {
		return err
	}
	here, err := a.documentsHere(ctx)
	if err != nil {
		return err
	}
	there := map[store.IDNumber][]share.Head{}
	err = a.ask(ctx, func(ctx context.Context, team share.Team) error {
		for head, err := range team.Heads(ctx, share.LineSelection{Workspaces: []string{a.options.Workspace}}) {
			if err != nil {
				return err
			}
			if head.Gone {
				continue
			}
			if n, ok := a.ws.FileNumber(head.Path); ok {
				there[n] = append(there[n], head)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, n := range doubtful {
		if err := a.compare(ctx, n, here[store.IDNumber{Series: n.series, Number: n.number}], there[store.IDNumber{Series: n.series, Number: n.number}]); err != nil {
			return err
		}
	}
	return nil
}

// compare decides one number by the paths of the documents that have it here, and the heads
// of those that have it anywhere.
func (a *Agreement) compare(ctx context.Context, n localNumber, here []string, there []share.Head) error {
	if len(here) == 0 || a.ws.Now().Sub(n.made) > keptNumber { // deleted, or renumbered
		return a.kept.exec(ctx, `DELETE FROM number WHERE series = ? AND number = ?`, n.series, n.number)
	}
	// A document keeps the name of its file when it moves to another folder.
	names := []string{path.Base(n.path)}
	for _, p := range here {
		names = append(names, path.Base(p))
	}
	var other share.Head
	if i := slices.IndexFunc(there, func(h share.Head) bool { return !slices.Contains(names, path.Base(h.Path)) }); i >= 0 {
		other = there[i]
	}
	now := ""
	if other.Line != (mirror.Line{}) {
		now = here[0]
	}
	return a.kept.exec(ctx, `UPDATE number SET now = ?, other_line = ?, other_path = ? WHERE series = ? AND number = ?`,
		now, other.Line.String(), other.Path, n.series, n.number)
}

// documentsHere returns the paths of all documents by the numbers in their names.
func (a *Agreement) documentsHere(ctx context.Context) (map[store.IDNumber][]string, error) {
	listing, err := a.ws.List(ctx)
	if err != nil {
		return nil, err
	}
	here := map[store.IDNumber][]string{}
	for _, f := range listing.Files {
		if n, ok := a.ws.FileNumber(f.Path); ok {
			here[n] = append(here[n], f.Path)
		}
	}
	return here, nil
}

// NumberConflicts returns the conflicts that Compare has found.
func (a *Agreement) NumberConflicts(ctx context.Context) ([]NumberConflict, error) {
	return rows(ctx, &a.kept, func(scan func(...any) error) (c NumberConflict, err error) {
		err = scan(&c.Path, &c.Line, &c.Other)
		return c, err
	}, `SELECT now, other_line, other_path FROM number WHERE now <> '' ORDER BY now`)
}
