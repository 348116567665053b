package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Field is one named value of a submitted form, in the order of arrival.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Order is one line of the ledger.
type Order struct {
	Number   int       `json:"number"`
	Customer string    `json:"customer"`
	Date     time.Time `json:"date"`
	Status   string    `json:"status"` // "Open", "Packed", "Shipped", "Paid"
	Total    int       `json:"total"`  // cents
	Fields   []Field   `json:"fields,omitempty"`
	Files    []Upload  `json:"files,omitempty"`
}

// Get returns the first value of a field, "" when the form had none.
func (o Order) Get(name string) string {
	for _, f := range o.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// All returns every value of a field, e.g. of a multiple selection.
func (o Order) All(name string) (values []string) {
	for _, f := range o.Fields {
		if f.Name == name {
			values = append(values, f.Value)
		}
	}
	return values
}

// ledger holds the orders: seeded ones, which are the same in every run, and
// placed ones.
type ledger struct {
	mu     sync.Mutex
	seeded []Order
	placed []Order
}

const (
	firstOrder  = 1001
	seededCount = 48
	pageSize    = 10 // rows of the orders table on one page
)

func newLedger() *ledger {
	customers := []string{
		"Amara Okafor", "Björn Ødegaard", "Chiara Ricci", "Dmitri Volkov", "Eun-ji Park", "Farid Haddad",
		"Grace Whitfield", "Hugo Lefèvre", "Inés Navarro", "Jonas Weber", "Keiko Tanaka", "Liam O'Connor",
	}
	states := []string{"Open", "Packed", "Shipped", "Paid"}
	day := time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
	l := &ledger{}
	for i := range seededCount {
		l.seeded = append(l.seeded, Order{
			Number:   firstOrder + i,
			Customer: customers[(i*7+i/12)%len(customers)],
			Date:     day.AddDate(0, 0, i+i/3),
			Status:   states[(i*5+i/4)%len(states)],
			Total:    1290 + (i*7919)%48_000,
		})
	}
	return l
}

// place adds an order and gives it its number.
func (l *ledger) place(o Order) Order {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.Number = firstOrder + len(l.seeded) + len(l.placed)
	l.placed = append(l.placed, o)
	return o
}

func (l *ledger) find(number int) (Order, bool) {
	for _, o := range l.all() {
		if o.Number == number {
			return o, true
		}
	}
	return Order{}, false
}

func (l *ledger) all() []Order {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Concat(l.seeded, l.placed)
}

func (l *ledger) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.placed = nil
}

// Orders returns the orders placed through the form, oldest first, without the
// seeded ones.
func (a *App) Orders() []Order {
	a.ledger.mu.Lock()
	defer a.ledger.mu.Unlock()
	return slices.Clone(a.ledger.placed)
}

// tableView is one page of the orders table.
type tableView struct {
	Rows        []Order
	Sort, Dir   string
	Query       string
	Page, Pages int
	Found       int
	Columns     []column
}

// column is one heading of the table with the sorting that pressing it gives.
type column struct {
	Key, Title string
	Dir        string // of the link
	Aria       string // aria-sort of the heading
}

// sortings are the columns of the table and how they compare.
func sortings() []struct {
	key, title string
	compare    func(x, y Order) int
} {
	return []struct {
		key, title string
		compare    func(x, y Order) int
	}{
		{"number", "Number", func(x, y Order) int { return cmp.Compare(x.Number, y.Number) }},
		{"customer", "Customer", func(x, y Order) int { return strings.Compare(x.Customer, y.Customer) }},
		{"date", "Date", func(x, y Order) int { return x.Date.Compare(y.Date) }},
		{"status", "Status", func(x, y Order) int { return strings.Compare(x.Status, y.Status) }},
		{"total", "Total", func(x, y Order) int { return cmp.Compare(x.Total, y.Total) }},
	}
}

// table sorts, filters and cuts the ledger for one page. Unknown columns and
// pages fall back to the number, descending, and to the nearest page.
func (l *ledger) table(sort, dir, query string, page int) tableView {
	v := tableView{Sort: "number", Dir: "desc", Query: query}
	rows := slices.DeleteFunc(l.all(), func(o Order) bool {
		text := strings.ToLower(fmt.Sprint(o.Number, " ", o.Customer, " ", o.Status))
		return !strings.Contains(text, strings.ToLower(query))
	})
	for _, s := range sortings() {
		if s.key == sort {
			v.Sort, v.Dir = sort, "asc"
			if dir == "desc" {
				v.Dir = "desc"
			}
		}
	}
	for _, s := range sortings() {
		c := column{Key: s.key, Title: s.title, Dir: "asc", Aria: "none"}
		if s.key == v.Sort {
			slices.SortStableFunc(rows, s.compare)
			c.Aria = "ascending"
			if v.Dir == "desc" {
				slices.Reverse(rows)
				c.Aria = "descending"
			} else {
				c.Dir = "desc"
			}
		}
		v.Columns = append(v.Columns, c)
	}
	v.Found = len(rows)
	v.Pages = max(1, (len(rows)+pageSize-1)/pageSize)
	v.Page = min(max(page, 1), v.Pages)
	v.Rows = rows[(v.Page-1)*pageSize : min(v.Page*pageSize, len(rows))]
	return v
}

// Prev and Next are the neighbouring pages of the table.
func (v tableView) Prev() int { return v.Page - 1 }
func (v tableView) Next() int { return v.Page + 1 }
