"""Reading what files say about a cluster into typed objects.

Reading goes on after an error, and raises all errors at the end. What is not used, though one could think that it is,
is counted and named in a note. Of each object its origin is kept, so that a later finding can say where it stands.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from vqs.config.known_plugins import vendor_of_image
from vqs.model import kubernetes as k8s
from vqs.model.keys import SCHEDULER_NAME
from vqs.model.scheduler_flags import read_flags
from vqs.model.wording import and_more, first_names
from vqs.paths import is_folder
from vqs.releases.profile import ANY_RELEASE, ReleaseChoice
from vqs.releases.release import Build
from vqs.snapshot.apiserver.admission import is_stored
from vqs.snapshot.apiserver.checks import judged
from vqs.snapshot.apiserver.queue_sums import MOST_ABOVE, too_deep
from vqs.snapshot.cluster.usage import take_metrics
from vqs.snapshot.controllers.job import controller_in, first_jobs, next_runs, template_jobs
from vqs.snapshot.controllers.operators import Customs
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.configuration.read import read_configuration
from vqs.snapshot.reading.configuration.text import (
    ConfigText,
    choose_configuration,
    configurations_in_values,
    configurations_in_values_of,
    read_configuration_file,
    refuse_empty,
)
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Path, Problems, Severity, did_you_mean
from vqs.snapshot.reading.documents import (
    CAPTURE_KIND,
    SETTING_OF_SCENARIO,
    Capture,
    Origin,
    Progress,
    ProgressCallback,
    documents,
    remarks,
    setting_of_document,
    setting_of_scenario,
)
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.reading.kinds import (
    KIND_OF,
    METRICS_KIND,
    OTHER_PRODUCTS,
    PLAN_KINDS,
    PRODUCTS,
    SCENARIO_GROUP,
    SCENARIO_KIND,
    SCENARIO_VERSION,
    change_may_matter,
    gone,
    group_of,
    groups_with,
    is_kept_by_cluster,
    is_list,
    key_of,
    kind_of,
    may_matter,
    near_miss,
    type_of_items,
    typed_item,
)
from vqs.snapshot.reading.manifests import Manifests, take_names, unknown_flags
from vqs.snapshot.reading.missing_kinds import Fault, Findings, LenientRead
from vqs.snapshot.reading.objects import FOR_OTHERS, USABLE, ObjectReader
from vqs.snapshot.reading.others import (
    GUESSED,
    NOT_MODELLED,
    NOT_RENDERED,
    Others,
    advice,
    guessed,
    may_have_objects,
    refusal,
)
from vqs.snapshot.reading.reach import ReadRefused, begun, in_force
from vqs.snapshot.reading.sources import Source, read_sources, refused
from vqs.snapshot.scenario import expand as scenarios
from vqs.snapshot.scenario.expand import Includes
from vqs.snapshot.whatif.passed_over import Report, hidden_files, of_file, of_object

_UNREADABLE: Final = frozenset(
    {
        "alias-bomb",
        "cyclic-include",
        "empty-input",
        "invalid-json",
        "invalid-yaml",
        "line-too-long",
        "no-configuration",
        "not-an-object",
        NOT_RENDERED,
        "out-of-reach",
        "too-deep",
        "too-much-input",
        "unreadable-file",
        "unsupported-document",
        "unsupported-tag",
        "wrong-encoding",
    }
)
"""What keeps the objects in a file from being known at all."""

PLAN_NOT_READ: Final = "plan-not-read"
"""The code of the note that a plan is passed over."""

_EMPTY: Final = frozenset({"empty-input"})
"""What is wrong with files in which there is nothing."""

_NO_CONFIGURATION: Final = frozenset({"empty-configuration", "several-configurations"})


@begun()
def read_manifests(
    paths: Sequence[str],
    conf: str | None = None,
    *,
    expect: str | None = None,
    stdin: BinaryIO | None = None,
    progress: ProgressCallback | None = None,
    any_configuration: bool = False,
    under: Manifests | None = None,
    may_be_empty: bool = False,
    called: Mapping[str, str] = MappingProxyType({}),
    release: ReleaseChoice = ANY_RELEASE,
    base: Manifests | None = None,
) -> Manifests:
    """Read files, folders and standard input (``-``).

    Args:
        paths: what to read, each file once.
        conf: a file with the scheduler's configuration, which wins over one among the manifests.
        expect: a file with expectations, which are added to those of scenarios.
        stdin: what ``-`` stands for.
        progress: called now and then with how far reading is.
        any_configuration: whether a configuration that Volcano would refuse is accepted, as where no session runs.
        under: what the manifests will be laid over, so that scenarios may speak of what is there.
        may_be_empty: whether a file, a folder, or all of them may have nothing in them.
        called: what to call files that have a better name than their path.
        release: the release of Volcano that was asked for.
        base: what the setting of the sessions is taken from; else these files have their own.

    Raises:
        InputErrors: something cannot be used; it holds everything that is wrong with the input.
    """
    is_change = may_be_empty or under is not None
    ignored = _EMPTY if may_be_empty else ()
    reader = _Reader(
        Problems(ignored),
        progress,
        under=under,
        is_change=is_change,
        is_applied=may_be_empty,
        release=release,
        base=base,
    )
    given = reader.read_all(paths, conf, stdin, called)
    if expect is not None:
        from vqs.snapshot.scenario.validation import read_expectations  # noqa: PLC0415 - hardly ever asked for

        reader.manifests.expectations += read_expectations(expect, stdin, reader.problems)
    return reader.finish(given, any_configuration=any_configuration)


@begun()
def read_leniently(
    paths: Sequence[str],
    conf: str | None = None,
    *,
    stdin: BinaryIO | None = None,
    progress: ProgressCallback | None = None,
    release: ReleaseChoice = ANY_RELEASE,
    only_manifests: bool = False,
) -> LenientRead:
    """Read what `read_manifests` reads, and go on where the content of objects is wrong.

    With `only_manifests`, files that are named may be something else than manifests, as those in folders may.

    Raises:
        InputErrors: something cannot be read at all; it holds everything that is wrong with the input.
    """
    reader = _Reader(Problems(), progress, strict=False, release=release, only_manifests=only_manifests)
    return reader.finish_leniently(reader.read_all(paths, conf, stdin))


class _Reader:
    """Takes objects in, one by one."""

    def __init__(
        self,
        problems: Problems,
        progress: ProgressCallback | None,
        *,
        strict: bool = True,
        under: Manifests | None = None,
        is_change: bool = False,
        is_applied: bool = False,
        release: ReleaseChoice = ANY_RELEASE,
        base: Manifests | None = None,
        only_manifests: bool = False,
    ) -> None:
        self.only_manifests = only_manifests
        self.others = Others()
        self.under = under
        self.base = base
        self.is_change = is_change
        self.problems = problems
        self.names: set[str] = set()
        self.includes = Includes(self.names, problems)
        self.progress = Progress(0, progress)
        self.sources: list[Source] = []
        self.included: list[Source] = []
        self.entries: list[scenarios.Entry] = []
        self.refused = False
        self.manifests = Manifests(release=release)
        self.findings = Findings(problems)
        self.objects = ObjectReader(
            self.manifests,
            self.findings,
            strict=strict,
            is_change=is_change,
            is_applied=is_applied and under is not None,
        )
        self.customs = Customs(self.manifests, self.findings, strict=strict)
        self.hinted: set[tuple[str, str]] = set()
        self.products: dict[str, str] = {}
        self.found = 0

    def read_all(
        self,
        paths: Sequence[str],
        conf: str | None,
        stdin: BinaryIO | None,
        called: Mapping[str, str] = MappingProxyType({}),
    ) -> ConfigText | None:
        """Read everything, and return the configuration that was asked for."""
        sources = read_sources(paths, stdin, self.problems, self.names, called=called, strict=not self.only_manifests)
        if self.is_change:
            try:
                for folder in filter(is_folder, paths):
                    for key, each in hidden_files(folder, in_force()):
                        self.objects.pass_over(key, each)
            except ReadRefused as refusal:
                self.problems.add(refused(refusal, folder))
        with paused_collector():
            while sources:
                sources = [*self._manifests_among(sources)]
                self.progress.total += sum(source.length for source in sources)
                self.sources += [source for source in sources if self._read(source)]
                sources, self.included = self.included, []
            self.includes.refuse_circles()
            if self.objects.repeated:
                self.objects.apply_repeated()
            # Take in the objects that scenarios stand for.
            errors = [each for each in self.problems.diagnostics if each.severity == "error"]
            unread = {each for each in errors if each.code not in USABLE}
            self.manifests.scenarios = scenarios.expand(
                self.entries,
                self.manifests if self.under is None else _Both(self.manifests, self.under),
                self._keeps,
                self.problems,
                complete=not unread and not self.refused,
                now=None if self.base is None else next((each.now for each in self.base.scenarios if each.now), None),
            )
            self.manifests.expectations = [each for one in self.manifests.scenarios for each in one.expectations]
            # The errors that keep scenarios from standing for objects.
            errors = [each for each in self.problems.diagnostics if each.severity == "error"]
            self.refused |= any(each not in self.findings.places and each not in unread for each in errors)
            if self.base is not None:
                self.manifests.take_setting(self.base, self.under)
            self._guess_release()
            self._read_flags()
            self.objects.judge_by_release()
            self._add_jobs()
            self._add_customs()
            # Report flags that a scenario gives to a scheduler that does not have them.
            scenario = next((each for each in self.manifests.scenarios if each.sharding is not None), None)
            unknown = unknown_flags(self.manifests)
            if scenario is not None and unknown is not None:
                self.findings.refuse(scenario.origin, unknown.code, unknown.message, ("flags",), hint=unknown.help)
        given = None if conf is None else read_configuration_file(conf, stdin, self.problems)
        if conf is not None and given is None:
            self.objects.configurations.clear()  # the one that was asked for would win over them
        return given

    def _manifests_among(self, sources: Sequence[Source]) -> Iterator[Source]:
        """Yield the files that are read as they are; of the others, those that are named themselves are refused."""
        self.others.expect(sources)
        if in_force().limits.is_rendering:
            sources = self.others.render(sources)
        for source in sources:
            found = self.others.recognise(source)
            if found is None:
                yield source
                continue
            configurations = configurations_in_values_of(source)
            self.objects.configurations += configurations
            self.found += len(configurations)
            if source.strict and not configurations:
                self.problems.add(refusal(source, found))
            else:
                self.others.leave_out(found)
                what = f"{found.what} file" if found.command else found.what
                self._pass_over_file(what, source, Report.FINDING)

    def _pass_over_file(self, what: str, source: Source, report: Report) -> None:
        """Take note of a file of a change that is not looked at."""
        if self.is_change:
            self.objects.pass_over(*of_file(what, source.inner or source.name, source.text, source.name, report))

    def _read(self, source: Source) -> bool:
        """Read the documents of a file, and tell whether there is anything in it but what is left out."""
        before = self.others.documents
        quiet = not source.strict and not may_have_objects(source)
        problems = self.problems if source.strict else Problems(_EMPTY, None if quiet else self.problems)
        values = 0
        for document in documents(source, problems):
            for path, value in document.values(problems, self.progress.advance):
                values += 1
                self._take(value, Origin(document, path))
        if not values and not source.strict and (quiet or not problems.diagnostics):
            self._leave_out(source)
        left_out = self.others.documents - before
        return source.strict or not left_out or values > left_out

    def _leave_out(self, source: Source) -> None:
        """Leave out a document in a folder that is no object."""
        self.others.leave_out_document(source.name)
        self._pass_over_file("file without objects", source, Report.COUNT)

    def _guess_release(self) -> None:
        """Take the release from the image of the scheduler, where none was asked for, and say so."""
        manifests = self.manifests
        manifests.installed, manifests.shipped_by = None, ""
        if self.under is not None:
            manifests.installed, manifests.shipped_by = self.under.installed, self.under.shipped_by
        vendor = next(filter(None, (vendor_of_image(each.image) for each in self.objects.scheduler_images)), None)
        if vendor is not None:
            manifests.shipped_by = vendor.name
        guess = guessed(self.objects.scheduler_images)
        if guess is None or manifests.choice.build is not None:
            return
        manifests.installed = None if guess.release is None else Build(guess.release)
        severity: Severity = "note" if guess.is_modelled else "warning"
        code, origin = GUESSED if guess.is_modelled else NOT_MODELLED, guess.image.origin
        self.findings.add(origin, (), origin.diagnostic(code, guess.says, severity=severity, hint=advice(guess)))

    def _add_jobs(self) -> None:
        """Add the Jobs that JobFlows create; where findings are wanted, those of CronJobs and JobTemplates instead."""
        manifests, strict = self.manifests, self.objects.strict
        used: set[tuple[str, str]] = set()
        there = {key_of(each) for each in (manifests if self.under is None else self.under).volcano_jobs}
        for made in [*first_jobs(manifests)] if strict else [*next_runs(manifests), *template_jobs(manifests)]:
            if key_of(made.typed) in there:
                continue
            found = [*judged(made.typed, manifests.profile)]
            if not strict:
                for defect in found:
                    self.findings.report(made.origin, defect)
            elif found:
                message = f"{made.maker} cannot create Job {made.typed.metadata.name}: {found[0].message}"
                self.findings.report(made.origin, found[0]._replace(message=message, severity="warning"))
                continue
            manifests.add_made(made)
            if strict:
                used |= {("JobFlow", made.maker), ("JobTemplate", made.origin.place())}
        self.objects.ignored -= Counter(kind for kind, _ in used)
        flows = {made_by for kind, made_by in used if kind == "JobFlow"}
        waiting = [
            f"{each.metadata.name}-{step.name}"
            for each in manifests.job_flows
            for step in each.spec.flows
            if f"JobFlow {each.metadata.key}" in flows and step.depends_on is not None and step.depends_on.targets
        ]
        if waiting:
            text = f"Jobs that wait for others of their JobFlow were not added: {first_names(waiting)}"
            self.problems.add(Diagnostic(code="held-back", severity="note", message=text))

    def _add_customs(self) -> None:
        """Add what operators would create."""
        self.customs.add_all(self.under)
        self.manifests.timed = self.customs.timed
        self.objects.ignored += Counter({f"{kind}{FOR_OTHERS}": n for kind, n in self.customs.for_others.items()})
        for each in self.customs.unused:
            self._pass_over(each.kind, each.group, dict(each.value), each.origin)
            if each.operator is not None and each.kind not in self.customs.for_others:
                self._ignore(each.kind, each.group, dict(each.value), each.origin)
        for note in self.customs.notes():
            self.problems.add(note)

    def _read_flags(self) -> None:
        """Take the flags of the scheduler from its Deployment, or else from its pod, and say so."""
        manifests = self.manifests
        manifests.flags = self.under.flags if self.under is not None else manifests.flags
        image = min(self.objects.scheduler_images, key=lambda each: each.is_pod, default=None)
        flags = read_flags(image.words) if image is not None else manifests.flags
        if image is not None and flags.given:
            manifests.flags = flags
            text = f"the scheduler is started with {' '.join(flags.given)}"
            if flags.plugins_dir:
                text += "; what the plugins in that folder decide is not known"
            self.findings.note(image.origin, "scheduler-flags", text)
        take_names(manifests, manifests.flags.names)
        kept: list[k8s.Deployment | k8s.Job] = [*manifests.deployments, *manifests.jobs]
        lost = [each for each in kept if each.spec.template.spec.scheduler_name != SCHEDULER_NAME]
        lost = [
            each for each in lost if self.objects.strict and not each.metadata.uid
        ]  # they ask for Volcano otherwise
        for typed in (*(typed for typed, _ in manifests.aside), *lost):
            self.objects.ignored[f"{KIND_OF[type(typed)].name}{FOR_OTHERS}"] += 1

    def finish(self, given: ConfigText | None, *, any_configuration: bool) -> Manifests:
        """Settle what only shows when everything is read, and return the result."""
        for note in self.others.notes():
            self.problems.add(note)
        if not self.found and not self.problems.has_errors:
            self._report_nothing()
        take_metrics(self.manifests, self.manifests.metrics, self.problems)
        self._refuse_deep_queues()
        self._choose_configuration(given, any_configuration=any_configuration)
        self.problems.raise_errors()
        return self._settled()

    def finish_leniently(self, given: ConfigText | None) -> LenientRead:
        """Settle what only shows when everything is read, and return it with all that is wrong."""
        for note in self.others.notes():
            self.problems.add(note)
        self.objects.note_elsewhere()
        nothing = not self.found and given is None and self.others.is_empty and not self.only_manifests
        if nothing and not self.problems.has_errors:
            self._report_nothing()
        take_metrics(self.manifests, self.manifests.metrics, self.problems)
        self._refuse_deep_queues()
        self._choose_configuration(given, any_configuration=True)
        unreadable = [each for each in self.problems.diagnostics if each.code in _UNREADABLE]
        in_folders = {source.name for source in self.sources if not source.strict}
        if any(each.severity == "error" and each.file not in in_folders for each in unreadable):
            raise InputErrors(self.problems.diagnostics)
        manifests = self._settled()
        codes = {diagnostic.code for diagnostic in manifests.notes}
        return LenientRead(
            manifests,
            faults=[Fault(each, *self.findings.places.get(each, ())) for each in manifests.notes],
            sources=self.sources,
            whole=not self.refused and not any(each.severity == "error" for each in unreadable),
            has_usable_configuration=codes.isdisjoint(_NO_CONFIGURATION),
        )

    def _refuse_deep_queues(self) -> None:
        """Leave queues out that have too many above them, and report the first."""
        manifests = self.manifests
        deep = list(too_deep(manifests.queues))
        if not deep:
            return
        queue, origin = manifests.queues[deep[0]], manifests.origins["queues"][deep[0]]
        more = and_more(len(deep) - 1, "queue")
        message = f"queue {queue.metadata.name}{more} {'have' if more else 'has'} more than {MOST_ABOVE} queues above"
        self.findings.refuse(origin, "queue-too-deep", message, ("spec", "parent"))
        self.refused = True
        for index in reversed(deep):
            del manifests.queues[index], manifests.origins["queues"][index]

    def _settled(self) -> Manifests:
        manifests = self.manifests
        manifests.ignored = dict(sorted(self.objects.ignored.items()))
        manifests.stored_without_uid = frozenset(self.objects.stored_without_uid)
        for product in ("", *OTHER_PRODUCTS):
            ignored = ", ".join(
                f"{count} {kind}" for kind, count in manifests.ignored.items() if self.products.get(kind, "") == product
            )
            if ignored:
                of, more = (f", of {product}", f"; {OTHER_PRODUCTS[product]}") if product else ("", "")
                message = f"not used{of}: {ignored}{more}"
                self.problems.add(Diagnostic(code="ignored-kinds", severity="note", message=message))
        if manifests.made_by and self.objects.strict:
            # Say what was added: ``1 PodGroup and 3 Pods for RayCluster ns/ray``.
            counts: dict[str, Counter[str]] = {}
            for (kind, _), maker in manifests.made_by.items():
                counts.setdefault(maker, Counter())[KIND_OF[kind].name] += 1
            parts = [
                f"{' and '.join(f'{n} {kind}' if n == 1 else f'{n} {kind}s' for kind, n in count.items())} for {maker}"
                for maker, count in counts.items()
            ]
            text = f"added what controllers would create: {first_names(parts, separator='; ')}"
            self.problems.add(Diagnostic(code="made-objects", severity="note", message=text))
        manifests.notes = self.problems.diagnostics
        return manifests

    def _choose_configuration(self, given: ConfigText | None, *, any_configuration: bool) -> None:
        found = self.objects.configurations
        may_be_any = any_configuration and not any(each.document.source.strict for each in found)
        text = choose_configuration(given, found, self.problems, severity="note" if may_be_any else "error")
        if text is None:
            return
        self.manifests.configuration = read_configuration(text, self.manifests.profile)
        if refuse_empty(text, self.problems) or any_configuration:
            return
        try:
            self.manifests.configuration.accepted()
        except InputErrors as errors:
            for diagnostic in errors.diagnostics:
                self.problems.add(diagnostic)

    def _report_nothing(self) -> None:
        self.problems.add(Diagnostic(code="empty-input", severity="error", message="there is no object in the input"))

    def _take(self, value: Any, origin: Origin) -> None:
        """Take in a value that should be an object, or a List of them."""
        strict = origin.document.source.strict or bool(origin.path)
        if isinstance(value, list) and (strict or any(isinstance(each, dict) and "kind" in each for each in value)):
            self._take_all(value, origin, ())
        elif not isinstance(value, dict):
            if strict:
                self.findings.refuse(origin, "not-an-object", "expected a Kubernetes object")
            else:
                self._leave_out(origin.document.source)
        elif is_list(value) and isinstance(value.get("items"), list | None) and not self._is_only_called_list(value):
            usual = type_of_items(value)
            self._take_all([typed_item(item, usual) for item in value.get("items") or ()], origin, ("items",))
        else:
            self._take_object(value, origin)

    def _is_only_called_list(self, value: dict[str, Any]) -> bool:
        """True if something in a change may be an object whose kind ends in List, and no empty List."""
        kind = str(value.get("kind"))
        known = kind == "List" or groups_with(kind.removesuffix("List"))
        return self.is_change and "items" not in value and not known

    def _take_all(self, values: list[Any], origin: Origin, path: Path) -> None:
        for index, value in enumerate(values):
            self._take(value, Origin(origin.document, (*origin.path, *path, index)))

    def _take_object(self, value: dict[str, Any], origin: Origin) -> None:
        api_version, name = value.get("apiVersion"), value.get("kind")
        if not isinstance(api_version, str) or not isinstance(name, str) or not api_version or not name:
            self._take_untyped(value, origin)
            return
        self.found += 1
        kind = kind_of(api_version, name)
        if kind is not None:
            self.objects.take(kind, value, origin)
        else:
            self._take_other(group_of(api_version), name, value, origin)

    def _take_other(self, group: str, name: str, value: dict[str, Any], origin: Origin) -> None:
        """Take in an object of a kind that is no part of a cluster, or that is not used."""
        if (group, name) == METRICS_KIND:
            self.manifests.metrics.append((value, origin))
            if self.is_change:
                self.manifests.setting |= setting_of_document(value, origin)
        elif group == SCENARIO_GROUP and name == CAPTURE_KIND:
            self._take_capture(value, origin)
        elif group == SCENARIO_GROUP and name in PLAN_KINDS:
            message = f"a plan is no part of a snapshot, and is not read: vqs {name.lower()} runs it"
            hint = f"run vqs {name.lower()} {origin.document.source.name}"
            self.manifests.setting |= setting_of_document(value, origin)
            self.problems.add(origin.diagnostic(PLAN_NOT_READ, message, ("kind",), severity="note", hint=hint))
        elif group == SCENARIO_GROUP:
            self._take_scenario(value, origin)
        else:
            # Remember what made an object of a kind that is not used: jobs are called after the topmost controller.
            controlled = controller_in(value)
            if controlled is not None:
                self.manifests.controlled[controlled[0]] = controlled[1]
            if self.customs.take(value, origin):
                return
            self._ignore(name, group, value, origin)
            self._pass_over(name, group, value, origin)

    def _pass_over(self, name: str, group: str, value: dict[str, Any], origin: Origin) -> None:
        """Take note of an object of a kind that is not used."""
        if change_may_matter(name, group, value):
            self.objects.pass_over(*of_object(value, name, origin))
        elif not is_kept_by_cluster(name, value):
            self.objects.pass_over(*of_object(value, name, origin, Report.COUNT))

    def _take_scenario(self, value: dict[str, Any], origin: Origin) -> None:
        api_version, name = value["apiVersion"], value["kind"]
        if api_version != SCENARIO_VERSION:
            message = f"{api_version} is not known; expected {SCENARIO_VERSION}"
            self.findings.refuse(origin, "unsupported-document", message, ("apiVersion",))
            return
        if name != SCENARIO_KIND:
            hint = did_you_mean(name, [SCENARIO_KIND])
            message = f"there is no kind {name!r} in {api_version}; expected {SCENARIO_KIND}"
            self.findings.refuse(origin, "unsupported-document", message, ("kind",), hint=hint)
            return
        entry = scenarios.check(value, origin, self.problems)
        if entry is None:
            self.refused = True
            return
        self.manifests.setting |= setting_of_scenario(entry.value, origin)
        if self.base is not None:
            entry = entry._replace(
                value={key: each for key, each in entry.value.items() if key not in SETTING_OF_SCENARIO}
            )
        self.entries.append(entry)
        self.included += self.includes.sources(entry.value.get("include", []), origin)
        for index, each in enumerate(entry.value.get("manifests", ())):
            self._take(each, Origin(origin.document, (*origin.path, "manifests", index)))

    def _take_capture(self, value: dict[str, Any], origin: Origin) -> None:
        """Take in what a captured snapshot says of itself."""
        capture, errors = decode(value, Capture)
        for error in errors:
            self.findings.refuse(origin, "wrong-type", error.message, error.path, hint=error.hint)
        if capture is not None and not errors:
            self.manifests.setting |= setting_of_document(value, origin)
            self.manifests.captures.append(capture)
            if self.base is not None:
                return
            for remark in remarks(capture, origin.document.source.name):
                self.problems.add(remark)

    def _keeps(self, value: dict[str, Any], origin: Origin) -> bool:
        """Take in an object that a scenario stands for, and tell whether it is sound."""
        before = self.problems.reported
        self._take_object(value, origin)
        return self.problems.reported == before

    def _take_untyped(self, value: dict[str, Any], origin: Origin) -> None:
        """Take in the configuration in the values of a chart; refuse anything else, unless it is from a folder."""
        configurations = configurations_in_values(value, origin)
        is_typed = value.keys() & {"apiVersion", "kind"} and value.keys() & {"metadata", "spec"}
        if configurations:
            self.found += 1
            self.objects.configurations += configurations
        elif not origin.document.is_applied:
            return  # what follows the end of a document is nothing to kubectl, and a warning says so
        elif origin.document.source.strict or origin.path or is_typed:
            self.found += 1
            version = value.get("apiVersion")
            missing = "kind" if isinstance(version, str) and version else "apiVersion"
            hint = ""
            if "actions" in value or "tiers" in value:
                hint = "if this is the scheduler's configuration, give it with --conf"
            elif any(key in value for key in ("nodes", "queues", "jobs")):
                hint = f"a scenario begins with apiVersion: {SCENARIO_VERSION} and kind: {SCENARIO_KIND}"
            self.findings.refuse(origin, "not-an-object", f"{missing} is missing or not text", hint=hint)
        else:
            self._leave_out(origin.document.source)

    def _ignore(self, name: str, group: str, value: dict[str, Any], origin: Origin) -> None:
        """Count an object that is not used, and warn once if its kind or group looks misspelt, or refuse it."""
        served = "" if is_stored(value) else gone(name, group)
        if served:
            path = ("apiVersion",) if "apiVersion" in served or "any more" in served else ("kind",)
            message, _, hint = served.partition("; ")
            self.findings.refuse(origin, "kind-not-served", f"{name}: {message}", path, hint=hint)
            return
        if may_matter(name, group):
            self.objects.ignored[name] += 1
            self.products[name] = PRODUCTS.get(group, "")
        hint = near_miss(name, group)
        if hint and (name, group) not in self.hinted:
            self.hinted.add((name, group))
            path = ("apiVersion",) if groups_with(name) else ("kind",)
            message = f"objects of kind {name} in group {group or 'core'} are not used"
            diagnostic = origin.diagnostic("unknown-kind", message, path, severity="warning", hint=hint)
            self.findings.add(origin, path, diagnostic)


class _Both:
    """What scenarios may speak of: the objects that are read, and those that they will be laid over."""

    def __init__(self, own: Manifests, under: Manifests) -> None:
        self.newest_timestamp = under.newest_timestamp
        self._own = own
        self._under = under

    def __getattr__(self, list_name: str) -> list[Any]:
        """The objects of a list as they are together."""
        own: list[Any] = getattr(self._own, list_name)
        keys = {key_of(each) for each in own}
        return [*(each for each in getattr(self._under, list_name) if key_of(each) not in keys), *own]
