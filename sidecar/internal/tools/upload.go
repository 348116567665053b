package tools

import (
	"context"
	"errors"

	"github.com/pillion-browser/pillion/sidecar/internal/action"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
)

func fileUpload(ctx context.Context, c *call) error {
	var args struct {
		Paths []string `json:"paths"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	c.show = true
	if chooser := c.tab.Chooser(); chooser != nil && !chooser.Multiple && len(args.Paths) > 1 {
		return browser.ErrOneFile
	}
	paths, err := c.stage(args.Paths)
	if err != nil {
		return err
	}
	return c.actor().Answered(ctx, "upload files", func(ctx context.Context) error {
		err := c.tab.ChooseFiles(ctx, paths)
		if errors.Is(err, browser.ErrNoChooser) {
			return toolError("Error: The file chooser is gone: the page has left it, or somebody else has answered it.")
		}
		return err
	})
}

func drop(ctx context.Context, c *call) error {
	var args struct {
		Target string            `json:"target"`
		Paths  []string          `json:"paths"`
		Data   map[string]string `json:"data"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	if len(args.Paths) == 0 && len(args.Data) == 0 {
		return toolError("Error: Either paths or data must be provided")
	}
	paths, err := c.stage(args.Paths)
	if err != nil {
		return err
	}
	c.show = true
	return c.actor().Drop(ctx, args.Target, action.Payload{Files: paths, Data: args.Data})
}

// stage puts files that the agent names where Chromium can read them.
func (c *call) stage(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return c.kit.opts.Files.Stage(names)
}
