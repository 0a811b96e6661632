package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// servers are started where scenarios have these hosts: the extender, and one that never answers.
var servers = map[string]func() string{"extender.invalid": serve, "silent.invalid": silent}

type object = map[string]any

// last is the number at the end of a name: 3 of job-03, 1 of job-03-1.
func last(name string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(name[strings.LastIndexAny(name, "-nq")+1:], "0"))
	return n
}

func named(o any) int {
	m, _ := o.(object)
	s, _ := m["Name"].(string)
	return last(s)
}

// answers are those of the extender: they depend on names alone.
var answers = map[string]func(object) object{
	"onSessionOpenVerb": func(object) object { return object{} },
	"predicateVerb": func(r object) object {
		if (named(r["task"])+named(r["node"]))%4 == 3 {
			return object{"status": "the extender refuses the node", "code": 1 + named(r["node"])%2}
		}
		return object{}
	},
	"prioritizeVerb": func(r object) object {
		scores := object{}
		for _, n := range r["nodes"].([]any) {
			scores[n.(object)["Name"].(string)] = 10 * ((named(n) + named(r["task"])) % 3)
		}
		return object{"nodeScore": scores}
	},
	"preemptableVerb":    victims,
	"reclaimableVerb":    victims,
	"queueOverusedVerb":  func(r object) object { return object{"overused": named(r["queue"]) == 1} },
	"jobEnqueueableVerb": func(r object) object { return object{"status": named(r["job"])%3 - 1} },
	"jobReadyVerb":       func(r object) object { return object{"status": named(r["job"])%5 != 0} },
	"allocateFuncVerb": func(r object) object {
		if named(r["task"]) == 3 {
			return object{"errorMessage": "the extender takes no more"}
		}
		return object{}
	},
}

// echo are answers that depend on all that is told, apart from what few programs know: see unknown.
func init() {
	opened := ""
	echo := map[string]func(object) object{
		"onSessionOpenVerb": func(r object) object {
			opened = digest(r)
			return object{}
		},
		"predicateVerb": func(r object) object {
			if (named(r["task"])+named(r["node"]))%4 == 3 {
				return object{"status": "seen " + opened + " " + digest(r["task"]) + " " + digest(r["node"]), "code": 2}
			}
			return object{}
		},
		"prioritizeVerb": func(r object) object {
			scores := object{}
			for _, n := range r["nodes"].([]any) {
				scores[n.(object)["Name"].(string)] = drawn(object{"task": r["task"], "node": n}, 1000)
			}
			return object{"nodeScore": scores}
		},
		"preemptableVerb":    some,
		"reclaimableVerb":    some,
		"queueOverusedVerb":  func(r object) object { return object{"overused": drawn(r["queue"], 4) == 0} },
		"jobEnqueueableVerb": func(r object) object { return object{"status": drawn(r["job"], 3) - 1} },
		"jobReadyVerb":       func(r object) object { return object{"status": drawn(r["job"], 5) != 0} },
		"allocateFuncVerb": func(r object) object {
			if drawn(r["task"], 5) == 0 {
				return object{"errorMessage": "not " + digest(r["task"])}
			}
			return object{}
		},
	}
	for verb, answer := range echo {
		answers["echo/"+verb] = answer
	}
}

func some(r object) object {
	chosen := []any{}
	evictees, _ := r["evictees"].([]any)
	for _, e := range evictees {
		if drawn(object{"evictor": r["evictor"], "evictee": e}, 2) == 0 {
			chosen = append(chosen, e)
		}
	}
	return object{"status": len(evictees) % 2, "victims": chosen}
}

// drawn is a number below another one that hangs on all that is told.
func drawn(told any, below int) int {
	n, _ := strconv.ParseInt(digest(told)[:7], 16, 64)
	return int(n) % below
}

// unknown are the fields whose values are the scheduler's own: of manifests, their names and nodes alone are told.
var unknown = map[string]bool{
	"JobFitErrors": true, "NodesFitErrors": true, "ScheduleStartTimestamp": true, "ImageStates": true,
	"Generation": true, "BindGeneration": true, "Others": true, "NumaInfo": true, "NumaSchedulerInfo": true,
	"NumaChgFlag": true, "ResourceUsage": true, "NodeList": true, "PodGroup": true, "Node": true,
	"JobAllocatedHyperNode": true, "TaskStatusIndex": true,
}

// plain is what is told without that, and without amounts that are nothing; pods are their names and their nodes.
func plain(told any) any {
	switch value := told.(type) {
	case object:
		found := object{}
		for name, each := range value {
			if amount, isNumber := each.(float64); isNumber && amount == 0 {
				continue
			}
			pod, isPod := each.(object)
			if name == "Pod" && isPod {
				metadata, _ := pod["metadata"].(object)
				spec, _ := pod["spec"].(object)
				found[name] = []any{metadata["name"], spec["nodeName"]}
			} else if isManifest := name == "Queue" && isPod; !unknown[name] && !isManifest {
				found[name] = plain(each)
			}
		}
		if len(found) == 0 {
			return nil
		}
		return found
	case []any:
		found := []any{}
		for _, each := range value {
			found = append(found, plain(each))
		}
		return found
	}
	return told
}

// digest is a short text that hangs on all that is told.
func digest(told any) string {
	written, err := json.Marshal(plain(told))
	must(err)
	if file, ok := os.LookupEnv("EXTENDER_LOG"); ok {
		log, _ := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		log.Write(append(written, '\n'))
		log.Close()
	}
	sum := sha256.Sum256(written)
	return hex.EncodeToString(sum[:6])
}

func victims(r object) object {
	chosen := []any{}
	evictees, _ := r["evictees"].([]any)
	for _, e := range evictees {
		if named(e)%2 == 0 {
			chosen = append(chosen, e)
		}
	}
	return object{"status": 1, "victims": chosen}
}

// say answers with what the path says: a status, and a body or the place that is redirected to; without a status,
// the connection is closed.
func say(w http.ResponseWriter, status, text string) {
	code, _ := strconv.Atoi(status)
	if code == 0 {
		connection, _, _ := w.(http.Hijacker).Hijack()
		connection.Close()
		return
	}
	if code/100 == 3 {
		w.Header().Set("Location", text)
		text = ""
	}
	w.WriteHeader(code)
	w.Write([]byte(text))
}

// told are answers that depend on which jobs the extender was told of.
func init() {
	jobs := []string{}
	answers["told/onSessionOpenVerb"] = func(object) object {
		jobs = []string{}
		return object{}
	}
	answers["told/jobEnqueuedVerb"] = func(r object) object {
		jobs = append(jobs, r["job"].(object)["Name"].(string))
		return object{}
	}
	answers["told/predicateVerb"] = func(r object) object {
		if (named(r["task"])+named(r["node"]))%4 == 3 {
			return object{"status": "told of " + strings.Join(jobs, " "), "code": 2}
		}
		return object{}
	}
}

// fill answers with as many bytes as the path says, and some more.
func fill(w http.ResponseWriter, number string) {
	n, err := strconv.Atoi(number)
	must(err)
	w.Write([]byte(`{"status": 1, "rest": "` + strings.Repeat("-", n) + `"}`))
}

var listeners []net.Listener

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	listeners = append(listeners, l) // one that is forgotten is closed
	return l
}

// silent takes connections, and never answers; it returns its host and port.
func silent() string {
	return listen().Addr().String()
}

// serve runs the extender, and returns its host and port.
func serve() string {
	l := listen()
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var r object
		json.NewDecoder(q.Body).Decode(&r)
		if words := strings.SplitN(q.URL.Path, "/", 4); words[1] == "say" {
			say(w, words[2], words[3])
			return
		}
		if number, isFilled := strings.CutPrefix(q.URL.Path, "/fill/"); isFilled {
			fill(w, number)
			return
		}
		answer, ok := answers[strings.TrimPrefix(q.URL.Path, "/")]
		if !ok {
			w.WriteHeader(404)
			return
		}
		json.NewEncoder(w).Encode(answer(r))
	}))
	return l.Addr().String()
}
