package kube

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/pillion-browser/pillion/proto"
)

const (
	// retryEvery is the pause before the API server, or the browser, is asked
	// again; a Pod takes seconds to come up.
	retryEvery = 250 * time.Millisecond

	// askTimeout bounds one request for /health.
	askTimeout = 5 * time.Second

	// logGrace is how long the log of a Pod that has ended may go on.
	logGrace = 2 * time.Second

	// logLine is the most that is read of a line of the log: the ready line has
	// some hundred bytes, a line of the sidecar's may have a mebibyte.
	logLine = 2 << 20
)

// process is a sidecar in its Pod. It implements [supervisor.Process].
type process struct {
	*placed
	stdin          *once
	stdout, stderr *io.PipeReader

	live   context.Context // ends with the Pod
	finish context.CancelFunc
	work   sync.WaitGroup
}

// newPod follows a Pod that has been created.
func newPod(p *placed, name string) *process {
	stdout, lines := io.Pipe()
	stderr, log := io.Pipe()
	q := &process{placed: p, stdout: stdout, stderr: stderr}
	q.live, q.finish = context.WithCancel(context.Background())
	q.stdin = &once{end: func() { _ = q.Terminate() }}
	q.work.Go(func() { q.follow(lines, log) })
	return q
}

// once is the standard input that a Pod does not have. Its end is the Pod's.
type once struct {
	sync.Once
	end func()
}

func (o *once) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (o *once) Close() error              { o.Do(o.end); return nil }

// Mute implements [supervisor.Mute].
func (q *process) Mute() string { return "a pod has no standard input" }

func (q *process) ID() string            { return q.name }
func (q *process) Stdin() io.WriteCloser { return q.stdin }
func (q *process) Stdout() io.ReadCloser { return q.stdout }
func (q *process) Stderr() io.ReadCloser { return q.stderr }

// HostAddr implements [supervisor.Process].
func (q *process) HostAddr(string) (string, error) { return q.address(q.name), nil }

// Terminate implements [supervisor.Process]: a deleted Pod gets SIGTERM.
func (q *process) Terminate() error { return q.deletePod(stopSeconds) }

// Kill implements [supervisor.Process].
func (q *process) Kill() error { return q.deletePod(0) }

func (q *process) deletePod(grace int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanTimeout)
	defer cancel()
	err := q.Client.CoreV1().Pods(q.Namespace).Delete(ctx, q.name, metav1.DeleteOptions{GracePeriodSeconds: &grace})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Wait implements [supervisor.Process].
func (q *process) Wait() error {
	status := q.awaitEnd()
	// The log ends with the Pod; what it said last is worth a moment.
	last := time.AfterFunc(logGrace, q.finish)
	q.work.Wait()
	last.Stop()
	q.finish()
	q.remove()
	return status
}

// awaitEnd returns when the Pod has ended or is gone.
func (q *process) awaitEnd() error {
	for {
		watch, err := q.Client.CoreV1().Pods(q.Namespace).Watch(q.live, metav1.ListOptions{FieldSelector: "metadata.name=" + q.name})
		if err != nil {
			time.Sleep(retryEvery)
			continue
		}
		// Looked at once the watch stands, so that nothing falls between.
		pod, err := q.Client.CoreV1().Pods(q.Namespace).Get(q.live, q.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			watch.Stop()
			return nil
		}
		if err == nil {
			if over, status := ended(pod); over {
				watch.Stop()
				return status
			}
		}
		for e := range watch.ResultChan() {
			pod, ok := e.Object.(*corev1.Pod)
			if !ok || pod.Name != q.name {
				continue
			}
			over, status := ended(pod)
			if over || e.Type == "DELETED" {
				watch.Stop()
				return status
			}
		}
	}
}

// ended says whether a Pod has, and how.
func ended(pod *corev1.Pod) (bool, error) {
	switch pod.Status.Phase {
	case corev1.PodSucceeded:
		return true, nil
	case corev1.PodFailed:
		for _, c := range pod.Status.ContainerStatuses {
			if t := c.State.Terminated; t != nil {
				return true, fmt.Errorf("exit status %d (%s)", t.ExitCode, or(t.Reason, "no reason given"))
			}
		}
		return true, fmt.Errorf("the pod failed: %s", or(pod.Status.Message, pod.Status.Reason))
	default:
		return false, nil
	}
}

// follow reads the Pod's log. Its ready line is standard output's; everything
// else that a Pod without commands says is standard error's.
func (q *process) follow(stdout, stderr *io.PipeWriter) {
	defer stdout.Close()
	defer stderr.Close()
	log, err := q.openLog()
	if err != nil {
		return
	}
	defer log.Close()
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, logLine)
	for ready := false; lines.Scan(); {
		line := append(bytes.Clone(lines.Bytes()), '\n')
		to := stderr
		if _, err := proto.DecodeReady(line); err == nil && !ready {
			ready, to = true, stdout
			if q.awaitHealth() != nil {
				return
			}
			q.removeSecret(q.live) // the config has been read
		}
		if _, err := to.Write(line); err != nil && to == stdout {
			return
		}
	}
}

// openLog waits for the container to have one.
func (q *process) openLog() (io.ReadCloser, error) {
	open := q.OpenLog
	if open == nil {
		open = func(ctx context.Context, pod string) (io.ReadCloser, error) {
			return q.Client.CoreV1().Pods(q.Namespace).GetLogs(pod, &corev1.PodLogOptions{Follow: true}).Stream(ctx)
		}
	}
	for {
		log, err := open(q.live, q.name)
		if err == nil {
			return log, nil
		}
		if err := q.pause(); err != nil {
			return nil, err
		}
	}
}

// awaitHealth asks the browser until it answers. Its name may take a moment to
// be known in the cluster.
func (q *process) awaitHealth() error {
	client := &http.Client{Transport: q.Transport, Timeout: askTimeout}
	for {
		r, err := http.NewRequestWithContext(q.live, http.MethodGet, "http://"+q.address(q.name)+"/health", nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+q.token.Reveal())
		response, err := client.Do(r)
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		if err := q.pause(); err != nil {
			return err
		}
	}
}

// pause waits before another attempt; an error says that the Pod is over.
func (q *process) pause() error {
	select {
	case <-q.live.Done():
		return errors.New("the pod has ended")
	case <-time.After(retryEvery):
		return nil
	}
}
