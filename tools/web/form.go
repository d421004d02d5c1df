package web

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxForm is the longest form, in bytes as it is sent. A character of a text takes up to
// three times its bytes.
const maxForm = 4 << 20

// The fields that every form of a write has.
const (
	fieldToken   = "token"     // that the form is of this server
	fieldDoc     = "doc"       // the document: its id, or its path
	fieldVersion = "ifVersion" // of the document that the form was made from
	fieldBack    = "back"      // the page that the form leads back to, for one that is not on the document's page
)

// A formSecret is what the forms of one process have, and no other page can know.
type formSecret string

func newSecret() formSecret { return formSecret(rand.Text()) }

// in reports whether a form has the secret.
func (s formSecret) in(form postedForm) bool {
	return subtle.ConstantTimeCompare([]byte(s), []byte(form[fieldToken])) == 1
}

// A postedForm is what a form has sent: each field once, in UTF-8.
type postedForm map[string]string

// readForm reads the form of a request. Only forms of HTML are read: a browser asks before
// it sends another type from a foreign page.
func readForm(w http.ResponseWriter, r *http.Request) (postedForm, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/x-www-form-urlencoded" {
		return nil, &pageError{http.StatusUnsupportedMediaType, "Not a form",
			shownError{Message: "The request is not a form.",
				Hint: "Send application/x-www-form-urlencoded, as the forms of these pages do."}}
	}
	wrong := func(why string) error {
		return &pageError{http.StatusBadRequest, "Wrong form",
			shownError{Message: "The form cannot be read: " + why + ".",
				Hint: "Nothing was written. Go back, load the page again, and send its form."}}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, &pageError{http.StatusRequestEntityTooLarge, "Too large",
			shownError{Message: "The form has more than " + strconv.Itoa(maxForm>>20) + " MiB.",
				Hint: "Nothing was written. Edit the document with issues-index edit, or in an editor."}}
	}
	if err != nil {
		return nil, wrong("it is not complete")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, wrong("it is not encoded as a form is")
	}
	form := make(postedForm, len(values))
	for name, all := range values {
		switch {
		case len(all) > 1:
			return nil, wrong("a field occurs twice")
		case !utf8.ValidString(name) || !utf8.ValidString(all[0]):
			return nil, wrong("it is not UTF-8")
		case strings.ContainsRune(all[0], 0):
			return nil, wrong("it has a NUL character")
		}
		form[name] = all[0]
	}
	return form, nil
}

// A formFunc answers a form with the content of a page.
type formFunc func(*pageRequest, postedForm) (pageContent, error)

// errReadOnly answers every write where none is allowed.
var errReadOnly = &pageError{http.StatusForbidden, "Read only",
	shownError{Message: "These pages can only be read.",
		Hint: "Start the server with --http-edit to write from them. Nothing was written."}}

// errForeignForm answers a form that has no token of this process and nothing that a
// person has typed.
var errForeignForm = &pageError{http.StatusForbidden, "Old form",
	shownError{Message: "The form is not of this server as it runs now.",
		Hint: "Nothing was written. Load the page again, and send its form."}}

// A formAnswer answers a form of this process, and one that is not.
type formAnswer struct {
	genuine formFunc
	foreign formFunc // nil for errForeignForm; it must change nothing
}

// form makes a handler of a formAnswer. Without leave to write no form is even read, and none
// without the secret of this process changes anything.
func (s *Pages) form(answer formAnswer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var form postedForm
		err := error(errReadOnly)
		if s.Edit {
			form, err = readForm(w, r)
		}
		s.page(func(p *pageRequest) (pageContent, error) {
			switch {
			case err != nil:
				return pageContent{}, err
			case s.secret.in(form):
				return recorded(answer.genuine)(p, form)
			case answer.foreign != nil:
				return answer.foreign(p, form)
			}
			return pageContent{}, errForeignForm
		}).ServeHTTP(w, r)
	})
}
