package exposition

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Counter counts what only grows, in a series for each combination of its labels'
// values. It may be used by many at once.
type Counter struct {
	family Family

	mu     sync.Mutex
	series map[string]*series // by the joined values
}

type series struct {
	values []string
	n      float64
}

// separator stands in no text that is valid.
const separator = "\xff"

// NewCounter makes a counter. The name ends in "_total".
func NewCounter(name, help string, labels ...string) *Counter {
	c := &Counter{family: Family{name, KindCounter, help, labels}, series: map[string]*series{}}
	if len(labels) == 0 {
		c.Add(0)
	}
	return c
}

// Add counts n more, with a value for each label.
func (c *Counter) Add(n float64, values ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := strings.Join(values, separator)
	s := c.series[key]
	if s == nil {
		s = &series{values: values}
		c.series[key] = s
	}
	s.n += n
}

// Write adds the family to a page.
func (c *Counter) Write(p *Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.Head(c.family)
	for _, key := range slices.Sorted(maps.Keys(c.series)) {
		p.Sample(c.family, c.series[key].n, c.series[key].values...)
	}
}

// Histogram counts how long things took. It may be used by many at once.
type Histogram struct {
	family Family
	bounds []time.Duration

	mu     sync.Mutex
	counts []int // by bucket, the last for what is longer than every bound
	sum    time.Duration
}

// NewHistogram makes a histogram of seconds, with the upper bounds of its buckets
// in rising order. The name ends in "_seconds".
func NewHistogram(name, help string, bounds ...time.Duration) *Histogram {
	return &Histogram{
		family: Family{name, KindHistogram, help, []string{"le"}},
		bounds: bounds, counts: make([]int, len(bounds)+1),
	}
}

// Observe counts one that took d.
func (h *Histogram) Observe(d time.Duration) {
	i, _ := slices.BinarySearch(h.bounds, d)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts[i]++
	h.sum += d
}

// Write adds the family to a page.
func (h *Histogram) Write(p *Page) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p.Head(h.family)
	n := 0
	for i, bound := range h.bounds {
		n += h.counts[i]
		p.sample(h.family.Name+"_bucket", h.family.Labels, float64(n), []string{number(bound.Seconds())})
	}
	n += h.counts[len(h.bounds)]
	p.sample(h.family.Name+"_bucket", h.family.Labels, float64(n), []string{"+Inf"})
	p.sample(h.family.Name+"_sum", nil, h.sum.Seconds(), nil)
	p.sample(h.family.Name+"_count", nil, float64(n), nil)
}
