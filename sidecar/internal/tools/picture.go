package tools

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image/jpeg"
	"image/png"
	"path/filepath"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// drawTimeout is what a page gets to be drawn. One that takes longer is kept
// busy by a script, or is too large.
const drawTimeout = 20 * time.Second

// backgroundTimeout is when a tab that has not been drawn is taken for one in
// the background.
const backgroundTimeout = 5 * time.Second

func screenshot(ctx context.Context, c *call) error {
	var args struct {
		Target   string `json:"target"`
		Element  string `json:"element"`
		Type     string `json:"type"`
		Filename string `json:"filename"`
		FullPage bool   `json:"fullPage"`
	}
	if err := c.decode(&args); err != nil {
		return err
	}
	if args.FullPage && args.Target != "" {
		return toolError("Error: fullPage cannot be used with element screenshots.")
	}
	shot := browser.Shot{Format: pictureType(args.Type, args.Filename), FullPage: args.FullPage, MaxEdge: c.kit.opts.ScreenshotMaxEdge}
	title, prefix := "Screenshot of viewport", "page"
	switch {
	case args.FullPage:
		title = "Screenshot of full page"
	case args.Target != "":
		title, prefix = "Screenshot of element", "element"
		if args.Element != "" {
			title = "Screenshot of " + strings.NewReplacer("[", "(", "]", ")").Replace(shortLine(args.Element))
		}
		box, err := c.actor().Reveal(ctx, args.Target)
		if err != nil {
			return err
		}
		shot.Clip = &browser.Rect{X: box.X, Y: box.Y, Width: box.Width, Height: box.Height}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, drawTimeout, errBusy)
	defer cancel()
	picture, err := c.draw(ctx, shot)
	if err != nil {
		return err
	}
	if args.Filename != "" {
		err = c.save(title, args.Filename, picture.Data)
	} else {
		err = c.keep(title, files.Stamped(prefix, shot.Format), picture.Data)
		c.images = append(c.images, image{mime: "image/" + shot.Format, data: picture.Data})
	}
	if err != nil {
		return err
	}
	c.say(sizeOf(picture, shot))
	return nil
}

// draw takes the picture. Full Chromium may not draw a tab in the background;
// bringing it to the front is a last resort, as a person may look at another one.
func (c *call) draw(ctx context.Context, shot browser.Shot) (browser.Picture, error) {
	short, cancel := context.WithTimeout(ctx, backgroundTimeout)
	defer cancel()
	picture, err := c.tab.Screenshot(short, shot)
	if err == nil || short.Err() == nil || ctx.Err() != nil {
		return picture, err
	}
	if err := c.tab.Activate(ctx); err != nil {
		return picture, err
	}
	return c.tab.Screenshot(ctx, shot)
}

// sizeOf says how large a picture is, and that it was scaled down.
func sizeOf(p browser.Picture, shot browser.Shot) string {
	width, height, ok := pixels(p.Data)
	if !ok {
		width, height = p.Width, p.Height
	}
	size := fmt.Sprintf("%d x %d pixels", width, height)
	if p.Scaled {
		size += fmt.Sprintf(", scaled down from %d x %d: no side may be longer than %d. An element or the viewport shows more detail.", p.Width, p.Height, shot.MaxEdge)
	}
	return size
}

// pixels reads the size of a picture from its head.
func pixels(data []byte) (width, height int, ok bool) {
	if c, err := png.DecodeConfig(bytes.NewReader(data)); err == nil {
		return c.Width, c.Height, true
	}
	if c, err := jpeg.DecodeConfig(bytes.NewReader(data)); err == nil {
		return c.Width, c.Height, true
	}
	return webpPixels(data)
}

// webpPixels reads the size of a WebP picture: of its canvas, or of its one
// lossy or lossless image.
func webpPixels(data []byte) (width, height int, ok bool) {
	const head = 30
	if len(data) < head || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return 0, 0, false
	}
	chunk := data[20:]
	switch string(data[12:16]) {
	case "VP8X": // three bytes each, less one
		return 1 + int(chunk[4]) + int(chunk[5])<<8 + int(chunk[6])<<16, 1 + int(chunk[7]) + int(chunk[8])<<8 + int(chunk[9])<<16, true
	case "VP8 ": // 14 bits each, after a frame tag and a start code
		return int(binary.LittleEndian.Uint16(chunk[6:])) & 0x3fff, int(binary.LittleEndian.Uint16(chunk[8:])) & 0x3fff, true
	case "VP8L": // 14 bits each, less one, after a signature byte
		bits := binary.LittleEndian.Uint32(chunk[1:])
		return 1 + int(bits&0x3fff), 1 + int(bits>>14&0x3fff), true
	}
	return 0, 0, false
}

func pictureType(typ, filename string) string {
	if typ != "" {
		return typ
	}
	switch strings.ToLower(filepath.Ext(filename)) {
	case ".jpg", ".jpeg":
		return "jpeg"
	case ".webp":
		return "webp"
	default:
		return "png"
	}
}

func savePDF(ctx context.Context, c *call) error {
	var args struct{ Filename string }
	if err := c.decode(&args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, drawTimeout, errBusy)
	defer cancel()
	data, err := c.tab.PDF(ctx)
	if err != nil {
		return err
	}
	const title = "Page as pdf"
	if args.Filename != "" {
		return c.save(title, args.Filename, data)
	}
	return c.keep(title, files.Stamped("page", "pdf"), data)
}

func emulateMedia(ctx context.Context, c *call) error {
	keep := c.tab.Media()
	var args struct{ ColorScheme, ReducedMotion, ForcedColors, Contrast, Media override }
	if err := c.decode(&args); err != nil {
		return err
	}
	args.ColorScheme.apply(&keep.ColorScheme)
	args.ReducedMotion.apply(&keep.ReducedMotion)
	args.ForcedColors.apply(&keep.ForcedColors)
	args.Contrast.apply(&keep.Contrast)
	args.Media.apply(&keep.Type)
	return c.tab.EmulateMedia(ctx, keep)
}
