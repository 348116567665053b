package kube

import (
	"path"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	// port is the sidecar's in its Pod, whose address is its own.
	port = 7801

	hostLabel = "pillion.dev/host"
	podLabel  = "pillion.dev/browser"

	configDir  = "/config"
	configFile = "launch.json"

	// stopSeconds is what a sidecar gets between SIGTERM and SIGKILL: a little
	// more than the eight that it gives itself.
	stopSeconds = 10

	// user is the image's.
	user = 10001
)

func (r *Runner) labels(name string) map[string]string {
	l := map[string]string{"app.kubernetes.io/managed-by": "pillion", podLabel: name}
	if r.Name != "" {
		l[hostLabel] = r.Name
	}
	return l
}

func (r *Runner) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: r.Namespace, Labels: r.labels(name), OwnerReferences: r.Owners}
}

// secret holds the launch config.
func (r *Runner) secret(name string, config []byte) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: r.meta(name),
		Immutable:  new(true),
		Data:       map[string][]byte{configFile: config},
	}
}

// pod runs the sidecar with args, for at most life.
func (r *Runner) pod(name string, args []string, life time.Duration) *corev1.Pod {
	memory := resource.MustParse(or(r.Memory, DefaultMemory))
	shm := resource.MustParse(or(r.SHM, DefaultSHM))
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: r.meta(name),
		Spec: corev1.PodSpec{
			Hostname:                      name,
			Subdomain:                     r.service(),
			RestartPolicy:                 corev1.RestartPolicyNever,
			ActiveDeadlineSeconds:         new(int64(life / time.Second)),
			TerminationGracePeriodSeconds: new(int64(stopSeconds)),
			AutomountServiceAccountToken:  new(false),
			EnableServiceLinks:            new(false),
			NodeSelector:                  r.NodeSelector,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: new(int64(user)), RunAsGroup: new(int64(user)),
				SeccompProfile: r.seccomp(),
			},
			Containers: []corev1.Container{{
				Name:  "sidecar",
				Image: r.Image,
				Args:  args,
				Ports: []corev1.ContainerPort{{Name: "mcp", ContainerPort: port}},
				Resources: corev1.ResourceRequirements{
					Limits:   corev1.ResourceList{corev1.ResourceMemory: memory},
					Requests: r.Requests,
				},
				// The port is open when the browser is up. Whether it answers is the
				// runner's to ask: /health wants the token.
				ReadinessProbe: &corev1.Probe{
					ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(port)}},
					PeriodSeconds: 1, FailureThreshold: 60,
				},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
				VolumeMounts: []corev1.VolumeMount{
					{Name: "config", MountPath: configDir, ReadOnly: true},
					{Name: "tmp", MountPath: "/tmp"},
					{Name: "shm", MountPath: "/dev/shm"},
				},
			}},
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
					SecretName: name, DefaultMode: new(int32(0o444)), Optional: new(false),
				}}},
				{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}},
				{Name: "shm", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{
					Medium: corev1.StorageMediumMemory, SizeLimit: &shm,
				}}},
			},
		},
	}
}

// seccomp names the profile that nodes have a copy of.
func (r *Runner) seccomp() *corev1.SeccompProfile {
	if r.Seccomp == "unconfined" {
		return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined}
	}
	return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: new(or(r.Seccomp, DefaultSeccomp))}
}

// headless is the service by which Pods have names. It selects by the label
// that they all have, and knows them before they are ready.
func (r *Runner) headless() *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: r.service(), Namespace: r.Namespace, Labels: map[string]string{"app.kubernetes.io/managed-by": "pillion"}},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, PublishNotReadyAddresses: true,
			Selector: map[string]string{"app.kubernetes.io/managed-by": "pillion"},
			Ports:    []corev1.ServicePort{{Name: "mcp", Port: port}},
		},
	}
}

func serveArgs() []string { return []string{"serve", "--config", path.Join(configDir, configFile)} }

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
