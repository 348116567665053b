package live

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// look is what pictures can't show of the browser now.
func (s *Stage) look(v browser.View) (d Deck) {
	for _, t := range s.b.Tabs() {
		d.Tabs = append(d.Tabs, TabState{ID: t.ID(), Title: t.Title(), URL: browser.PublicURL(t.URL()), Current: t == v.Tab})
	}
	if v.Tab == nil {
		return d
	}
	d.Loading = v.Tab.Loading()
	if dialog := v.Tab.Dialog(); dialog != nil {
		d.Dialog = &DialogState{Kind: dialog.Type, Message: dialog.Message, Default: dialog.Default}
	}
	if chooser := v.Tab.Chooser(); chooser != nil {
		d.Chooser = &ChooserState{Multiple: chooser.Multiple}
	}
	return d
}

// shown is the tab on screen.
func (s *Stage) shown() (*browser.Tab, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tab == nil {
		return nil, &proto.Error{Code: proto.CodeTabUnknown, Message: "No tab is open"}
	}
	return s.tab, nil
}

// Hold lets dialogs wait for an answer.
func (s *Stage) Hold() { s.b.HoldDialogs() }

// Answer answers the dialog of the tab on screen.
func (s *Stage) Answer(ctx context.Context, accept bool, text string) error {
	t, err := s.shown()
	if err != nil {
		return err
	}
	err = t.HandleDialog(ctx, accept, text)
	if errors.Is(err, browser.ErrNoDialog) {
		return nil // somebody else was quicker
	}
	return err
}

// Choose gives files to the file chooser of the tab on screen.
func (s *Stage) Choose(ctx context.Context, files []File) error {
	t, err := s.shown()
	if err != nil {
		return err
	}
	if len(files) > 0 && s.opts.Upload == nil {
		return &proto.Error{Code: proto.CodeUnsupported, Message: "Files can't be given to this browser"}
	}
	var paths []string
	if len(files) > 0 {
		if paths, err = s.opts.Upload(files); err != nil {
			return err
		}
	}
	err = t.ChooseFiles(ctx, paths)
	if errors.Is(err, browser.ErrNoChooser) {
		return nil // as above
	}
	return err
}

// Fetch reads a part of a file that a page has downloaded.
func (s *Stage) Fetch(_ context.Context, id string, at int64) (Part, error) {
	gone := &proto.Error{Code: proto.CodeFileUnusable, Message: "This file is not there any more"}
	all := s.b.Downloads(0)
	i := slices.IndexFunc(all, func(d browser.Download) bool { return d.ID == id && d.State == browser.DownloadStored })
	if i < 0 || s.opts.Saved == nil {
		return Part{}, gone
	}
	file, name, err := s.opts.Saved(all[i])
	if err != nil {
		return Part{}, gone // the oldest make room for the newest
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Part{}, gone
	}
	data := make([]byte, partSize)
	n, err := file.ReadAt(data, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return Part{}, gone
	}
	return Part{Name: name, Size: info.Size(), Data: data[:n]}, nil
}

// went says what became of a navigation: that a dialog or the app's own ways came
// between is nothing to tell.
func went(_ browser.Navigation, err error) error {
	if errors.Is(err, browser.ErrModal) || errors.Is(err, browser.ErrNoHistory) {
		return nil
	}
	return err
}

// Open loads an address of the app in the tab on screen.
func (s *Stage) Open(ctx context.Context, url string) error {
	t, err := s.shown()
	if err != nil {
		return err
	}
	if s.opts.Resolve != nil {
		href, refusal := s.opts.Resolve(url)
		if refusal != nil {
			return refusal
		}
		url = href
	}
	return went(t.Navigate(ctx, url))
}

// Back goes to the previous page of the tab on screen.
func (s *Stage) Back(ctx context.Context) error {
	t, err := s.shown()
	if err != nil {
		return err
	}
	return went(t.Back(ctx))
}

// Forward goes to the next one.
func (s *Stage) Forward(ctx context.Context) error {
	t, err := s.shown()
	if err != nil {
		return err
	}
	return went(t.Forward(ctx))
}

// Reload loads the page of the tab on screen again.
func (s *Stage) Reload(ctx context.Context) error {
	t, err := s.shown()
	if err != nil {
		return err
	}
	return t.Reload(ctx)
}

// NewTab opens a tab.
func (s *Stage) NewTab(ctx context.Context) error {
	_, err := s.b.NewTab(ctx)
	return err
}

func (s *Stage) find(id int) (*browser.Tab, error) {
	open := s.b.Tabs()
	if i := slices.IndexFunc(open, func(t *browser.Tab) bool { return t.ID() == id }); i >= 0 {
		return open[i], nil
	}
	return nil, &proto.Error{Code: proto.CodeTabUnknown, Message: "This tab is closed"}
}

// ShowTab puts a tab on screen.
func (s *Stage) ShowTab(ctx context.Context, id int) error {
	t, err := s.find(id)
	if err != nil {
		return err
	}
	return t.Activate(ctx)
}

// CloseTab closes a tab. In the place of the last one a blank one opens, since
// Chromium exits without any.
func (s *Stage) CloseTab(ctx context.Context, id int) error {
	t, err := s.find(id)
	if err != nil {
		return err
	}
	if len(s.b.Tabs()) == 1 {
		if _, err := s.b.NewTab(ctx); err != nil {
			return err
		}
	}
	return t.Close(ctx)
}
