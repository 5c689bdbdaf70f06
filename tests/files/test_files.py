"""Model files: canonical, checked, safe against damage, malice and crashes."""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from tallybayes import Categorical, Gaussian, Histogram, Model, Schema, digest, load, save
from tallybayes.files import from_bytes, to_bytes
from tallybayes.files.tensors import FileError, arrays_of, file_bytes, text_of

SCHEMA = Schema({"city": Categorical(), "age": Gaussian(), "income": Histogram()}, prior=0.5)
FRAME = {"city": ["Paris", "Rome", "Öslo"], "age": [1.5, 2.25, None], "income": [10.0, 0.1, -3.0]}
MODEL = Model.train(SCHEMA, FRAME, ["a", "b", "a"])


def test_file_round_trips(tmp_path):
    path = tmp_path / "my model.tally"
    save(MODEL, path)
    again = load(path)
    assert again == MODEL
    assert again.schema == MODEL.schema
    assert again.log_joint(FRAME).tolist() == MODEL.log_joint(FRAME).tolist()
    assert again.evidence(FRAME).total().tolist() == MODEL.evidence(FRAME).total().tolist()
    assert path.read_bytes() == to_bytes(again)
    assert os.listdir(tmp_path) == ["my model.tally"]
    again += MODEL  # a loaded model continues to learn
    assert digest(again) == digest(MODEL + MODEL)


def test_digest_is_that_of_the_file(tmp_path):
    save(MODEL, tmp_path / "m")
    assert digest(MODEL) == hashlib.sha256((tmp_path / "m").read_bytes()).hexdigest()


def test_saving_keeps_file_permissions(tmp_path):
    path = tmp_path / "m"
    save(MODEL, path)
    path.chmod(0o640)
    save(MODEL, path)
    assert path.stat().st_mode & 0o777 == 0o640


def test_empty_model_has_a_file():
    empty = Model(SCHEMA)
    again = from_bytes(to_bytes(empty))
    assert again == empty
    assert digest(again + MODEL) == digest(MODEL)


def test_every_truncation_is_an_error():
    data = to_bytes(MODEL)
    for length in range(len(data)):
        with pytest.raises(FileError):
            from_bytes(data[:length])


def test_sums_without_cells_do_not_hang():
    arrays = {
        "0/slots": np.zeros(0, np.uint8),
        "0/ends": np.zeros(0, np.int64),
        "0/sums/n": np.zeros((0, 0, 10**7), np.int64),
    }
    text = '{"format":1,"labels":{"keys":[],"type":"null"},"schema":{"columns":[],"prior":"uniform"},'
    text += '"tallies":[{"low":{"n":0},"slots":"text"}]}'
    with pytest.raises(FileError, match="sums do not fit"):
        from_bytes(file_bytes(text, arrays))


def test_saving_to_an_impossible_place_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*nowhere"):
        save(MODEL, tmp_path / "nowhere" / "m")
    with pytest.raises(TypeError, match="A str is not a model"):
        save("m", MODEL)


def test_saving_through_a_link_keeps_the_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    save(MODEL, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert load(tmp_path / "target") == MODEL
    save(MODEL, tmp_path / ("n" * 250))


def test_first_format_loads_and_is_written_the_same():
    golden = Path(__file__).parent.parent / "golden" / "format-1.tally"
    assert load(golden) == MODEL
    assert to_bytes(MODEL) == golden.read_bytes()


def test_ten_thousand_mutations_never_crash_or_pass_unnoticed():
    data, rng = to_bytes(MODEL), random.Random(0)
    for _ in range(10_000):
        mutant = bytearray(data)
        for _ in range(rng.choice([1, 1, 1, 3, 20])):
            kind, at = rng.random(), rng.randrange(len(mutant))
            if kind < 0.6:
                mutant[at] = rng.randrange(256)
            elif kind < 0.8:
                del mutant[at : at + rng.randrange(1, 9)]
            else:
                mutant[at:at] = rng.randbytes(rng.randrange(1, 9))
        try:
            found = from_bytes(bytes(mutant))
        except FileError:
            continue
        assert to_bytes(found) == mutant


def forged(change, arrays_change=None):
    """A file with a valid checksum and altered content."""
    data = to_bytes(MODEL)
    arrays = arrays_of(data, text_of(data))
    header = json.loads(text_of(data))
    changed = change(header)
    header = changed if isinstance(changed, str) else header
    if arrays_change:
        arrays_change(arrays)
    text = header if isinstance(header, str) else json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    return file_bytes(text, arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h.update(format=2), "The file has format 2; this version of tallybayes reads format 1"),
        (lambda h: h["schema"]["columns"][0].update(family="Forest"), "there is no family 'Forest'"),
        (lambda h: h["schema"]["columns"][0].update(family="os.system"), "there is no family"),
        (
            lambda h: h["schema"]["columns"][0]["settings"].update(depth=3),
            "schema is not known to this version",
        ),
        (
            lambda h: h["schema"]["columns"][0]["settings"].update(alpha=-3),
            "schema is not known to this version",
        ),
        (lambda h: h["schema"]["columns"][1].update(name="age"), "schema is not known to this version"),
        (lambda h: h["schema"].update(prior="even"), "schema is not known"),
        (lambda h: h["schema"]["columns"].pop(), "columns do not fit"),
        (lambda h: h["labels"]["keys"].reverse(), "classes do not fit their type, or are not sorted"),
        (lambda h: h["labels"]["keys"].append("z"), "sums do not fit"),
        (lambda h: h["labels"].update(type="int64"), "does not describe a model"),
        (lambda h: h["labels"].update(type="list<item: int64>"), "does not describe a model"),
        (lambda h: h["tallies"][1]["low"].update(n=10**9), "sums do not fit"),
        (lambda h: h["tallies"][1]["low"].update(n="0"), "does not describe a model"),
        (lambda h: h["tallies"][1].update(slots="whole"), "does not describe a model"),
        (lambda h: h["tallies"][1]["low"].pop("n"), "does not describe a model"),
        (lambda h: h["schema"]["columns"][0].update(settings=[]), "schema is not known"),
        (lambda h: h["tallies"][1].update(low=[]), "does not describe a model"),
        (lambda h: h["labels"].update(type="null"), "classes do not fit their type"),
        (lambda h: '{"format":1,' + "[" * 100_000, "does not describe a model"),
        (lambda h: "[" * 100_000, "does not describe a model"),
        (lambda h: "1", "does not describe a model"),
        (lambda h: "{}", "does not describe a model"),
    ],
)
def test_valid_checksum_with_nonsense_is_an_error(change, message):
    with pytest.raises(FileError, match=message):
        from_bytes(forged(change))


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.update({"2/ends": a["2/ends"][::-1].copy()}),
        lambda a: a.update({"2/slots": a["2/slots"][:-1].copy()}),
        lambda a: a.update({"2/slots": np.full_like(a["2/slots"], 255)}),
        lambda a: a.update({"1/sums/n": a["1/sums/n"].astype(np.int32)}),
        lambda a: a.update({"1/sums/n": a["1/sums/n"] + (1 << 40)}),
        lambda a: a.update({"1/sums/n": np.full_like(a["1/sums/n"], -(2**63))}),
        lambda a: a.update({"3/slots": a["3/slots"][::-1].copy()}),
        lambda a: a.pop("1/sums/x"),
        lambda a: a.update({"1/sums/n": -a["1/sums/n"]}),
        lambda a: a.update({"1/sums/xx": a["1/sums/xx"] * 0}),
        lambda a: a.update({"0/sums/n": a["0/sums/n"] * 0}),
        lambda a: a.update({"0/slots": np.frombuffer(b"zz", np.uint8), "0/ends": np.array([2])}),
    ],
)
def test_arrays_of_wrong_shape_are_an_error(change):
    with pytest.raises(FileError, match="does not describe a model"):
        from_bytes(forged(lambda h: None, change))


def test_number_is_no_path(tmp_path):
    """A number is an open file, which reading it as a model would close."""
    with open(tmp_path / "open", "w+b") as file:
        file.write(to_bytes(Model({})))
        file.flush()
        with pytest.raises(TypeError, match="not int"):
            load(file.fileno())
        file.write(b"more")


def test_other_files_are_refused_immediately(tmp_path):
    path = tmp_path / "x"
    for data in (b"", b"a,b\n1,2\n", b"\xff" * 100, b"\0" * 100, safetensors.numpy.save({"a": np.ones(3)})):
        path.write_bytes(data)
        with pytest.raises(FileError, match="is not a tallybayes model"):
            load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")
    with pytest.raises(
        FileError, match=r"is a folder, not a model file\. The model in a store is saved by save\(Store"
    ):
        load(tmp_path)


def hostile_header():
    """Nine megabytes of empty lists, a quarter of a gigabyte as Python objects."""
    header = b'{"__metadata__":{"tallybayes":5},"x":[' + b"[]," * 3_000_000 + b"[]]}"
    return len(header).to_bytes(8, "little") + header


def one_damaged_byte():
    words = {"w": [f"word {i}" for i in range(200_000)]}
    data = bytearray(to_bytes(Model.train(Schema({"w": Categorical()}), words, np.arange(200_000) % 7)))
    data[-1000] ^= 1
    return bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("make", [hostile_header, one_damaged_byte])
def test_large_file_that_is_no_model_is_refused_with_little_memory(make, tmp_path):
    path = tmp_path / "big"
    path.write_bytes(make())
    limit = 4 * path.stat().st_size
    code = f"""
import resource, tallybayes
from tallybayes.files import FileError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    tallybayes.load({str(path)!r})
except FileError as error:
    print(error, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 <= {limit})
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip().endswith(". True")


@pytest.mark.slow
def test_killed_save_leaves_a_complete_file(tmp_path):
    """Children save repeatedly, announcing each save, and are killed at random times."""
    code = f"""
import os, signal
import numpy as np
from tallybayes import *
words = {{"w": [f"word {{i}}" for i in range(5_000)]}}
model = Model.train(Schema({{"w": Categorical()}}), words, np.arange(5_000) % 7)
save(model, {str(tmp_path / "m")!r})
for times in range(2, 18):
    saying, said = os.pipe()
    child = os.fork()
    while not child:
        os.write(said, b".")
        save(model, {str(tmp_path / "m")!r})
        model += model
    for _ in range(times // 2):
        os.read(saying, 1)
    for _ in range(times % 2 * 20_000):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(saying), os.close(said)
    assert load({str(tmp_path / "m")!r}).n >= 5_000
"""
    subprocess.run([sys.executable, "-c", code], check=True)
