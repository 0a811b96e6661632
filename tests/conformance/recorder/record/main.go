// Record runs sessions of the scheduler that it is built in, and writes which outcomes there were, and how often.
//
//	record [--runs N] [--append] [--out FOLDER] SCENARIO.yaml ...
package main

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"k8s.io/klog/v2"

	"volcano.sh/volcano/pkg/scheduler/metrics"
)

// recorded is the file of a scenario: its distinct outcomes, those first that came up most often, as JSON with "runs".
type recorded struct {
	Volcano  string           `json:"volcano"`
	Runs     int              `json:"runs"`
	Outcomes []map[string]any `json:"outcomes"`
}

func main() {
	runs := flag.Int("runs", 25, "how many sessions are run on each scenario")
	release := flag.String("volcano", "v1.14.4", "the release that is written down")
	more := flag.Bool("append", false, "add to the outcomes that were recorded before")
	out := flag.String("out", "", "the folder of the outcomes; by default, that of the scenario")
	flag.Parse()
	if flag.NArg() > 1 {
		each(flag.Args())
		return
	}
	logs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(logs)
	must(logs.Set("logtostderr", "false"))
	must(logs.Set("stderrthreshold", "FATAL"))
	metrics.InitKubeSchedulerRelatedMetrics()
	for _, path := range flag.Args() {
		folder := filepath.Dir(path)
		if *out != "" {
			folder = *out
		}
		target := filepath.Join(folder, strings.TrimSuffix(filepath.Base(path), ".yaml")+".json")
		found := recorded{Volcano: *release}
		if text, err := os.ReadFile(target); err == nil && *more {
			must(json.Unmarshal(text, &found))
		}
		text, err := json.MarshalIndent(found.with(load(path), *runs), "", " ")
		must(err)
		must(os.WriteFile(target, append(text, '\n'), 0o644))
	}
}

// each records every scenario in a process of its own: actions and plugins keep arguments that a later configuration lacks.
func each(paths []string) {
	program, err := os.Executable()
	must(err)
	options := os.Args[1 : len(os.Args)-len(paths)]
	for _, path := range paths {
		command := exec.Command(program, append(append([]string{}, options...), path)...)
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		must(command.Run())
	}
}

// with adds the outcomes of some more runs.
func (r recorded) with(s scenario, runs int) recorded {
	for host, start := range servers {
		if strings.Contains(s.configuration, host) {
			s.configuration = strings.ReplaceAll(s.configuration, host, start())
		}
	}
	if strings.Contains(s.configuration, "name: deviceshare") {
		run(s) // the plugin says only as it opens which devices nodes are read with: the first session of a process has none
	}
	count := map[string]int{}
	for _, outcome := range r.Outcomes {
		times := int(outcome["runs"].(float64))
		delete(outcome, "runs")
		count[text(outcome)] += times
	}
	for i := 0; i < runs; i++ {
		count[text(run(s))]++
	}
	r.Runs += runs
	r.Outcomes = nil
	for outcome, times := range count {
		var plain map[string]any
		must(json.Unmarshal([]byte(outcome), &plain))
		plain["runs"] = times
		r.Outcomes = append(r.Outcomes, plain)
	}
	sort.Slice(r.Outcomes, func(i, j int) bool {
		one, other := r.Outcomes[i], r.Outcomes[j]
		if one["runs"] != other["runs"] {
			return one["runs"].(int) > other["runs"].(int)
		}
		return text(one) < text(other)
	})
	return r
}

// text is an outcome as JSON, whose keys are sorted; numbers are as they are read again, so that outcomes compare.
func text(outcome map[string]any) string {
	first, err := json.Marshal(outcome)
	must(err)
	var plain map[string]any
	must(json.Unmarshal(first, &plain))
	second, err := json.Marshal(plain)
	must(err)
	return string(second)
}
