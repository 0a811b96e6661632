package main

import (
	"math"
	"reflect"
	"strings"
	"unsafe"

	v1 "k8s.io/api/core/v1"

	"volcano.sh/volcano/pkg/scheduler/api"
	"volcano.sh/volcano/pkg/scheduler/framework"
)

var (
	opens = []string{
		"deserved", "allocated", "request", "elastic", "inqueue", "capability", "realCapability", "guarantee",
	}
	closes = []string{"allocated", "inqueue"}
)

// hidden is a field that is not exported: the figures of queues are the plugins' own.
func hidden(v reflect.Value, name string) reflect.Value {
	f := v.FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

// queues are the figures that proportion or capacity has of each queue.
func queues(ssn *framework.Session, figures []string) map[string]map[string]any {
	found := map[string]map[string]any{}
	plugins := hidden(reflect.ValueOf(ssn).Elem(), "plugins").Interface().(map[string]framework.Plugin)
	for _, name := range []string{"proportion", "capacity"} {
		plugin, ok := plugins[name]
		if !ok {
			continue
		}
		attributes := hidden(reflect.ValueOf(plugin).Elem(), "queueOpts")
		for _, key := range attributes.MapKeys() {
			of := attributes.MapIndex(key).Elem()
			queue := map[string]any{"share": number(hidden(of, "share").Float())}
			for _, figure := range figures {
				queue[figure] = amounts(hidden(of, figure).Interface().(*api.Resource))
			}
			found[hidden(of, "name").String()] = queue
		}
	}
	return found
}

// amounts are cores, bytes and counts; what is not limited is "inf".
func amounts(r *api.Resource) map[string]any {
	found := map[string]any{}
	if r == nil {
		return found
	}
	put := func(name string, value, unit float64) {
		if value == -1 || value >= math.MaxFloat64/1e6 {
			found[name] = "inf"
		} else {
			found[name] = value / unit
		}
	}
	put("cpu", r.MilliCPU, 1000)
	put("memory", r.Memory, 1)
	for name, value := range r.ScalarResources {
		if value >= math.MaxInt64 { // what a limit that does not name a resource comes to
			value = -1
		}
		switch {
		case name == v1.ResourcePods:
			put("pods", value, 1)
		case strings.HasPrefix(string(name), "attachable-volumes-"):
			if value >= math.MaxInt32 { // what a driver without a limit counts as
				value = -1
			}
			put(string(name), value, 1)
		default:
			put(string(name), value, 1000)
		}
	}
	return found
}

func number(f float64) any {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return "inf"
	}
	return f
}

// tasks are the pods of jobs, with the status that the session leaves them in, and their nodes.
func tasks(jobs map[api.JobID]*api.JobInfo) map[string]any {
	found := map[string]any{}
	for _, job := range jobs {
		if job.PodGroup == nil {
			continue
		}
		for _, task := range job.Tasks {
			one := map[string]any{"job": job.Name, "status": task.Status.String()}
			if task.NodeName != "" {
				one["node"] = task.NodeName
			}
			found[task.Namespace+"/"+task.Name] = one
		}
	}
	return found
}

// addMessages adds what is said to the pods that wait, once the session is closed.
func addMessages(placed map[string]any, jobs map[api.JobID]*api.JobInfo) {
	for _, job := range jobs {
		for _, task := range job.Tasks {
			one, ok := placed[task.Namespace+"/"+task.Name].(map[string]any)
			if _, message, _ := job.TaskSchedulingReason(task.UID); ok && message != "" {
				one["message"] = message
			}
		}
	}
}

// conditions are the phases of PodGroups, and why they are not schedulable, without what the first pod says of it.
func conditions(jobs map[api.JobID]*api.JobInfo) map[string]any {
	found := map[string]any{}
	for _, job := range jobs {
		if job.PodGroup == nil {
			continue
		}
		message := ""
		for _, c := range job.PodGroup.Status.Conditions {
			if c.Type == "Unschedulable" && c.Status == v1.ConditionTrue {
				message = strings.Split(c.Message, ". Origin reason is ")[0]
			}
		}
		found[job.Namespace+"/"+job.Name] = map[string]any{
			"phase": string(job.PodGroup.Status.Phase), "queue": string(job.Queue), "unschedulable": message,
		}
	}
	return found
}
