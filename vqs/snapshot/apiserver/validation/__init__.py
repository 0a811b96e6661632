"""What the API server and Volcano's webhooks check when an object is created, as far as vqs models it.

types.txt has the fields of objects and what definitions say of them, rules.txt what is judged of fields by code.
`schema` reads both, and `pod` judges pods and their templates as the API server judges pods: the webhook for Jobs
borrows these checks. `names` has what texts may look like. All of it works on objects as they are written. The names of
containers and what they request are judged by `vqs.lint`.

Not checked, of what the API server or the webhooks do check:

* Volume sources other than configMap, downwardAPI, emptyDir, ephemeral (of its claim, access modes and storage),
  hostPath, nfs, persistentVolumeClaim, projected and secret; of the others only that there is no second source.
* The annotations for seccomp, AppArmor and tolerations in pods, windowsOptions of a securityContext, and what pods for
  Windows may not have.
* The divisor of a resourceFieldRef, and requests of whole pods (spec.resources) against those of their containers.
* What admission plugins add: limit ranges, quotas, security standards, service accounts and priority classes that do
  not exist.
* Regular expressions of HyperNodes: whether a script or category of letters exists, repetitions of repetitions
  that come to more than 1000, and how large an expression is.
* Policies (ValidatingAdmissionPolicy), and webhooks that Volcano's installation has off by default: those for pods and
  for JobFlows.
"""
