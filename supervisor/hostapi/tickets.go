package hostapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// Ticket makes a ticket with which this person's page opens the live view of a
// sandbox's browser: [proto.TicketView] to watch, [proto.TicketControl] to take
// control. Control asks the permissions each time, so whoever loses theirs can
// take control no more, though they keep what they hold.
func (h *Host) Ticket(ctx context.Context, who Identity, id string, mode proto.TicketMode) (supervisor.Ticket, error) {
	ctx, span := h.o.Tracer.Start(ctx, "browser.ticket", slog.String("sandbox", id), slog.String("mode", string(mode)))
	ticket, err := h.ticket(ctx, who, id, mode)
	span.End(err)
	if err == nil {
		h.metrics.tickets.Add(1, string(mode))
	}
	return ticket, err
}

func (h *Host) ticket(ctx context.Context, who Identity, id string, mode proto.TicketMode) (supervisor.Ticket, error) {
	sandbox, err := h.sandbox(ctx, who.Owner, id)
	if err != nil {
		return supervisor.Ticket{}, err
	}
	if err := h.mayWatch(ctx, who, sandbox, mode); err != nil {
		return supervisor.Ticket{}, err
	}
	s := h.newest(sandbox)
	var browser *supervisor.Browser
	if s != nil {
		browser = s.running()
	}
	if browser == nil {
		return supervisor.Ticket{}, refuse(proto.CodeBrowserNotRunning, "the sandbox has no running browser")
	}
	return browser.Ticket(supervisor.Viewer{ID: who.User, Name: who.Name}, mode)
}

// mayWatch says whether somebody who may see the sandbox may have a ticket.
func (h *Host) mayWatch(ctx context.Context, who Identity, sandbox Sandbox, mode proto.TicketMode) error {
	switch mode {
	case proto.TicketView:
		return nil
	case proto.TicketControl:
	default:
		return refuse(proto.CodeModeUnknown, "a ticket's mode must be view or control")
	}
	if !h.o.ExecutionEnabled(ctx, sandbox.Owner) {
		return executionDisabled()
	}
	allowed, err := h.o.Permissions.Allowed(ctx, who, TakeOverBrowser, sandbox)
	switch {
	case err != nil:
		return internal("check a permission", err)
	case !allowed:
		return refuse(proto.CodePermissionDenied, "you may watch this sandbox's browser and not take it over")
	}
	return nil
}

func (h *Host) makeTicket(w http.ResponseWriter, r *http.Request, who Identity) error {
	asked := struct {
		Mode *proto.TicketMode `json:"mode"`
	}{}
	if err := body(r, &asked); err != nil {
		return err
	}
	mode := proto.TicketView
	if asked.Mode != nil {
		mode = *asked.Mode
	}
	ticket, err := h.Ticket(r.Context(), who, r.PathValue("id"), mode)
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, ticket)
	return nil
}
