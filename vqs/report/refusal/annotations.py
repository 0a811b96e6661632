"""What is wrong with an input as annotations, each at its place."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from vqs.explain.refusal import InputDiagnostic, Refusal
from vqs.report.annotations.annotation import Annotation, AnnotationSet, Location, fingerprint_of, relative
from vqs.report.formats import View
from vqs.report.lint.annotations import descriptors


def annotate(result: Refusal, _view: View, /) -> AnnotationSet:
    """Turn what is wrong with an input into annotations, each at its place."""
    annotations = [_of_input(each) for each in result.diagnostics]
    alike: Counter[str] = Counter()
    for index, annotation in enumerate(annotations):
        alike[annotation.fingerprint] += 1
        digest = fingerprint_of(annotation.fingerprint, str(alike[annotation.fingerprint]))
        annotations[index] = replace(annotation, fingerprint=digest)
    return AnnotationSet(
        tool=f"vqs {result.command}",
        annotations=tuple(annotations),
        descriptors=descriptors(),
        files=tuple(dict.fromkeys(annotation.at.file for annotation in annotations if annotation.at.file)),
        refused=True,
    )


def _of_input(diagnostic: InputDiagnostic) -> Annotation:
    file = relative(diagnostic.file)
    return Annotation(
        code=diagnostic.code,
        level=diagnostic.severity,
        message=": ".join(part for part in (diagnostic.path, diagnostic.message) if part),
        at=Location(file, diagnostic.line or 0, diagnostic.column or 0),
        help=diagnostic.help,
        excerpt=diagnostic.excerpt,
        fingerprint=fingerprint_of(diagnostic.code, file, diagnostic.path, diagnostic.message),
        fails=diagnostic.severity == "error",
    )
