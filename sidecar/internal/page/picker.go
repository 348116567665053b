package page

import (
	"context"
	"errors"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

// Picker is what Chromium has opened in a window of its own for a form control,
// where pictures of the page lack it.
type Picker struct {
	Kind    string // "select", or the input's type: "date", "time", "datetime-local", "month", "week" or "color"
	Label   string // the control's name
	Options []PickerOption
	// Selected is the option that is chosen, -1 for none.
	Selected              int
	Value, Min, Max, Step string // of an input

	frame  *browser.Frame
	number int // of its opening, in that document
}

// PickerOption is one line of a list.
type PickerOption struct {
	Label    string `json:"label"`
	Group    string `json:"group,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
}

// Is says whether both are the same opening of the same control.
func (p *Picker) Is(o *Picker) bool {
	return p == o || p != nil && o != nil && p.frame == o.frame && p.number == o.number && p.Kind == o.Kind && p.Label == o.Label
}

// maxPickerDepth is how deep frames are looked into for a picker.
const maxPickerDepth = 8

// OpenPicker finds the picker that is open in a tab; nil when none is.
func OpenPicker(ctx context.Context, tab *browser.Tab) (*Picker, error) {
	return pickerIn(ctx, tab.MainFrame(), 0)
}

func pickerIn(ctx context.Context, f *browser.Frame, depth int) (*Picker, error) {
	var found struct {
		Frame  bool
		Number int
		Picker
	}
	if err := Call(ctx, f, "openPicker", &found); err != nil {
		return nil, err
	}
	if found.Kind != "" {
		p := found.Picker
		p.frame, p.number = f, found.Number
		return &p, nil
	}
	if !found.Frame || depth == maxPickerDepth {
		return nil, nil
	}
	for _, child := range f.Children() {
		// A frame that has just gone has nothing open.
		if p, err := pickerIn(ctx, child, depth+1); p != nil || ctx.Err() != nil {
			return p, err
		}
	}
	return nil, nil
}

// Choice is the answer to a picker: the index of an option, or a value in the
// form that the input has it. Neither leaves the control as it was.
type Choice struct {
	Index *int
	Value *string
}

// Close closes the picker with a choice, which the page hears of as of a person's.
// A picker that is closed already stays so.
func (p *Picker) Close(ctx context.Context, c Choice) error {
	var done struct{ Error string }
	if err := Call(ctx, p.frame, "closePicker", &done, p.number, c.Index, c.Value); err != nil {
		if IsGone(err) {
			return nil
		}
		return err
	}
	if done.Error != "" {
		return &proto.Error{Code: proto.CodeInvalidArguments, Message: done.Error}
	}
	return nil
}

// Selection is the text that is selected in a tab, in the document that has the
// focus or else in the first that has any; "" for nothing.
func Selection(ctx context.Context, tab *browser.Tab) (string, error) {
	var first string
	var failed error
	for _, f := range tab.Frames() {
		var s struct {
			Focused bool
			Text    string
		}
		if err := Call(ctx, f, "selection", &s); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if s.Focused {
			return s.Text, nil
		}
		if first == "" {
			first = s.Text
		}
	}
	if first != "" {
		failed = nil
	}
	return first, failed
}
