package main

import (
	"fmt"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	kubefake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/record"

	vcfake "volcano.sh/apis/pkg/client/clientset/versioned/fake"
	vcscheme "volcano.sh/apis/pkg/client/clientset/versioned/scheme"
	"volcano.sh/volcano/cmd/scheduler/app/options"
	"volcano.sh/volcano/pkg/scheduler"
	_ "volcano.sh/volcano/pkg/scheduler/actions"
	"volcano.sh/volcano/pkg/scheduler/actions/allocate"
	"volcano.sh/volcano/pkg/scheduler/api"
	"volcano.sh/volcano/pkg/scheduler/cache"
	"volcano.sh/volcano/pkg/scheduler/conf"
	"volcano.sh/volcano/pkg/scheduler/framework"
	"volcano.sh/volcano/pkg/scheduler/metrics/source"
	_ "volcano.sh/volcano/pkg/scheduler/plugins"
	"volcano.sh/volcano/pkg/scheduler/plugins/predicates"
)

// effects take what a session does to the cluster, and do nothing.
type effects struct{}

func (effects) Bind(kubernetes.Interface, []*api.TaskInfo) map[api.TaskID]string { return nil }
func (effects) Evict(*v1.Pod, string) error                                      { return nil }
func (effects) UpdatePodStatus(p *v1.Pod) (*v1.Pod, error)                       { return p, nil }
func (effects) UpdatePodGroup(g *api.PodGroup) (*api.PodGroup, error)            { return g, nil }
func (effects) UpdateQueueStatus(*api.QueueInfo) error                           { return nil }

// defaults are registered once: some releases add the flags of the scheduler to those of the process.
var defaults sync.Once

// setShard sets which nodes are the scheduler's, in releases that have shards.
var setShard = func(scenario) {}

// setDevices sets what is in the ConfigMap of devices, which the scheduler reads with a client of its own.
var setDevices = func(scenario) {}

// number is the value of a flag that says how many nodes are examined; all are where there is none.
func (s scenario) number(flag string) int32 {
	given, err := strconv.Atoi(s.flags[flag])
	if err != nil {
		return 100
	}
	goruntime.GOMAXPROCS(1) // of the workers that examine nodes, one does them in turn
	return int32(given)
}

// filled is a mock cache into which informers put the scenario's objects, from fake clients.
func filled(s scenario, stop chan struct{}) *cache.SchedulerCache {
	fx := effects{}
	sc := cache.NewRecordingCache(fx, fx, fx, &record.FakeRecorder{})
	kube, vc := sc.Client().(*kubefake.Clientset), sc.VCClient().(*vcfake.Clientset)
	nodes, queues := 0, 0
	var pods []runtime.Object
	for _, object := range s.objects {
		object = object.DeepCopyObject()
		if _, ok := object.(*v1.Pod); ok {
			pods = append(pods, object)
			continue
		}
		if node, ok := object.(*v1.Node); ok {
			nodes++
			sc.AddOrUpdateNode(node.DeepCopy())
		}
		tracker := kube.Tracker()
		kinds, _, _ := vcscheme.Scheme.ObjectKinds(object)
		if len(kinds) > 0 && strings.Contains(kinds[0].Group, "volcano.sh") {
			tracker = vc.Tracker()
			if kinds[0].Kind == "Queue" {
				queues++
			}
		}
		must(tracker.Add(object))
	}
	sc.Run(stop)
	sc.SharedInformerFactory().WaitForCacheSync(stop)
	wait(sc.AllSynced)
	wait(func() bool {
		sc.Mutex.Lock()
		defer sc.Mutex.Unlock()
		return len(sc.Nodes) >= nodes && len(sc.Queues) >= queues
	})
	for _, pod := range pods { // what they name is known by now
		must(kube.Tracker().Add(pod))
	}
	lister := sc.SharedInformerFactory().Core().V1().Pods().Lister()
	wait(func() bool {
		known, err := lister.List(labels.Everything())
		must(err)
		return len(known) == len(pods)
	})
	time.Sleep(20 * time.Millisecond)
	return sc
}

func wait(until func() bool) {
	for i := 0; i < 2000 && !until(); i++ {
		time.Sleep(time.Millisecond)
	}
}

// setUsage says what the nodes use, as a source of metrics would: but for prometheus_adaptor, it has all nodes, and those
// that it knows nothing of use nothing.
func setUsage(s scenario, sc *cache.SchedulerCache, metrics map[string]string) {
	usage := map[string]*source.NodeMetrics{}
	for name, node := range sc.Nodes {
		used, known := s.usage[name]
		if node.Node == nil || !known && metrics["type"] == "prometheus_adaptor" {
			continue
		}
		if used.at.IsZero() {
			used.at = time.Now()
		}
		has := node.Node.Status.Capacity
		if len(has) == 0 {
			has = node.Node.Status.Allocatable
		}
		usage[name] = &source.NodeMetrics{
			MetricsTime: used.at,
			CPU:         100 * used.cpu / has.Cpu().AsApproximateFloat64(),
			Memory:      100 * used.memory / has.Memory().AsApproximateFloat64(),
		}
	}
	if len(s.usage) > 0 {
		sc.SetUsage(usage)
	}
}

// run opens a session on a scenario, runs the actions, closes it, and returns what came of it.
func run(s scenario) (result map[string]any) {
	defer func() {
		if p := recover(); p != nil {
			result = map[string]any{"panic": fmt.Sprint(p)}
		}
	}()
	defaults.Do(func() { options.Default() })
	options.ServerOpts.PercentageOfNodesToFind = s.number("percentage-nodes-to-find")
	options.ServerOpts.MinNodesToFind = s.number("minimum-feasible-nodes")
	options.ServerOpts.MinPercentageOfNodesToFind = s.number("minimum-percentage-nodes-to-find")
	setShard(s)
	setDevices(s)
	stop := make(chan struct{})
	defer close(stop)
	framework.RegisterAction(allocate.New()) // up to v1.13, it keeps the scores of HyperNodes for the life of a process
	actions, tiers, configurations, metrics, err := scheduler.UnmarshalSchedulerConf(s.configuration)
	must(err)
	sc := filled(s, stop)
	sc.SetMetricsConf(metrics)
	setUsage(s, sc, metrics)
	predicates.ResetVolumeBindingPluginForTest() // it keeps the claims and volumes of the first session of a process
	conf.EnabledActionMap = map[string]bool{}
	for _, action := range actions {
		conf.EnabledActionMap[action.Name()] = true
	}
	ssn := framework.OpenSession(sc, tiers, configurations)
	time.Sleep(s.delay()) // what follows claims and volumes is told of them in the background
	jobs := ssn.Jobs
	opened := queues(ssn, opens)
	for _, action := range actions {
		action.Execute(ssn)
	}
	closed := queues(ssn, closes)
	placed := tasks(jobs)
	framework.CloseSession(ssn)
	addMessages(placed, jobs)
	figures := map[string]any{}
	for name, queue := range opened {
		figures[name] = map[string]any{"opened": queue, "closed": closed[name]}
	}
	return map[string]any{"tasks": placed, "jobs": conditions(jobs), "queues": figures}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
