package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/proto/replay"
)

// replayHeaderTimeout keeps a client that never finishes its request from holding
// a connection.
const replayHeaderTimeout = 10 * time.Second

// replayFile shows the recordings in a file on a page of this machine, until a
// signal. Nobody finds the page who does not know its address, which is said on
// stderr alone.
func replayFile(args []string, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, logPrefix+usage)
		return exitUsage
	}
	sig := watchSignals()
	defer sig.stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	file, err := archive.Open(ctx, args[0])
	if err != nil {
		complain(stderr, err)
		return exitFailed
	}
	defer file.Close()
	all, err := file.Recordings(ctx)
	if err != nil {
		complain(stderr, err)
		return exitFailed
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(proto.DefaultHost, "0"))
	if err != nil {
		complain(stderr, &proto.Error{Code: proto.CodeListenFailed, Message: "no port for the page: " + err.Error(), Err: err})
		return exitFailed
	}
	token := rand.Text()
	address := listener.Addr().String()
	server := &http.Server{
		Handler:           replayPage(file, token, address, slog.New(slog.NewTextHandler(stderr, nil))),
		ReadHeaderTimeout: replayHeaderTimeout, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // until Close
	defer serving.Wait()
	defer server.Close()
	page := "http://" + address + "/" + token + "/"
	if len(all) == 1 {
		page += url.PathEscape(all[0].ID) + "/"
	}
	writeLine(stderr, fmt.Sprintf("%s%d recordings in %s; Ctrl-C ends this page:", logPrefix, len(all), args[0]))
	writeLine(stderr, page)
	<-sig.stops
	return exitOK
}

// replayPage answers below the token alone, and to this machine's name for itself:
// a page elsewhere may point its own name here.
func replayPage(file *archive.Archive, token, address string, log *slog.Logger) http.Handler {
	pages := http.StripPrefix("/"+token, replay.Handler(file, log))
	mux := http.NewServeMux()
	mux.Handle("/{token}/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !proto.NewSecret(token).Matches(r.PathValue("token")) || r.Host != address {
			http.NotFound(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	return mux
}
