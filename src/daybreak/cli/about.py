"""About each command: what it does, in a sentence or two, and a call that works; shown by `daybreak COMMAND --help`."""

ABOUT: dict[str, str] = {
    "init": "Writes a commented daybreak.toml: a watchlist, your time zone and languages. With --from it reads what your "
    "own code pins, imports and deploys, and watches that. A file that is there is left alone.",
    "run": "Reports on one day or several: collects, reads every change, judges, writes pages and sends what is due. "
    "What was reported before is left alone. Exit code 3: something was skipped, and the report says what.",
    "demo": "Reports a week of three sample projects that come with the program, in a folder of its own.",
    "verify": "Holds every checkable claim of a Markdown report (shas, links, titles, counts, paths, code) against git. "
    "Exit code 3: a claim is false.",
    "range": "Tells an upgrade: what holds at the end of the range and did not at its start, netted over all its commits. "
    "Example: daybreak range acme/engine v1.0.0..latest",
    "impact": "Reads your code, scripts, manifests and pins, never runs them, and says which upstream changes touch them, "
    "with file and line. Exit code 3: something does. Example: daybreak impact ../our-service --range "
    "acme/engine v1.0.0..latest",
    "ack": "Accepts a finding of `impact` until a day, with a reason, in a file that can be committed.",
    "show": "Shows one change (a sha or #123), one reported day (2026-01-19), or everything that happened to a name.",
    "notify": "Sends a test message to each target of [notify], or what is due for a day that is stored.",
    "site": "Writes the reported days as pages that need no server; what did not change is left alone.",
    "serve": "Serves the pages, search and a JSON API on 127.0.0.1:8080, and runs the daily job with --schedule.",
    "mcp": "Offers the reports to agents as read-only tools, over stdin and stdout or over HTTP.",
    "status": "Tells what ran, which days are missing or incomplete, and what it cost. Exit code 3: something is.",
    "doctor": "Checks everything that a run needs and says how to mend what fails. Exit code 3: something fails.",
    "docs": "Prints a page of the documentation that comes with the program; without a name, the list of pages.",
    "completion": "Prints a script that lets your shell complete commands and options. For bash: "
    'eval "$(daybreak completion bash)"',
    "grade": "Grades listed commits and prints a JSON line for each: for evaluation.",
}
