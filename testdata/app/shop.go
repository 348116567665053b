package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// fieldLimit bounds one text field of the order form, formLimit the whole
	// upload: generous for a test, small enough for the memory of one.
	fieldLimit = 1 << 20
	formLimit  = 256 << 20
	// unitPrice makes a placed order cost something, in cents.
	unitPrice = 2450
)

func (a *App) routeShop() {
	a.mux.HandleFunc("GET /{$}", a.home)
	a.mux.HandleFunc("GET /login", a.loginPage)
	a.mux.HandleFunc("POST /login", a.login)
	a.mux.HandleFunc("/logout", a.logout)
	a.mux.HandleFunc("GET /orders", a.signedIn(a.orders))
	a.mux.HandleFunc("POST /orders", a.signedIn(a.placeOrder))
	a.mux.HandleFunc("GET /orders/new", a.signedIn(a.orderForm))
	a.mux.HandleFunc("GET /orders/{number}", a.signedIn(a.order))
	a.mux.HandleFunc("GET /form", a.orderForm)
	a.mux.HandleFunc("POST /form", a.placeOrder)
	a.mux.HandleFunc("GET /form/{number}", a.order)
}

// homeView is the front page of someone who is signed in.
type homeView struct {
	Newest        []Order
	Count, Open   int
	Revenue, Mean int // cents
}

func (a *App) home(w http.ResponseWriter, r *http.Request) {
	if a.sessions.user(r) == "" {
		a.render(w, r, http.StatusOK, "welcome", nil)
		return
	}
	all := a.ledger.all()
	v := homeView{Count: len(all)}
	for _, o := range all {
		v.Revenue += o.Total
		if o.Status == "Open" {
			v.Open++
		}
	}
	v.Mean = v.Revenue / len(all)
	slices.Reverse(all)
	v.Newest = all[:min(6, len(all))]
	a.render(w, r, http.StatusOK, "home", v)
}

func (a *App) orders(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	page, _ := strconv.Atoi(q.Get("page"))
	a.render(w, r, http.StatusOK, "orders", a.ledger.table(q.Get("sort"), q.Get("dir"), q.Get("q"), page))
}

func (a *App) orderForm(w http.ResponseWriter, r *http.Request) {
	action := "/form"
	if strings.HasPrefix(r.URL.Path, "/orders") {
		action = "/orders"
	}
	a.render(w, r, http.StatusOK, "neworder", action)
}

// placeOrder stores the form and sends the browser to the confirmation, so
// that a reload does not order twice.
func (a *App) placeOrder(w http.ResponseWriter, r *http.Request) {
	fields, files, err := a.readForm(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	o := Order{Fields: fields, Files: files, Date: time.Now().UTC(), Status: "Open"}
	o.Customer = o.Get("customer")
	quantity, err := strconv.Atoi(o.Get("quantity"))
	if err != nil || quantity < 1 {
		quantity = 1
	}
	o.Total = quantity * unitPrice
	o = a.ledger.place(o)
	http.Redirect(w, r, fmt.Sprintf("%s/%d", r.URL.Path, o.Number), http.StatusSeeOther)
}

// orderView is one order; Placed says that it came through the form.
type orderView struct {
	Order
	Placed bool
}

func (a *App) order(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("number"))
	o, found := a.ledger.find(n)
	if err != nil || !found {
		a.render(w, r, http.StatusNotFound, "notfound", r.URL.Path)
		return
	}
	a.render(w, r, http.StatusOK, "order", orderView{Order: o, Placed: len(o.Fields) > 0})
}

// readForm reads a form of either encoding, fields in the order of arrival.
// Files are hashed as they stream by and not kept.
func (a *App) readForm(w http.ResponseWriter, r *http.Request) (fields []Field, files []Upload, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, formLimit)
	parts, err := r.MultipartReader()
	if errors.Is(err, http.ErrNotMultipart) {
		if err := r.ParseForm(); err != nil {
			return nil, nil, fmt.Errorf("read form: %w", err)
		}
		for name, values := range r.PostForm {
			for _, v := range values {
				fields = append(fields, Field{name, v})
			}
		}
		slices.SortStableFunc(fields, func(x, y Field) int { return strings.Compare(x.Name, y.Name) })
		return fields, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read form: %w", err)
	}
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return fields, files, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read form: %w", err)
		}
		// An empty file control sends a part with an empty file name, which
		// looks like a plain field but is none.
		if !isFile(p.Header.Get("Content-Disposition")) {
			value, err := io.ReadAll(io.LimitReader(p, fieldLimit))
			if err != nil {
				return nil, nil, fmt.Errorf("read field: %w", err)
			}
			fields = append(fields, Field{p.FormName(), string(value)})
			continue
		}
		sum := sha256.New()
		size, err := io.Copy(sum, p)
		if err != nil {
			return nil, nil, fmt.Errorf("read file: %w", err)
		}
		if p.FileName() == "" {
			continue
		}
		u := Upload{
			Field: p.FormName(), Name: p.FileName(), Type: p.Header.Get("Content-Type"),
			Size: size, SHA256: hex.EncodeToString(sum.Sum(nil)),
		}
		files = append(files, u)
		a.journal.upload(u)
	}
}

// isFile says whether a part comes from a file control, filled or not.
func isFile(disposition string) bool {
	_, params, err := mime.ParseMediaType(disposition)
	_, named := params["filename"]
	return err == nil && named
}
