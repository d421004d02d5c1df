package index

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"issues-index/store/cachedir"
)

// connectSomewhere opens the index where it belongs, else where it can be.
func (ix *Index) connectSomewhere(ctx context.Context, force bool, progress func(done, total int)) (*database, Summary, error) {
	err := ix.filesFail
	for err == nil {
		p, placeErr := findPlace(ix.ws, ix.options.Path, ix.givenUp)
		if err = placeErr; err != nil {
			break
		}
		if p.instead != nil {
			ix.warnPlace(p.path, p.instead)
		}
		db, summary, connectErr := ix.connectAt(ctx, p, force, progress)
		if connectErr == nil || ctx.Err() != nil {
			return db, summary, connectErr
		}
		var busy *LockedError
		if force && errors.As(connectErr, &busy) { // what is built elsewhere is not what was asked for
			return nil, Summary{}, connectErr
		}
		if err = connectErr; failureOf(err) == readOnly {
			ix.giveUp(p.path, err)
			err = nil
		}
	}
	// Wherever else the index could be kept, a file that is in its way is said.
	if foreign := ix.foreignFile(err); foreign != nil {
		return nil, Summary{}, foreign
	}
	if ix.options.Path != memoryPath {
		ix.warnPlace(memoryPath, err)
	}
	ix.place = nil
	return openMemory(ctx, ix)
}

// toldByCalls reports whether each call is going to get the error, and need not be
// logged.
func (ix *Index) toldByCalls(err error) bool {
	var held *LockedError
	return ix.foreignFile(err) != nil || errors.As(err, &held)
}

// foreignFile returns the error about a file that stands where the index keeps one of
// its own, nil for other errors. A file of the workspace is named relative to the root.
func (ix *Index) foreignFile(err error) *cachedir.ForeignError {
	var foreign *cachedir.ForeignError
	if !errors.As(err, &foreign) {
		return nil
	}
	return &cachedir.ForeignError{Path: ix.short(foreign.Path), Reason: foreign.Reason}
}

// short is a path relative to the workspace when it lies there.
func (ix *Index) short(path string) string {
	if rel, err := filepath.Rel(ix.ws.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// warnPlace says, once, that the index is not where it belongs.
func (ix *Index) warnPlace(path string, reason error) {
	if ix.warned != path {
		ix.log.Warn("keeping the index elsewhere", "path", path, "reason", reason)
	}
	ix.warned = path
}

// connectAt opens the index at a place or, while servers that cannot share it
// are using that, beside it.
func (ix *Index) connectAt(ctx context.Context, p *place, force bool, progress func(done, total int)) (*database, Summary, error) {
	for {
		db, summary, err := ix.connect(ctx, p, force, progress)
		if err == nil {
			ix.place = p
			return db, summary, nil
		}
		suffix, reason := ix.besides(err, force)
		if suffix == "" || strings.HasSuffix(p.path, suffix) {
			return nil, Summary{}, errors.Join(err, p.leave())
		}
		own, placeErr := p.beside(suffix)
		err = errors.Join(err, placeErr, p.leave())
		if placeErr != nil {
			return nil, Summary{}, err
		}
		reason(own.path)
		p = own
	}
}

// disconnect closes the index's file, if it is open. The last process to leave
// seals it.
func (ix *Index) disconnect() error {
	ix.use.Lock()
	db := ix.db
	ix.db = nil
	ix.use.Unlock()
	if db == nil {
		return nil
	}
	if ix.place == nil {
		return db.close()
	}
	if db.replaced() { // the locks' paths may lead to another folder's, too
		return errors.Join(db.close(), ix.place.leave())
	}
	var errs []error
	unlock, err := ix.place.lockTurn(context.Background(), time.Second)
	if err != nil {
		errs = append(errs, err, db.close())
		return errors.Join(append(errs, ix.place.leave())...)
	}
	defer unlock()
	errs = append(errs, ix.place.presence.Unlock())
	alone, err := ix.place.enter()
	errs = append(errs, err)
	intact := !db.logged || ix.place.checkSealed() == nil
	errs = append(errs, db.close()) // moves the log into the file when it is the last
	if alone && intact {
		errs = append(errs, ix.place.writeSeal())
	}
	return errors.Join(append(errs, ix.place.presence.Close(), ix.place.db.Dir.Close())...)
}
