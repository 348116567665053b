package kube

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/pillion-browser/pillion/proto"
)

// TestManifestRuns plays the manifest of a browser with Podman, whose Pods are
// as a kubelet's: the rights, the volumes, the config in a secret. It needs the
// image that PILLION_TEST_IMAGE names.
func TestManifestRuns(t *testing.T) {
	image := os.Getenv("PILLION_TEST_IMAGE")
	if image == "" || exec.Command("podman", "image", "exists", image).Run() != nil {
		t.Skip("PILLION_TEST_IMAGE names no image that Podman has")
	}
	if _, err := exec.LookPath("catatonit"); err != nil {
		t.Skip("Podman makes no pods without catatonit")
	}
	const profileName = "seccomp.json" // Podman looks into one directory, and not below it
	r := &Runner{Namespace: namespace, Image: image, Name: "test", Seccomp: profileName}
	name := fmt.Sprintf("pillion-test-%d", os.Getpid())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hostPort := l.Addr().(*net.TCPAddr).Port
	l.Close()
	address := fmt.Sprintf("127.0.0.1:%d", hostPort)
	token := proto.NewSecret("aabrw_" + strings.Repeat("k", 40))
	config, err := proto.Launch{AppURL: "http://app.example", Token: token, Host: "0.0.0.0", Port: port, AllowedHosts: []string{address}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	pod := r.pod(name, serveArgs(), time.Hour)
	pod.Spec.Containers[0].ImagePullPolicy = "Never"
	pod.Spec.Containers[0].Ports[0].HostIP, pod.Spec.Containers[0].Ports[0].HostPort = "127.0.0.1", int32(hostPort)
	// Older Podmans read the profile from where clusters once did.
	pod.Annotations = map[string]string{"seccomp.security.alpha.kubernetes.io/pod": "localhost/" + profileName}
	var manifest bytes.Buffer
	t.Cleanup(func() {
		podman(t, "", "pod", "rm", "--force", "--ignore", "--time=1", name)
		podman(t, "", "secret", "rm", name)
	})
	objects := []any{r.secret(name, config), pod}
	if version := podman(t, "", "version", "--format={{.Client.Version}}"); strings.HasPrefix(version, "4.3.") {
		// It gives the values of secrets to Pods undecoded, so here they are plain.
		text, err := yaml.Marshal(map[string]any{"data": map[string]string{configFile: string(config)}})
		if err != nil {
			t.Fatal(err)
		}
		podman(t, string(text), "secret", "create", name, "-")
		objects = objects[1:]
	}
	for _, object := range objects {
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		manifest.WriteString("---\n")
		manifest.Write(text)
	}
	profiles := t.TempDir()
	profile, err := os.ReadFile("../../sidecar/docs/seccomp.json")
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(profiles, profileName), profile, 0o644)

	podman(t, manifest.String(), "kube", "play", "--seccomp-profile-root="+profiles, "-")
	awaitReady(t, name)
	request, _ := http.NewRequest("GET", "http://"+address+"/health", nil)
	request.Header.Set("Authorization", "Bearer "+token.Reveal())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var health struct{ Status string }
	if json.NewDecoder(response.Body).Decode(&health); response.StatusCode != 200 || health.Status != "ok" {
		t.Errorf("health: %s %+v", response.Status, health)
	}
}

func podman(t *testing.T, input string, args ...string) string {
	t.Helper()
	if _, err := os.Stat("/run/systemd/system"); err != nil { // its usual runtime needs an init system
		args = append([]string{"--runtime", "runc"}, args...)
	}
	cmd := exec.Command("podman", args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("podman %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// awaitReady reads the Pod's log until its browser is ready.
func awaitReady(t *testing.T, name string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		log := podman(t, "", "pod", "logs", name)
		for lines := bufio.NewScanner(strings.NewReader(log)); lines.Scan(); {
			_, line, _ := strings.Cut(lines.Text(), "{")
			if ready, err := proto.DecodeReady([]byte("{" + line)); err == nil {
				if !ready.Features.Sandbox {
					t.Errorf("features %+v", ready.Features)
				}
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("not ready:\n%s\n%s", log, podman(t, "", "ps", "--all"))
		}
	}
}
