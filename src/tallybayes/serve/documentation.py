"""The description of the API as JSON, and as a page without external resources."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tallybayes.serve.openapi import description
from tallybayes.serve.problems import MEDIA_TYPE

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .25rem; border-top: 1px solid; padding-top: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: .4rem; }
.method { font-weight: 700; margin-right: .5rem; }
"""
EXAMPLES = {
    "predict": '{"row": {"text": "win a prize"}}',
    "explain": '{"row": {"text": "win a prize"}}',
    "evaluate": '{"rows": [{"row": {"text": "win a prize"}, "label": "spam"}]}',
    "learn": '{"id": "m-17", "row": {"text": "win a prize"}, "label": "spam"}',
    "forget": '{"id": "m-17"}',
    "correct": '{"id": "m-17", "label": "ham"}',
}


def documentation_routes(tokens: bool) -> list[Route]:
    described = description(tokens)
    about = json.dumps(described).encode()
    page, style = _page(described), STYLE.encode()

    async def openapi(_: Request) -> Response:
        return Response(about, media_type="application/json")

    async def documentation(_: Request) -> Response:
        return HTMLResponse(page)

    async def stylesheet(_: Request) -> Response:
        return Response(style, media_type="text/css")

    return [
        Route("/openapi.json", openapi),
        Route("/documentation", documentation),
        Route("/documentation.css", stylesheet),
    ]


def _page(described: dict[str, Any]) -> str:
    operations = [
        _operation(path, method, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    about = escape(described["info"]["description"])
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>tallybayes: the API</title>'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="stylesheet" href="/documentation.css"></head><body>'
        f'<h1>The API</h1><p>{about} Machine-readable: <a href="/openapi.json">openapi.json</a>. '
        '<a href="/">Back to the models.</a></p>'
        f"{''.join(operations)}</body></html>"
    )


def _operation(path: str, method: str, operation: dict[str, Any]) -> str:
    name, scope = operation["operationId"], operation.get("x-scope")
    token = f" If the service has tokens, it needs one with the scope <code>{scope}</code>." if scope else ""
    example = f"<pre>{escape(EXAMPLES[name])}</pre>" if name in EXAMPLES else ""
    bodies = ", ".join(operation.get("requestBody", {}).get("content", {}))
    accepts = f"<p>Body: {escape(bodies)}.</p>" if bodies else ""
    answers = operation["responses"]["200"]["content"]
    shape = json.dumps(next(iter(answers.values()))["schema"], indent=1)
    problems = ", ".join(status for status in operation["responses"] if status != "200")
    return (
        f'<h2 id="{name}"><span class="method">{method.upper()}</span><code>{escape(path)}</code></h2>'
        f"<p>{escape(operation['summary'])}{token}</p>{example}{accepts}"
        f"<p>Answer: {escape(', '.join(answers))}. Errors: {problems}, as {MEDIA_TYPE}.</p>"
        f"<details><summary>JSON Schema of the answer</summary><pre>{escape(shape)}</pre></details>"
    )
