package main

import (
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// extender stands in scenarios for the address of the extender.
const extender = "http://extender.invalid"

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

// serve runs the extender, and returns its address.
func serve() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var r object
		json.NewDecoder(q.Body).Decode(&r)
		answer, ok := answers[strings.TrimPrefix(q.URL.Path, "/")]
		if !ok {
			w.WriteHeader(404)
			return
		}
		json.NewEncoder(w).Encode(answer(r))
	}))
	return "http://" + l.Addr().String()
}
