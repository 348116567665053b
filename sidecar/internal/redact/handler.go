package redact

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// handler masks records on their way to another handler.
type handler struct {
	m    *Masker
	next slog.Handler
}

// Handler masks the messages and attributes of records for next. What a handler
// adds itself (the source's file name) is not masked.
func (m *Masker) Handler(next slog.Handler) slog.Handler { return handler{m, next} }

func (h handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, h.m.String(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.m.attr(a))
		return true
	})
	return h.next.Handle(ctx, out)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.m, h.next.WithAttrs(h.m.attrs(attrs))}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.m, h.next.WithGroup(h.m.String(name))}
}

func (m *Masker) attrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = m.attr(a)
	}
	return out
}

func (m *Masker) attr(a slog.Attr) slog.Attr {
	return slog.Attr{Key: m.String(a.Key), Value: m.value(a.Value)}
}

// value masks strings and groups. Another kind of value stays what it is, unless
// a handler would print a secret for it: then it becomes its masked text.
func (m *Masker) value(v slog.Value) slog.Value {
	v = v.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.StringValue(m.String(v.String()))
	case slog.KindGroup:
		return slog.GroupValue(m.attrs(v.Group())...)
	case slog.KindAny:
		texts := []string{fmt.Sprint(v.Any()), fmt.Sprintf("%+v", v.Any())} // as text handlers do
		if b, ok := v.Any().([]byte); ok {
			texts = append(texts, string(b))
		}
		if data, err := json.Marshal(v.Any()); err == nil { // as JSON handlers do
			texts = append(texts, string(data))
		}
		for _, text := range texts {
			if masked := m.String(text); masked != text {
				return slog.StringValue(masked)
			}
		}
	}
	return v
}
