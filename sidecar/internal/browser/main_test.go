package browser_test

import (
	"context"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// patience is far above what any step takes, so that only a fault reaches it.
const patience = 30 * time.Second

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func open(t *testing.T, site *apptest.Site, change ...func(*browser.Options)) *browser.Browser {
	t.Helper()
	return browsertest.Open(t, site, change...)
}

func eval(t *testing.T, f *browser.Frame, expression string) string {
	t.Helper()
	return browsertest.Eval(t, f, expression)
}

func goTo(t *testing.T, tab *browser.Tab, url string) {
	t.Helper()
	if _, err := tab.Navigate(within(t), url); err != nil {
		t.Fatalf("navigate to %s: %v", url, err)
	}
}
