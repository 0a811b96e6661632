package main

import (
	shardv1 "volcano.sh/apis/pkg/apis/shard/v1alpha1"
	"volcano.sh/volcano/cmd/scheduler/app/options"
)

// Releases before v1.14 have no shards; the program is built without this file there.

func (effects) UpdateNodeShardStatus(s *shardv1.NodeShard) (*shardv1.NodeShard, error) { return s, nil }

func init() {
	setShard = func(s scenario) {
		options.ServerOpts.ShardingMode = "none"
		if mode := s.flags["scheduler-sharding-mode"]; mode != "" {
			options.ServerOpts.ShardingMode = mode
			options.ServerOpts.ShardName = s.flags["scheduler-sharding-name"]
		}
	}
}
