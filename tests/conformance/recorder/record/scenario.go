package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kubescheme "k8s.io/client-go/kubernetes/scheme"

	vcscheme "volcano.sh/apis/pkg/client/clientset/versioned/scheme"
)

// scenario is what a file says: objects of the API, the scheduler's configuration and flags, its configuration of
// devices, and what nodes use.
type scenario struct {
	objects       []runtime.Object
	configuration string
	devices       string
	flags         map[string]string
	usage         map[string]used
}

// used is what a node uses: cores and bytes.
type used struct {
	cpu, memory float64
	at          time.Time
}

// delay is how long volumes need to become known in a session.
func (s scenario) delay() time.Duration {
	for _, object := range s.objects {
		if _, ok := object.(*v1.PersistentVolumeClaim); ok {
			return 50 * time.Millisecond
		}
	}
	return 0
}

func load(path string) scenario {
	text, err := os.ReadFile(path)
	must(err)
	scheme := runtime.NewScheme()
	must(kubescheme.AddToScheme(scheme))
	must(vcscheme.AddToScheme(scheme))
	decoder := serializer.NewCodecFactory(scheme).UniversalDeserializer()
	s := scenario{usage: map[string]used{}}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for document, err := reader.Read(); err == nil; document, err = reader.Read() {
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		raw, err := utilyaml.ToJSON(document)
		must(err)
		var head struct {
			Kind         string
			Metadata     struct{ Name string }
			Usage, Flags map[string]string
			Timestamp    time.Time
		}
		must(json.Unmarshal(raw, &head))
		switch head.Kind { // two kinds are vqs's own, see docs/scenarios.md
		case "":
			continue
		case "Scenario":
			s.flags = head.Flags
			continue
		case "NodeMetrics":
			s.usage[head.Metadata.Name] = used{amount(head.Usage["cpu"]), amount(head.Usage["memory"]), head.Timestamp}
			continue
		}
		object, _, err := decoder.Decode(raw, nil, nil)
		must(err)
		if configMap, ok := object.(*v1.ConfigMap); ok && configMap.Data["volcano-scheduler.conf"] != "" {
			s.configuration = configMap.Data["volcano-scheduler.conf"]
			continue
		}
		if configMap, ok := object.(*v1.ConfigMap); ok && configMap.Data["device-config.yaml"] != "" {
			s.devices = configMap.Data["device-config.yaml"]
			continue
		}
		if deployment, ok := object.(*appsv1.Deployment); ok && deployment.Name == "volcano-scheduler" {
			s.flags = map[string]string{}
			for _, arg := range deployment.Spec.Template.Spec.Containers[0].Args {
				name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
				s.flags[name] = value
			}
			continue
		}
		s.objects = append(s.objects, object)
	}
	return s
}

func amount(text string) float64 {
	if text == "" {
		return 0
	}
	quantity := resource.MustParse(text)
	return quantity.AsApproximateFloat64()
}
