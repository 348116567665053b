package hostapi

import (
	"context"
	"log/slog"
)

// Tracer makes spans of what a host does, with whatever the program traces
// with; no exporter is linked here. With OpenTelemetry it is a few lines:
//
//	func (t tracer) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, hostapi.Span) {
//		ctx, s := t.otel.Start(ctx, name)
//		for _, a := range attrs {
//			s.SetAttributes(attribute.String("pillion."+a.Key, a.Value.String()))
//		}
//		return ctx, span{s}
//	}
//	func (s span) End(err error) {
//		if err != nil {
//			s.otel.SetStatus(codes.Error, string(proto.CodeOf(err)))
//		}
//		s.otel.End()
//	}
//
// The spans are browser.start, browser.stop, browser.ticket and browser.mcp,
// with the attributes sandbox, session and mode where they are known: never a
// URL, a token, or what somebody typed. A span's context is the request's, so
// it stands below the host's own.
type Tracer interface {
	Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, Span)
}

// Span is a piece of work that has begun.
type Span interface {
	// End ends it; err is how it failed, nil if it did not.
	End(err error)
}

type noTracer struct{}

func (noTracer) Start(ctx context.Context, _ string, _ ...slog.Attr) (context.Context, Span) {
	return ctx, noTracer{}
}
func (noTracer) End(error) {}
