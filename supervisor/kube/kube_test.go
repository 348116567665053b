package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

const namespace = "browsers"

// patience bounds every wait; it is never the expected time.
const patience = 20 * time.Second

// cluster is a fake one: its Pods do what the test writes into their log.
type cluster struct {
	t      *testing.T
	client *fake.Clientset
	runner *Runner
	log    *io.PipeWriter
	asked  chan string // the bearer of each /health
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	reader, writer := io.Pipe()
	c := &cluster{t: t, client: fake.NewClientset(), log: writer, asked: make(chan string, 8)}
	sidecar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.asked <- r.URL.Path + " " + r.Host + " " + r.Header.Get("Authorization")
	}))
	t.Cleanup(sidecar.Close)
	c.runner = &Runner{
		Client: c.client, Namespace: namespace, Image: "pillion", Name: "dashboard",
		OpenLog: func(context.Context, string) (io.ReadCloser, error) { return reader, nil },
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", sidecar.Listener.Addr().String())
		}},
	}
	return c
}

// await waits for the start's Pod.
func (c *cluster) await() corev1.Pod {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		pods, err := c.client.CoreV1().Pods(namespace).List(context.Background(), metav1.ListOptions{})
		if err == nil && len(pods.Items) == 1 {
			return pods.Items[0]
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("no pod: %v", err)
		}
	}
}

func (c *cluster) secrets() []corev1.Secret {
	c.t.Helper()
	all, err := c.client.CoreV1().Secrets(namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return all.Items
}

const readyLine = `{"ready":true,"port":7801,"version":"` + "%s" + `","pid":6}` + "\n"

// A browser's whole life: config in a secret, a Pod with few rights, readiness
// by /health, the secret gone, the Pod gone.
func TestLife(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	launch := proto.Launch{AppURL: "http://app.shop.svc:3000", Token: proto.NewSecret("aabrw_" + strings.Repeat("k", 40))}
	stopAt := float64(time.Now().Add(time.Hour).UnixMilli())
	launch.StopAt = &stopAt
	type started struct {
		browser *supervisor.Browser
		err     error
	}
	done := make(chan started, 1)
	go func() {
		s := supervisor.Supervisor{Runner: c.runner}
		browser, err := s.Start(context.Background(), launch)
		done <- started{browser, err}
	}()
	pod := c.await()
	address := pod.Name + ".pillion.browsers.svc:7801"
	secrets := c.secrets()
	if len(secrets) != 1 || secrets[0].Name != pod.Name {
		t.Fatalf("secrets %v", secrets)
	}
	var config struct {
		Token, Host  string
		Port         int
		AllowedHosts []string `json:"allowed_hosts"`
	}
	json.Unmarshal(secrets[0].Data[configFile], &config)
	if config.Host != "0.0.0.0" || config.Port != 7801 || len(config.AllowedHosts) != 1 || config.AllowedHosts[0] != address {
		t.Errorf("config %+v", config)
	}
	text, _ := json.Marshal(pod)
	if strings.Contains(string(text), launch.Token.Reveal()) {
		t.Error("the token is in the pod")
	}
	fmt.Fprintln(c.log, "browser-sidecar: a line of the log")
	fmt.Fprintf(c.log, readyLine, proto.Version)
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	if asked := <-c.asked; asked != "/health "+address+" Bearer "+launch.Token.Reveal() {
		t.Errorf("asked %s", asked)
	}
	if left := c.secrets(); len(left) != 0 {
		t.Errorf("the config is still there: %v", left)
	}
	if url := got.browser.MCPURL(); url != "http://"+address+"/mcp" {
		t.Errorf("MCP at %s", url)
	}
	for what, err := range map[string]error{
		"extend": got.browser.Extend(context.Background(), time.Now().Add(time.Hour)), "revoke": got.browser.Revoke(context.Background(), "7"),
	} {
		if !errors.Is(err, proto.CodeUnsupported) || !strings.Contains(err.Error(), "the command "+what+" can't reach this browser: a pod has no standard input") {
			t.Errorf("%s: %v", what, err)
		}
	}
	stop := make(chan error, 1)
	go func() { stop <- got.browser.Stop(context.Background()) }()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		pods, _ := c.client.CoreV1().Pods(namespace).List(context.Background(), metav1.ListOptions{})
		if len(pods.Items) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the pod lives")
		}
	}
	c.log.Close()
	if err := <-stop; err != nil {
		t.Error(err)
	}
}

func TestPod(t *testing.T) {
	t.Parallel()
	r := &Runner{Namespace: namespace, Image: "pillion", Name: "dashboard"}
	pod := r.pod("pillion-x", serveArgs(), time.Hour)
	spec, container := pod.Spec, pod.Spec.Containers[0]
	for what, ok := range map[string]bool{
		"labels":         pod.Labels[hostLabel] == "dashboard" && pod.Labels[podLabel] == "pillion-x",
		"deadline":       *spec.ActiveDeadlineSeconds == 3600,
		"no API token":   !*spec.AutomountServiceAccountToken && !*spec.EnableServiceLinks,
		"once":           spec.RestartPolicy == corev1.RestartPolicyNever,
		"name":           spec.Hostname == "pillion-x" && spec.Subdomain == "pillion",
		"user":           *spec.SecurityContext.RunAsNonRoot && *spec.SecurityContext.RunAsUser == 10001,
		"seccomp":        *spec.SecurityContext.SeccompProfile.LocalhostProfile == "pillion/seccomp.json",
		"rights":         !*container.SecurityContext.AllowPrivilegeEscalation && *container.SecurityContext.ReadOnlyRootFilesystem && container.SecurityContext.Capabilities.Drop[0] == "ALL",
		"memory":         container.Resources.Limits.Memory().String() == "2Gi",
		"arguments":      strings.Join(container.Args, " ") == "serve --config /config/launch.json",
		"config is read": container.VolumeMounts[0].ReadOnly && spec.Volumes[0].Secret.SecretName == "pillion-x",
	} {
		if !ok {
			t.Errorf("%s: %+v", what, pod)
		}
	}
}

// A Pod that fails says why, and leaves nothing.
func TestFailedStart(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	done := make(chan error, 1)
	go func() {
		s := supervisor.Supervisor{Runner: c.runner}
		_, err := s.Start(context.Background(), proto.Launch{AppURL: "http://app:3000"})
		done <- err
	}()
	pod := c.await()
	fmt.Fprintln(c.log, (&proto.Error{Code: proto.CodeSandboxUnavailable, Message: "no user namespaces", Hint: "copy the profile"}).Line())
	c.log.Close()
	pod.Status = corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{
		{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}}},
	}}
	if _, err := c.client.CoreV1().Pods(namespace).UpdateStatus(context.Background(), &pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, proto.CodeSandboxUnavailable) {
		t.Errorf("got %v", err)
	}
	pods, _ := c.client.CoreV1().Pods(namespace).List(context.Background(), metav1.ListOptions{})
	if len(pods.Items)+len(c.secrets()) != 0 {
		t.Errorf("left: %v %v", pods.Items, c.secrets())
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	if err := (&supervisor.Supervisor{Runner: c.runner}).Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	// The fake cluster does not select; what it was asked to counts.
	var asked []string
	for _, a := range c.client.Actions() {
		if d, ok := a.(clienttesting.DeleteCollectionAction); ok {
			asked = append(asked, d.GetResource().Resource+" "+d.GetListRestrictions().Labels.String())
		}
	}
	if want := "pods pillion.dev/host=dashboard, secrets pillion.dev/host=dashboard"; strings.Join(asked, ", ") != want {
		t.Errorf("asked to delete %v", asked)
	}
	c.client.ClearActions()
	c.runner.own.add("pillion-mine")
	if err := c.runner.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	asked = asked[:0]
	for _, a := range c.client.Actions() {
		if d, ok := a.(clienttesting.DeleteCollectionAction); ok {
			asked = append(asked, d.GetResource().Resource+" "+d.GetListRestrictions().Labels.String())
		}
	}
	own := "pillion.dev/browser notin (pillion-mine),pillion.dev/host=dashboard"
	if want := "pods " + own + ", secrets " + own; strings.Join(asked, ", ") != want {
		t.Errorf("with one of its own, asked to delete %v", asked)
	}
	c.runner.Name = ""
	if err := c.runner.Sweep(context.Background()); err != nil || len(c.client.Actions()) != len(asked) {
		t.Errorf("without a name: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	r := &Runner{}
	for addr, ok := range map[string]bool{
		"app.shop.svc:80": true, "10.1.2.3:80": true, "app": true, "127.0.0.1:3000": false, "localhost:80": false, "[::1]:80": false, "localhost": false,
	} {
		if _, err := r.ChildAddr(addr); (err == nil) != ok {
			t.Errorf("%s: %v", addr, err)
		}
	}
	s := supervisor.Supervisor{Runner: &Runner{Client: fake.NewClientset(), Namespace: namespace}}
	if _, err := s.Start(context.Background(), proto.Launch{AppURL: "http://127.0.0.1:3000"}); !errors.Is(err, proto.CodeConfigInvalid) {
		t.Errorf("an app on loopback: %v", err)
	}
	if checks, err := s.Doctor(context.Background()); len(checks) != 1 || !checks[0].OK() || err != nil {
		t.Errorf("doctor: %v, %v", checks, err)
	}
}
