package wagtail

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"issues-index/tools"
)

// page reads the details of the wanted page: of the site and in the language that were
// asked for, or not at all. The returned identity has the site of the page.
func (s *Site) page(ctx context.Context, who identity, fields string) (apiObject, identity, error) {
	i, err := s.detail(ctx, who, fields)
	if s.foreign(who) && who.site == "" {
		i, who, err = s.elsewherePage(ctx, who, i, err, fields)
	}
	if err != nil {
		return apiObject{}, who, err
	}
	i, err = s.inLocale(ctx, who, i, fields)
	return i, who, err
}

// detail reads the details of a page as the API has them.
func (s *Site) detail(ctx context.Context, who identity, fields string) (apiObject, error) {
	id, err := s.lookup(ctx, who)
	if err != nil {
		return apiObject{}, err
	}
	if who.locale != "" && fields != "" && fields[0] != '*' { // else the answer has it
		fields += ",locale"
	}
	query := siteQuery(who.site, "fields", fields)
	query.Set(storedText, storedForm)
	var i apiObject
	err = unknownSite(s.get(ctx, objectPath(kindPages, id), query, &i), query)
	if absent(err) && errorField(err) != "site" {
		return apiObject{}, s.noPage(who)
	}
	if err != nil {
		return apiObject{}, err
	}
	if i.ID != id {
		return apiObject{}, s.notWagtail("pages/")
	}
	s.sawTypes([]apiObject{i})
	return i, nil
}

// notFound reports whether an error says that there is no such page.
func notFound(err error) bool {
	e, ok := errors.AsType[*tools.Error](err)
	return ok && e.Code == tools.CodeNotFound
}

// errorField returns the argument that an error blames, "" for none.
func errorField(err error) string {
	if e, ok := errors.AsType[*tools.Error](err); ok {
		return e.Field
	}
	return ""
}

// elsewherePage reads the page of a URL with another host than the base's: the host
// that the configured site itself uses, or another site of the same Wagtail. i and err
// are what the configured site has at the path.
func (s *Site) elsewherePage(ctx context.Context, who identity, i apiObject, err error, fields string) (apiObject, identity, error) {
	if err != nil && !notFound(err) {
		return apiObject{}, who, err
	}
	at := i.url("html_url", s.base)
	if err == nil && at != nil && hostOf(at) == who.host {
		return i, who, nil
	}
	other := who
	other.site = who.host
	j, otherErr := s.detail(ctx, other, fields)
	switch {
	case otherErr == nil:
		return j, other, nil
	case noSite(otherErr):
		return apiObject{}, who, s.wrongHost(who, at)
	}
	return apiObject{}, other, otherErr
}

// maxTranslations is the most translations of a page that are searched.
const maxTranslations = 100

// inLocale returns a page in the wanted language: itself or its translation.
func (s *Site) inLocale(ctx context.Context, who identity, i apiObject, fields string) (apiObject, error) {
	has := i.text("locale")
	if who.locale == "" || strings.EqualFold(has, who.locale) {
		return i, nil
	}
	in := identity{site: who.site, locale: who.locale, field: who.field, given: who.given}
	all, err := s.fill(ctx, kindPages, siteQuery(who.site, "translation_of", strconv.Itoa(i.ID)), maxTranslations, 0, func(objectBatch) bool { return true })
	if err != nil {
		return apiObject{}, err
	}
	for _, other := range all.items { // the API's own filter by locale only takes the exact case
		if strings.EqualFold(other.text("locale"), who.locale) {
			in.id = other.ID
			return s.detail(ctx, in, fields)
		}
	}
	listed := all.items[:min(defaultMaxLimit, len(all.items))]
	e := tools.Errorf(tools.CodeNotFound, "Page %d has no translation in %s that the API shows.", i.ID, tools.Quote(who.locale)).On("locale").
		Try("Pass one of these ids, or leave locale out:").Among(s.candidates(append([]apiObject{i}, listed...))...)
	e.More = all.total - len(listed)
	return apiObject{}, e
}

// viewNote says that a URL is a view of the page and not its own, "" when it is its
// own.
func (s *Site) viewNote(who identity, i apiObject) string {
	if len(who.paths) == 0 || s.isAt(who, i) || i.url("html_url", s.base) == nil || who.locale != "" {
		return ""
	}
	return fmt.Sprintf("%s is a view of this page: %s with the same address reads what it shows", tools.Quote(who.given), pageHTMLName)
}
