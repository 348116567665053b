package kube

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// Defaults of a Runner.
const (
	DefaultMemory  = "2Gi"
	DefaultSHM     = "256Mi"
	DefaultSeccomp = "pillion/seccomp.json" // below the kubelet's directory of profiles
	DefaultService = "pillion"

	// DefaultLife is for browsers whose launch has no end of its own.
	DefaultLife = 8 * time.Hour

	// lifeMargin is how much longer than its own end a Pod may live: the stop,
	// and a clock that is off.
	lifeMargin = time.Minute
)

// cleanTimeout bounds the removal of what a start made; an API server that is
// away for longer is the sweep's.
const cleanTimeout = 15 * time.Second

// Runner starts sidecars as Pods. Its fields must not be changed after the
// first start. Client, Namespace and Image are required.
type Runner struct {
	Client    kubernetes.Interface
	Namespace string
	Image     string

	Memory  string // a Pod's limit; "" is DefaultMemory
	SHM     string // the size of its /dev/shm; "" is DefaultSHM
	Seccomp string // a profile's path on the nodes, or "unconfined"; "" is DefaultSeccomp
	Service string // the headless service's name; "" is DefaultService

	Requests     corev1.ResourceList
	NodeSelector map[string]string
	Owners       []metav1.OwnerReference // of Pods and Secrets, for the cluster's own garbage collection

	// Name tells this host's Pods from those of others, for Sweep. "" sweeps
	// nothing.
	Name string

	own names // of the Pods that this process has

	// OpenLog and Transport replace how a Pod's log and its /health are read;
	// nil is by the API server, and by HTTP.
	OpenLog   func(ctx context.Context, pod string) (io.ReadCloser, error)
	Transport http.RoundTripper
}

var (
	_ supervisor.Placer   = (*Runner)(nil)
	_ supervisor.Sweeper  = (*Runner)(nil)
	_ supervisor.Examiner = (*Runner)(nil)
)

func (r *Runner) service() string { return or(r.Service, DefaultService) }

// address is how a Pod is reached from the cluster.
func (r *Runner) address(name string) string {
	return net.JoinHostPort(fmt.Sprintf("%s.%s.%s.svc", name, r.service(), r.Namespace), strconv.Itoa(port))
}

// placed is the runner of one start, which has a name, a token to ask with, and
// an end.
type placed struct {
	*Runner
	name  string
	token proto.Secret
	life  time.Duration
}

// Place implements [supervisor.Placer].
func (r *Runner) Place(_ context.Context, launch proto.Launch) (proto.Launch, supervisor.Runner, error) {
	p := &placed{Runner: r, name: "pillion-" + strings.ToLower(rand.Text()[:16]), token: launch.Token, life: DefaultLife}
	if launch.StopAt != nil {
		p.life = max(time.Until(time.UnixMilli(int64(*launch.StopAt))), 0)
	}
	p.life += lifeMargin
	launch.Host, launch.Port = "0.0.0.0", port
	launch.AllowedHosts = append(append([]string{}, launch.AllowedHosts...), r.address(p.name))
	return launch, p, nil
}

// Start implements [supervisor.Runner]: a Secret, and a Pod that reads it.
func (p *placed) Start(ctx context.Context, _ []string, config []byte) (supervisor.Process, error) {
	if _, err := p.Client.CoreV1().Services(p.Namespace).Create(ctx, p.headless(), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("make the service %s: %w", p.service(), err)
	}
	p.own.add(p.name)
	if _, err := p.Client.CoreV1().Secrets(p.Namespace).Create(ctx, p.secret(p.name, config), metav1.CreateOptions{}); err != nil {
		p.own.remove(p.name)
		return nil, fmt.Errorf("make the config's secret: %w", err)
	}
	created, err := p.Client.CoreV1().Pods(p.Namespace).Create(ctx, p.pod(p.name, serveArgs(), p.life), metav1.CreateOptions{})
	if err != nil {
		p.remove()
		return nil, fmt.Errorf("make the pod: %w", err)
	}
	return newPod(p, created.Name), nil
}

// Start implements [supervisor.Runner] for what is no browser; there is nothing
// of that kind to run in a Pod.
func (r *Runner) Start(context.Context, []string, []byte) (supervisor.Process, error) {
	return nil, &proto.Error{
		Code: proto.CodeUnsupported, Message: "only browsers run in pods",
		Hint: "Run `sidecar doctor` from the image on a node",
	}
}

// remove deletes the Pod and the Secret, as far as they are there.
func (p *placed) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), cleanTimeout)
	defer cancel()
	_ = p.Client.CoreV1().Pods(p.Namespace).Delete(ctx, p.name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
	p.removeSecret(ctx)
	p.own.remove(p.name)
}

func (p *placed) removeSecret(ctx context.Context) {
	_ = p.Client.CoreV1().Secrets(p.Namespace).Delete(ctx, p.name, metav1.DeleteOptions{})
}

// ChildAddr implements [supervisor.Runner].
func (r *Runner) ChildAddr(addr string) (string, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "", fmt.Errorf("%s is this machine alone, and a pod can't reach it: give an address of the cluster", addr)
	}
	return addr, nil
}

// Diagnose implements [supervisor.Runner].
func (r *Runner) Diagnose(context.Context) string {
	return fmt.Sprintf("namespace: %s\nimage: %s\nseccomp: %s, which each node needs", r.Namespace, r.Image, or(r.Seccomp, DefaultSeccomp))
}

// Sweep implements [supervisor.Sweeper]: the Pods and Secrets with this host's
// label go, but for those of this process.
func (r *Runner) Sweep(ctx context.Context) error {
	if r.Name == "" {
		return nil
	}
	selector := hostLabel + "=" + r.Name
	if mine := r.own.list(); len(mine) > 0 {
		selector += "," + podLabel + " notin (" + strings.Join(mine, ",") + ")"
	}
	left := metav1.ListOptions{LabelSelector: selector}
	if err := r.Client.CoreV1().Pods(r.Namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, left); err != nil {
		return fmt.Errorf("delete this host's pods: %w", err)
	}
	if err := r.Client.CoreV1().Secrets(r.Namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, left); err != nil {
		return fmt.Errorf("delete this host's secrets: %w", err)
	}
	return nil
}

// Examine implements [supervisor.Examiner]: does the cluster answer, and may
// this host do what it has to?
func (r *Runner) Examine(ctx context.Context) []supervisor.Check {
	_, err := r.Client.CoreV1().Pods(r.Namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return []supervisor.Check{{Name: "cluster", State: "missing",
			Text: err.Error() + ". Check the credentials, the namespace and its role for pods"}}
	}
	return []supervisor.Check{{Name: "cluster", State: "ok", Text: "namespace " + r.Namespace}}
}
