package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/page"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// PDF prints the tab's page as it would come out of a printer, on letter paper.
// It fails with ErrModal when a dialog opens.
func (t *Tab) PDF(ctx context.Context) ([]byte, error) {
	var res page.PrintToPDFResult
	if err := t.await(ctx, cdp.Start(t.session, page.PrintToPDF, page.PrintToPDFParams{}), t.Modal(), &res); err != nil {
		return nil, fmt.Errorf("print the page: %w", err)
	}
	return res.Data, nil
}
