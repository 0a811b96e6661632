"""nodeorder: score nodes by how full they are, and by what pods would like, as Kubernetes itself does.

Each of eight scores lies between 0 and 100 (preferred node affinity: the sum of the weights that hold), and is
multiplied by a weight. Arguments, all whole numbers, 0 switches a score off:

* for each node by itself: `leastrequested.weight` (default 1), `mostrequested.weight` (0),
  `balancedresource.weight` (1), `nodeaffinity.weight` (2), `imagelocality.weight` (1);
* comparing the candidates: `podaffinity.weight` (2), `tainttoleration.weight` (3), `podtopologyspread.weight` (2).

Reference: pkg/scheduler/plugins/nodeorder/nodeorder.go and the plugins of k8s.io/kubernetes/pkg/scheduler/framework.
"""

from vqs.engine.plugins.nodeorder.plugin import NAME, NodeOrderPlugin

__all__ = ["NAME", "NodeOrderPlugin"]
