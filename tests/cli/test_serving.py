"""`tallybayes serve`: create, name, protect and serve stores."""

import builtins
import shutil
import socket
import subprocess
import sys
from urllib.parse import quote

import httpx
import pytest

from letters import trained
from service import process, serving
from tallybayes import Store, digest, load, save
from tallybayes.serve.opening import opened_stores

SCHEMA = 'label = "play"\n[columns]\noutlook = "Categorical()"\n'


def test_store_or_model_is_required(tally, model):
    ended = tally("serve", "here", "--port", "0")
    assert ended.code == 2
    assert "here: there is no store. Create one from a model with --from spam.tally" in ended.err
    assert "not both" in tally("serve", "here", "--from", "a.tally", "--schema", "b.toml").err
    assert "create a single store" in tally("serve", "here", "there", "--from", "a.tally").err
    assert "no-such.tally" in tally("serve", "here", "--from", "no-such.tally").err
    assert tally("serve", "here", "--schema", "no-such.toml").code == 2
    assert f"{model.name}: this is not a schema" in tally("serve", "here", "--schema", model.name).err


def test_store_is_named_after_its_model_or_folder(tmp_path, model):
    (tmp_path / "s.toml").write_text(SCHEMA)
    for _ in range(2):  # created, then found
        with opened_stores([str(tmp_path / "here")], model=str(model)) as stores:
            assert list(stores) == ["weather"]
            assert stores["weather"].digest() == digest(load(model))
    with opened_stores([str(tmp_path / "there")], schema=str(tmp_path / "s.toml")) as stores:
        assert list(stores) == ["there"]
        assert stores["there"].schema.label == "play"
    with opened_stores([str(tmp_path / "here"), str(tmp_path / "there")]) as stores:
        assert list(stores) == ["weather", "there"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("ü b?.tally", "ü b?"),
        ("..tally", "model"),
        ("b\udcff\n\u202e.tally", "b\ufffd\ufffd\ufffd"),
        (".tally", ".tally"),
    ],
)
def test_name_can_be_shown_and_be_part_of_an_address(tmp_path, model, file, name):
    shutil.copy(model, tmp_path / file)
    with opened_stores([str(tmp_path / "s")], model=str(tmp_path / file)) as stores, serving(stores) as client:
        for path in ("/", "/metrics", f"/v1/models/{quote(name)}"):
            assert client.get(path, follow_redirects=True).status_code == 200
        assert f"<title>Try it · {name} · " in client.get("/", follow_redirects=True).text


def test_store_that_is_the_parent_folder_has_its_name(tmp_path, model, monkeypatch):
    Store.create(tmp_path / "s", load(model)).close()
    (tmp_path / "s" / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "s" / "sub")
    with opened_stores([".."]) as stores:
        assert list(stores) == ["s"]


def test_two_stores_of_one_name_are_refused(tmp_path, model):
    for folder in ("one", "two"):
        with opened_stores([str(tmp_path / folder)], model=str(model)):
            pass
    with (
        pytest.raises(ValueError, match="are both called 'weather'"),
        opened_stores([str(tmp_path / "one"), str(tmp_path / "two")]),
    ):
        pass
    Store.open(tmp_path / "one").close()  # no longer held


def test_a_token_is_printed_once(tally, tmp_path, model):
    ended = tally("serve", "here", "--from", model, "--new-token", "learn")
    assert ended.code == 0
    token = ended.out.strip()
    assert token.startswith("tally-")
    assert ended.err == "This token may learn on 'weather'. Save it now: the store keeps only its hash.\n"
    with Store.open(tmp_path / "here") as store:
        assert [each["scope"] for each in store.settings()["tokens"]] == ["learn"]
        said = tally("serve", "here", "--new-token", "admin").err
        assert "is in use" in said
        assert "Change tokens while the service is stopped" in said
    assert tally("serve", "here", "--revoke-tokens").err == "weather: revoked 1 token.\n"
    assert "for one store" in tally("serve", "here", "there", "--new-token", "learn").err
    assert tally("serve", "here", "--new-token", "root").code == 2


def test_other_addresses_require_tokens(tally, model):
    ended = tally("serve", "here", "--from", model, "--host", "0.0.0.0", "--port", "0")
    again = tally("serve", "here", "--from", model, "--host", "0.0.0.0", "--port", "0")
    assert f"here is a store already, so {model} is not used." in again.err
    assert ended.code == 2
    assert "has no token, so nobody could ask it at this address. Make one: tallybayes serve" in ended.err


def test_unavailable_address_is_an_error(tally, model):
    assert "192.0.2.1, port 1: " in tally("serve", "here", "--from", model, "--host", "192.0.2.1", "--port", "1").err
    assert "Give another --host" in tally("serve", "here", "--host", "no.such.name.invalid").err


def test_missing_packages_are_named(tally, monkeypatch, model):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith(("uvicorn", "tallybayes.serve")):
            raise ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn")
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    ended = tally("serve", "here", "--from", model)
    assert ended.code == 2
    assert "pip install 'tallybayes[serve]'" in ended.err


@pytest.mark.slow
def test_serves_the_model_and_warns_that_it_is_open(tmp_path, model):
    with process(tmp_path / "here", "--from", model) as (child, url):
        found = httpx.get(f"{url}/v1/models/weather", timeout=120).json()
        assert (found["rows"], found["version"]) == (5, 0)
        child.terminate()
        _, said = child.communicate()
        assert said == "There are no tokens: anyone who can log in to this machine may ask and change everything.\n"
        assert child.returncode == 0


@pytest.mark.slow
def test_all_addresses_require_the_token(tally, tmp_path, model):
    token = tally("serve", "here", "--from", model, "--new-token", "predict").out.strip()
    with process(tmp_path / "here", "--host", "0.0.0.0") as (_, url):
        url = url.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/v1/models", timeout=120).status_code == 401
        answer = httpx.get(f"{url}/v1/models", headers={"authorization": f"Bearer {token}"}, timeout=120)
        assert answer.json()["models"][0]["name"] == "weather"


@pytest.mark.slow
def test_spamd_that_cannot_start_is_an_error(tally, model, tmp_path):
    save(trained(), tmp_path / "mail.tally")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = tally("serve", "mail", "--from", "mail.tally", "--port", "0", "--spamd", place)
    assert ended.code == 2
    assert not (tmp_path / "mail").exists()
    assert f"tallybayes serve: --spamd {place}: " in ended.err
    assert "Traceback" not in ended.err
    ended = tally("serve", "here", "--from", model, "--port", "0", "--spamd", "127.0.0.1:0")
    assert ended.code == 2
    assert "Train a model on mail" in ended.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--spamd", "127.0.0.1:0"], "Train a model on mail"),
        (["--spamd", "7830"], "give an address and a port"),
        (["--spamd", "127.0.0.1:0", "--spamd-allow", "192.0.2.1/24"], "Give a network such as"),
        (["--host", "192.0.2.1"], "Give another --host or --port"),
    ],
)
def test_refused_service_leaves_no_store(tally, model, tmp_path, options, why):
    ended = tally("serve", "here", "--from", model, "--port", "0", *options)
    assert ended.code == 2
    assert why in ended.err
    assert not (tmp_path / "here").exists()


@pytest.mark.slow
def test_service_without_spamd_needs_no_lxml(model, tmp_path):
    code = "import sys; sys.modules['lxml'] = None; from tallybayes.cli import main; main()"
    command = [sys.executable, "-c", code, "serve", str(tmp_path / "here"), "--from", str(model), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline().startswith("Serving weather at http://127.0.0.1:")
        child.terminate()
    assert child.returncode == 0
