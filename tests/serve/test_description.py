"""The OpenAPI description is accurate: schemathesis checks the service against it."""

import subprocess
import sys

import pytest

from examples import some
from service import TEXTS, problem, serving
from tallybayes import Store
from tallybayes.serve.openapi import description
from tallybayes.serve.operations import OPERATIONS
from tallybayes.serve.tokens import new_token

# Columns and label types depend on the model, so the common description cannot state them.
NOT_TOLD = "positive_data_acceptance"


@pytest.fixture
def tokened(tmp_path):
    with Store.create(tmp_path / "s", TEXTS) as store:
        store.learn("win a prize", "spam", id="m-1")
        store.learn("lunch", "ham", id="m-2")
        token = new_token(store, "admin")
        with serving({"spam": store}) as client:
            yield client, store, token


@pytest.mark.slow
def test_schemathesis_finds_no_errors_and_no_way_around_tokens(tokened, tmp_path):
    client, store, token = tokened
    checked = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{client.base_url}/openapi.json"),
            *("--header", f"Authorization: Bearer {token}", "--exclude-checks", NOT_TOLD, "--no-color"),
            *("--max-examples", str(some(25)), "--seed", "17", "--generation-database", "none"),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert checked.returncode == 0, checked.stdout[-5000:] + checked.stderr[-2000:]
    assert f"Tested: {len(OPERATIONS)}" in checked.stdout
    assert store.verify()


def test_only_health_and_documentation_are_open(tokened):
    client, _, _ = tokened
    answered = set()
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            answer = client.request(method, path.format(name="spam", id="m-1"), content=b"{}")
            if answer.status_code == 401:
                problem(answer, 401)
            else:
                answered.add(operation["operationId"])
    assert answered == {"live", "ready"}


def test_every_operation_is_described(tokened):
    client, _, _ = tokened
    found = client.get("/openapi.json").json()
    assert found == description(tokens=True)
    named = {operation["operationId"] for methods in found["paths"].values() for operation in methods.values()}
    assert named == {operation.name for operation in OPERATIONS}
    learn = found["paths"]["/v1/models/{name}/learn"]["post"]
    assert set(learn["requestBody"]["content"]) == {
        "application/json",
        "text/csv",
        "application/vnd.apache.arrow.stream",
    }
    assert {"400", "401", "403", "404", "409", "413", "415", "429", "503", "507"} <= set(learn["responses"])
    assert learn["security"] == [{"token": []}]
