"""Write the comment on a pull request: what a change does, and what is otherwise than with the push before.

It runs on `workflow_run`, with a token that can write. What it reads was written next to the files of a stranger, so
it is data: only `vqs render` looks into it, and writes Markdown in which nothing is a link, a mention or HTML. Which
pull request it is for comes from GitHub, by the commit that the first workflow ran on. The comment ends with that
workflow, its artifact, and the number of its run, so that the next one can compare with what it found, and other uses
of this action on the same pull request have comments of their own.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

API: Final = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}"
BOT: Final = "github-actions[bot]"
RESULT: Final = "diff.json"
_PAGE: Final = 100
MOST_BYTES: Final = 50_000_000
"""The largest result that is read."""
MOST_TEXT: Final = 65_000
"""A little less than the longest comment that GitHub takes."""


def ask(method: str, address: str, value: Any = None) -> bytes:
    """Ask the API; the token is for GitHub alone, and does not follow to where artifacts are stored."""
    body = None if value is None else json.dumps(value).encode()
    request = Request(address, body, {"Accept": "application/vnd.github+json"}, method=method)  # noqa: S310 - GitHub's
    request.add_unredirected_header("Authorization", f"Bearer {os.environ['TOKEN']}")
    with urlopen(request, timeout=60) as answer:  # noqa: S310 - the same
        data: bytes = answer.read(MOST_BYTES + 1)
        return data


def pages(address: str) -> list[Any]:
    """All items of a list, a hundred at a time."""
    found: list[Any] = []
    for page in range(1, 31):
        some = json.loads(ask("GET", f"{address}{'&' if '?' in address else '?'}per_page={_PAGE}&page={page}"))
        found += some
        if len(some) < _PAGE:
            break
    return found


def pull_request(run: dict[str, Any]) -> int | None:
    """The open pull request whose newest commit a run was on; None where there is none any more."""
    if run["head_repository"] is None:  # the fork is gone
        return None
    head = f"{run['head_repository']['owner']['login']}:{run['head_branch']}"
    found = pages(f"{API}/pulls?{urlencode({'state': 'open', 'head': head})}")
    return next((each["number"] for each in found if each["head"]["sha"] == run["head_sha"]), None)


def result_of(run: int, folder: Path) -> Path | None:
    """The result that a run left in its artifact; None where it left none, or it is gone."""
    named = json.loads(ask("GET", f"{API}/actions/runs/{run}/artifacts?name={quote(os.environ['ARTIFACT'])}"))
    for each in named["artifacts"]:
        if each["expired"]:
            continue
        data = ask("GET", each["archive_download_url"])
        if len(data) > MOST_BYTES:
            continue
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if RESULT not in archive.namelist():
                continue
            with archive.open(RESULT) as packed:
                text = packed.read(MOST_BYTES + 1)
        if len(text) <= MOST_BYTES:
            target = folder / f"{run}.json"
            target.write_bytes(text)
            return target
    return None


def rendered(result: Path, earlier: Path | None) -> str:
    """What vqs says of a result; without the earlier one where that is no result any more.

    The program that reads what strangers write is not given the token.
    """
    environment = {name: value for name, value in os.environ.items() if name != "TOKEN"}
    for since in [["--since", str(earlier)], []] if earlier else [[]]:
        command = ["vqs", "render", str(result), "--format", "markdown", *since]
        done = subprocess.run(  # noqa: S603 - the files are this program's own
            command, check=False, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=300
        )
        if done.returncode == 0:
            return done.stdout
    sys.exit(f"the result cannot be rendered: {done.stderr.strip()[:500]!r}")


def shortened(text: str) -> str:
    """A text that GitHub takes as a comment: the lines that there is room for."""
    lines, left = list[str](), MOST_TEXT
    for line in text.splitlines(keepends=True):
        left -= len(line)
        if left < 0:
            return "".join(lines) + "\n\nThe rest is too long for a comment: see the report.\n"
        lines.append(line)
    return text


def main() -> None:
    """Write the comment anew, or write the first."""
    run = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))["workflow_run"]
    number = pull_request(run)
    if number is None:
        sys.stdout.write("no open pull request has this commit as its newest\n")
        return
    use = f"vqs what-if {run['workflow_id']} {quote(os.environ['ARTIFACT'], safe='')}"
    marked = re.compile(rf"<!-- {re.escape(use)}, run (\d+) -->\s*\Z")
    comments = [each for each in pages(f"{API}/issues/{number}/comments") if each["user"]["login"] == BOT]
    own = next(((each, int(mark[1])) for each in comments if (mark := marked.search(each["body"]))), None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = result_of(run["id"], folder)
        if result is None:
            sys.exit(f"run {run['id']} has no artifact {os.environ['ARTIFACT']} with {RESULT}")
        try:
            earlier = result_of(own[1], folder) if own and own[1] != run["id"] else None
        except (HTTPError, zipfile.BadZipFile, zlib.error, RuntimeError):
            earlier = None  # it was deleted, or is no archive that can be read
        text = shortened(rendered(result, earlier))
    body = {"body": f"{text}\n<!-- {use}, run {run['id']} -->"}
    if own:
        ask("PATCH", f"{API}/issues/comments/{own[0]['id']}", body)
    else:
        ask("POST", f"{API}/issues/{number}/comments", body)


if __name__ == "__main__":
    main()
