package app

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// The one account. It is a test site: the password is in the documentation.
const (
	User     = "ada"
	Password = "correct horse"
	// SessionCookie is the name of the cookie that a sign-in sets.
	SessionCookie = "ledger_session"
)

// sessions maps session ids to users.
type sessions struct {
	mu    sync.Mutex
	users map[string]string
}

// user returns who is signed in by the request's cookie, or "".
func (s *sessions) user(r *http.Request) string {
	c, err := r.Cookie(SessionCookie)
	if err != nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users[c.Value]
}

func (s *sessions) start(user string) (id string) {
	id = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[id] = user
	return id
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.users, id)
}

// loginView is what the sign-in page shows again after a refusal.
type loginView struct {
	Next, Name string
	Refused    bool
}

func (a *App) loginPage(w http.ResponseWriter, r *http.Request) {
	a.render(w, r, http.StatusOK, "login", loginView{Next: local(r.FormValue("next"))})
}

func (a *App) login(w http.ResponseWriter, r *http.Request) {
	name, next := r.PostFormValue("user"), local(r.PostFormValue("next"))
	if name != User || r.PostFormValue("password") != Password {
		a.render(w, r, http.StatusUnauthorized, "login", loginView{Next: next, Name: name, Refused: true})
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: SessionCookie, Value: a.sessions.start(name), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (a *App) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(SessionCookie); err == nil {
		a.sessions.end(c.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: SessionCookie, Path: "/", MaxAge: -1})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// signedIn sends visitors without a session to the sign-in page, which brings
// them back.
func (a *App) signedIn(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if a.sessions.user(r) == "" {
			http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
			return
		}
		h(w, r)
	}
}

// local keeps a path on this site; anything that could lead elsewhere becomes
// "/". The laboratory has open redirects of its own, the shop has none.
func local(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}
