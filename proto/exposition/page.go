package exposition

import (
	"strconv"
	"strings"
)

// ContentType is the type of a [Page].
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// The kinds of families.
const (
	KindCounter   = "counter"
	KindGauge     = "gauge"
	KindHistogram = "histogram"
)

// Family is a metric with all its series: its name, what it counts as a sentence
// on one line, and the names of its labels.
type Family struct {
	Name, Kind, Help string
	Labels           []string
}

// Page is a page of metrics in the making. The zero value is empty and ready. A
// family's samples follow its head.
type Page struct{ b strings.Builder }

// String is the page.
func (p *Page) String() string { return p.b.String() }

// Head begins a family.
func (p *Page) Head(f Family) {
	p.b.WriteString("# HELP " + f.Name + " " + f.Help + "\n# TYPE " + f.Name + " " + f.Kind + "\n")
}

// Sample is one value of the family, with a value for each of its labels.
func (p *Page) Sample(f Family, value float64, labels ...string) {
	p.sample(f.Name, f.Labels, value, labels)
}

// Gauge is a whole family of one sample without labels.
func (p *Page) Gauge(name, help string, value float64) { p.single(name, KindGauge, help, value) }

// Count is a whole family of one count without labels that somebody else keeps.
func (p *Page) Count(name, help string, value float64) { p.single(name, KindCounter, help, value) }

func (p *Page) single(name, kind, help string, value float64) {
	f := Family{Name: name, Kind: kind, Help: help}
	p.Head(f)
	p.Sample(f, value)
}

func (p *Page) sample(name string, labels []string, value float64, values []string) {
	p.b.WriteString(name)
	for i, label := range labels {
		before := ","
		if i == 0 {
			before = "{"
		}
		p.b.WriteString(before + label + `="` + escape(values[i]) + `"`)
	}
	if len(labels) > 0 {
		p.b.WriteByte('}')
	}
	p.b.WriteString(" " + number(value) + "\n")
}

// escape writes a label's value. The format knows these three and no others.
func escape(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "\uFFFD"))
}

// number writes counts as people do, without an exponent.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
