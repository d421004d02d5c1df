package auth

import (
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"html/template"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	signInPath  = "/sign-in"
	signOutPath = "/sign-out"
	// cookiePrefix begins the name of the cookie of a person who has signed in. A port follows:
	// browsers send the cookies of a host to all of its ports.
	cookiePrefix = "issues-index-"
	// signedInTime is how long that lasts, if the token does.
	signedInTime = 12 * time.Hour
	// maxSignedIn bounds how many have signed in; the one that did first goes.
	maxSignedIn = 1000
	maxSignIn   = 16 << 10 // bytes of the form
)

//go:embed signin.html
var signInText string

var signInTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("signin").
		Parse(signInText))
})

// signedIn are the people who have signed in with a token, by their cookies. They are
// forgotten when the process ends.
type signedIn struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]signIn // by the digest of the cookie
}

type signIn struct {
	token string
	until time.Time
}

func newSignedIn() *signedIn { return &signedIn{all: map[[sha256.Size]byte]signIn{}} }

// add returns the cookie's value for somebody who signs in with a token.
func (s *signedIn) add(token string, now time.Time) string {
	value := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, one := range s.all {
		if now.After(one.until) {
			delete(s.all, key)
		}
	}
	if len(s.all) >= maxSignedIn {
		var first [sha256.Size]byte
		for key, one := range s.all {
			if known, ok := s.all[first]; !ok || one.until.Before(known.until) {
				first = key
			}
		}
		delete(s.all, first)
	}
	s.all[sha256.Sum256([]byte(value))] = signIn{token, now.Add(signedInTime)}
	return value
}

// token returns the token that a request's cookie stands for.
func (s *signedIn) token(r *http.Request) (string, bool) {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.all[sha256.Sum256([]byte(cookie.Value))]
	return one.token, ok && time.Now().Before(one.until)
}

func (s *signedIn) remove(r *http.Request) {
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, sha256.Sum256([]byte(cookie.Value)))
	}
}

func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return cookiePrefix + port
}

// wantsPage reports whether a person's browser waits for a page.
func wantsPage(r *http.Request) bool {
	return r.URL.Path != MCPPath && r.Header.Get("Authorization") == "" &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// signInPage asks for a token, in place of the page that was asked for.
func (g *Gate) signInPage(w http.ResponseWriter, r *http.Request, status int, problem string) {
	to := "/"
	if r.Method == http.MethodGet {
		to = ownPath(r.URL.RequestURI())
	}
	g.writeSignIn(w, status, to, problem)
}

func (g *Gate) writeSignIn(w http.ResponseWriter, status int, to, problem string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	err := signInTemplate().Execute(w, struct{ Path, To, Problem string }{signInPath, to, problem})
	if err != nil {
		g.Log.Debug("write the page to sign in", "error", err)
	}
}

// signIn takes the form of signInPage: a token for a cookie that scripts cannot read and that
// other sites' pages do not send.
func (g *Gate) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form cannot be read. Load the page again.", http.StatusBadRequest)
		return
	}
	token, to := strings.TrimSpace(r.PostForm.Get("token")), ownPath(r.PostForm.Get("to"))
	s, err := g.verify(r.Context(), token)
	if err == nil && !s.May(Read) {
		err = &ScopeError{Needed: []string{Read.String()}}
	}
	if err != nil {
		g.Log.Warn("refused to sign in", "reason", err.Error(), "from", r.RemoteAddr)
		g.writeSignIn(w, http.StatusUnauthorized, to, "The token is refused: "+err.Error()+".")
		return
	}
	cookie := g.cookie(r, g.signedIn.add(token, time.Now()))
	cookie.MaxAge = int(signedInTime.Seconds())
	http.SetCookie(w, cookie)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// signOut ends what a cookie stands for.
func (g *Gate) signOut(w http.ResponseWriter, r *http.Request) {
	g.signedIn.remove(r)
	cookie := g.cookie(r, "")
	cookie.MaxAge = -1
	http.SetCookie(w, cookie)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (g *Gate) cookie(r *http.Request, value string) *http.Cookie {
	return &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(g.Base(r), "https:"),
	}
}

// ownPath returns a path of this server, "/" for anything else: a form must not lead elsewhere.
func ownPath(to string) string {
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return to
}
