"""Sources: input files, formats, and reading ahead."""

import gzip
import io
import os
import subprocess
import sys
import threading
from itertools import chain

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from writing import PACKERS

from tallybayes import Gaussian, Model
from tallybayes.data.errors import CellError
from tallybayes.files import save
from tallybayes.sources import ReadOptions, SourceError, open_source
from tallybayes.sources.read_ahead import fetch_elsewhere, read_ahead

NUMBER, TEXT = pa.float64(), pa.string()
CSV = b"a,b\n1,x\n2,y\n"
ROWS = [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}]


def rows_of(paths, reading=None):
    source = open_source(paths, reading)
    return [row for batch in source.batches({"a": NUMBER, "b": TEXT}) for row in batch.to_pylist()]


def refusal(paths, reading=None):
    with pytest.raises(SourceError) as caught:
        rows_of(paths, reading)
    return str(caught.value)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name, content=CSV):
    with open(name, "wb") as out:
        out.write(content)
    return name


@pytest.mark.parametrize("suffix", PACKERS)
def test_compressed_files_are_detected_whatever_their_name(suffix):
    pack = PACKERS[suffix]
    assert rows_of(write("data.csv" + suffix, pack(CSV))) == ROWS
    assert rows_of(write("data.csv", pack(CSV[:6]) + pack(CSV[6:]))) == ROWS
    assert rows_of(write("data.tsv" + suffix, pack(CSV.replace(b",", b"\t")))) == ROWS
    assert rows_of(write("data.jsonl" + suffix, pack(b'{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n'))) == ROWS


@pytest.mark.parametrize("suffix", PACKERS)
def test_truncated_compressed_files_are_errors(suffix):
    packed = PACKERS[suffix](CSV + b"3,z\n" * 1000)
    for size in range(4, len(packed) - 1, 7):
        name = write("data.csv" + suffix, packed[:size])
        assert refusal(name).startswith(f"data.csv{suffix} is damaged or truncated")


def test_progress_counts_compressed_bytes():
    source = open_source(write("data.csv.gz", gzip.compress(CSV * 1)), ReadOptions(block_bytes=4))
    assert source.total == os.path.getsize("data.csv.gz")
    assert [source.done for _ in source.batches()][-1] <= source.total
    assert source.done == source.total


def test_several_files_are_matched_by_column_names():
    write("1.csv")
    write("2.tsv", b"c\tb\ta\n0\tz\t3\n")
    pq.write_table(pa.table({"b": ["w"], "a": [4]}), "3.parquet")
    source = open_source(["1.csv", "2.tsv", "3.parquet"])
    assert source.total == sum(map(os.path.getsize, ["1.csv", "2.tsv", "3.parquet"]))
    assert rows_of(["1.csv", "2.tsv", "3.parquet"]) == [*ROWS, {"a": 3.0, "b": "z"}, {"a": 4.0, "b": "w"}]
    write("4.csv", b"a,c\n1,2\n")
    assert refusal(["1.csv", "4.csv"]) == "4.csv has no column 'b'; it has 'a', 'c'."


def test_sample_continues_after_an_empty_file():
    write("1.csv", b"a,b\n")
    write("2.csv")
    source = open_source(["1.csv", "2.csv"])
    assert source.sample().num_rows == 2
    assert sum(map(len, source.batches())) == 2


def test_patterns_are_sorted_and_existing_names_are_no_patterns():
    for name in ("b.csv", "a.csv", "c d.csv", "[x].csv"):
        write(name, f"a,b\n1,{name}\n".encode())
    assert [row["b"] for row in rows_of("?.csv")] == ["a.csv", "b.csv"]
    assert [row["b"] for row in rows_of("[x].csv")] == ["[x].csv"]
    assert [row["b"] for row in rows_of(["c d.csv", "*a.csv"])] == ["c d.csv", "a.csv"]
    assert refusal("*.tsv") == "No file matches *.tsv."
    assert refusal("none.csv") == "There is no file none.csv."
    assert refusal([]) == "No file is given. Give one or more, or '-' for standard input."
    assert refusal(["-", "-"]).startswith("Standard input ('-') is given more than once")


def test_names_of_any_bytes_are_read_and_escaped():
    name = "a b\x1b[31m\udcff.csv"
    assert rows_of(write(name)) == ROWS
    message = refusal(write(name, b"a,b\nno,x\n"))
    assert message.isprintable()
    assert message.startswith(r"a b\x1b[31m\\xff.csv, line 2, column 'a'")


def test_non_tables_are_refused_by_name():
    save(Model.train({"a": Gaussian()}, {"a": [1.0, 2.0]}, ["x", "y"]), "spam.tally")
    assert refusal("spam.tally") == "spam.tally is a model, not data."
    assert refusal("spam.tally", ReadOptions(format="csv")) == "spam.tally is a model, not data."
    assert refusal(write("x.csv", b"%PDF-1.4\n")).startswith("x.csv is a PDF, not a table.")
    assert refusal(write("x.xlsx", b"PK\x03\x04\n")).startswith(
        "x.xlsx is a zip archive or a spreadsheet, not a table."
    )
    assert refusal(write("x.png", b"\x89PNG\r\n\x1a\n")).startswith("x.png is a picture, not a table.")
    assert refusal(write("x.csv", b"\0\1\2a,b\n")).startswith("x.csv is not a table: it contains bytes")
    assert refusal(write("x.csv", b"")) == "x.csv is empty."
    os.mkdir("folder")
    os.chmod(write("secret.csv"), 0)
    if os.geteuid():
        assert refusal("secret.csv") == "secret.csv cannot be read: Permission denied."
    if os.path.exists("/proc/self/mem"):  # a disk error, on its first bytes
        assert refusal("/proc/self/mem") == "/proc/self/mem cannot be read: Input/output error."
    assert refusal(["x.csv", "folder"]) == "folder has documents and x.csv is a table; read one kind at a time."


def test_format_is_detected_from_content_then_name():
    assert rows_of(write("data", b'\xef\xbb\xbf {"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n')) == ROWS
    assert rows_of(write("data.dat", CSV.replace(b",", b";"))) == ROWS
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), "data.csv")
    assert rows_of("data.csv") == ROWS
    assert open_source(write("data.TXT")).names == ["text"]
    assert rows_of("data.TXT", ReadOptions(format="csv")) == ROWS


def test_source_is_read_once():
    source = open_source(write("data.csv"))
    assert sum(map(len, source.batches())) == 2
    with pytest.raises(SourceError, match="read already; open it again"):
        source.batches()
    with pytest.raises(ValueError, match="There is no row 0: no batch was read"):
        open_source("data.csv").where(0)


def test_replaced_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV)))
    assert rows_of("-") == ROWS


READ = """
import sys, pyarrow as pa
from tallybayes.sources import ReadOptions, open_source
source = open_source(sys.argv[2], ReadOptions(live=sys.argv[1] == "live"))
assert source.total is None
source.sample()
for batch in source.batches({"a": pa.float64(), "b": pa.string()}):
    print(batch.to_pylist(), source.where(len(batch) - 1), flush=True)
"""


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "arrow"])
def test_standard_input_of_any_kind_is_sampled_and_read(kind):
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    sink = pa.BufferOutputStream()
    if kind == "arrow":
        with pa.ipc.new_stream(sink, table.schema) as out:
            out.write_table(table)
    else:
        pq.write_table(table, sink)
    content = {"csv": CSV, "csv.gz": gzip.compress(CSV)}.get(kind) or sink.getvalue().to_pybytes()
    result = subprocess.run([sys.executable, "-W", "error", "-c", READ, "no", "-"], input=content, capture_output=True)
    place = "line 3" if "csv" in kind else "row 2"
    assert (result.stdout.decode(), result.stderr) == (f"{ROWS} standard input, {place}\n", b"")


@pytest.mark.parametrize(("path", "name"), [("-", b"standard input"), ("/dev/stdin", b"/dev/stdin")])
def test_rows_of_a_live_pipe_are_answered_as_they_arrive(path, name):
    with subprocess.Popen(
        [sys.executable, "-c", READ, "live", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        for i, piece in enumerate([b"a,b\n1,x\n", b"2,", b"y\n3,z\n", b'4,"\n', b'"\n5,w']):
            process.stdin.write(piece)
            process.stdin.flush()
            if i == 0:
                assert process.stdout.readline() == b"[{'a': 1.0, 'b': 'x'}] %b, line 2\n" % name
            if i == 2:
                expected = b"[{'a': 2.0, 'b': 'y'}, {'a': 3.0, 'b': 'z'}] %b, line 4\n" % name
                assert process.stdout.readline() == expected
            if i == 4:
                assert process.stdout.readline() == b"[{'a': 4.0, 'b': '\\n'}] %b, line 5\n" % name
        process.stdin.close()
        assert process.stdout.readline() == b"[{'a': 5.0, 'b': 'w'}] %b, line 7\n" % name
        assert process.wait() == 0


def test_reading_ahead_keeps_order_and_bounds():
    ahead, found, done = [], [], [threading.Event() for _ in range(100)]

    def pieces():
        for i in range(100):
            ahead.append(i - len(found))
            yield i

    def work(i):
        if i % 2 == 0:
            assert done[i + 1].wait(120)  # every second piece is done before the one that precedes it
        done[i].set()
        return i * i

    for result in read_ahead(pieces(), work, workers=3, ahead=4):
        found.append(result)
    assert found == [i * i for i in range(100)]
    assert max(ahead) <= 8


def test_errors_reach_the_consumer_in_order():
    def pieces():
        yield from range(3)
        raise SourceError("no more")

    results = read_ahead(pieces(), lambda i: 1 / (2 - i), workers=2, ahead=2)
    assert [next(results), next(results)] == [0.5, 1.0]
    with pytest.raises(ZeroDivisionError):
        next(results)
    results = read_ahead(pieces(), str, workers=2, ahead=2)
    with pytest.raises(SourceError, match="no more"):
        list(results)


def test_threads_stop_with_the_consumer():
    def endless():
        try:
            while True:
                yield 1
        finally:
            closed.set()

    closed, before = threading.Event(), set(threading.enumerate())
    results = read_ahead(endless(), str, workers=2, ahead=3)
    assert next(results) == "1"
    results.close()
    assert closed.wait(120)
    for thread in set(threading.enumerate()) - before:
        thread.join(120)
    assert set(threading.enumerate()) <= before


def test_consumer_that_stops_does_not_wait_for_a_blocked_thread_though_others_work(monkeypatch):
    monkeypatch.setattr("tallybayes.sources.read_ahead.FAREWELLS", 10**9)
    blocked, done = threading.Event(), threading.Event()

    def pieces():
        yield 1
        blocked.set()
        done.wait()

    def working():
        while not done.is_set():
            sum(range(1000))

    threading.Thread(target=working, daemon=True).start()
    results = read_ahead(pieces(), str, workers=1, ahead=1)
    assert next(results) == "1"
    assert blocked.wait(120)
    results.close()
    done.set()


def test_pieces_fetched_elsewhere_are_fetched_one_by_one_when_they_are_wanted():
    wanted, fetched, threads, interrupted = [], [], set(), []

    def pieces():
        for i in range(3):
            fetched.append((i, len(wanted)))
            threads.add(threading.current_thread())
            yield i
        raise SourceError("no more")

    results = fetch_elsewhere(pieces(), lambda: interrupted.append(True))
    for i in range(3):
        wanted.append(i)
        assert next(results) == i
    assert fetched == [(0, 1), (1, 2), (2, 3)]
    assert threading.current_thread() not in threads
    with pytest.raises(SourceError, match="no more"):
        next(results)
    stopped = fetch_elsewhere(pieces(), lambda: interrupted.append("early"))
    next(stopped)
    stopped.close()
    assert interrupted[-1] == "early"


@pytest.mark.slow
def test_interrupt_while_waiting_for_a_pipe_stops_immediately():
    script = READ.replace("batch.to_pylist()", "len(batch)").replace("source.sample()", "print('ready', flush=True)")
    with subprocess.Popen(
        [sys.executable, "-c", script, "no", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdin.write(b"a,b\n" + b"1,x\n" * (6 << 20))  # more than a block
        process.stdin.flush()
        assert process.stdout.readline() == b"ready\n"
        process.stdout.readline()
        process.send_signal(2)
        error = process.stderr.read()
        assert process.wait() == -2
        assert error.endswith(b"KeyboardInterrupt\n")


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_work_is_done_in_parts_and_a_refused_row_is_found_in_any(most):
    write("numbers.csv", b"a\n" + b"".join(b"%d\n" % number for number in range(10)))

    def work(batch):
        numbers = batch.column("a").to_pylist()
        if refused in numbers:
            raise CellError(numbers.index(refused), "this is refused.").located("a", 0)
        return numbers

    refused = None
    parts = list(open_source("numbers.csv").each({"a": NUMBER}, work, most))
    assert [*chain(*parts)] == list(range(10))
    assert max(map(len, parts)) == min(most, 10)
    refused = 7.0
    with pytest.raises(SourceError, match=r"numbers\.csv, line 9, column 'a': this is refused\."):
        list(open_source("numbers.csv").each({"a": NUMBER}, work, most))
    skipping = open_source("numbers.csv", ReadOptions(skip_bad_rows=True))
    assert [*chain(*skipping.each({"a": NUMBER}, work, most))] == [0, 1, 2, 3, 4, 5, 6, 8, 9]
    assert [bad.where for bad in skipping.bad] == ["numbers.csv, line 9, column 'a'"]


@pytest.mark.parametrize("packed", [".gz", ".xz"])
def test_compressed_in_several_parts_with_zeros_between_and_after_them(packed):
    first, second = PACKERS[packed](b"a,b\n1,x\n"), PACKERS[packed](b"2,y\n")
    name = f"parts.csv{packed}"
    for between in (b"", bytes(4), bytes(1 << 17)):
        assert rows_of(write(name, first + between + second + between)) == rows_of(write("a.csv", CSV))
    broken = bytearray(second)
    broken[len(broken) // 2] ^= 255
    for end in (bytes(broken), second[:-1], second[:5], b"x", b"something else that is long enough to be a header"):
        with pytest.raises(SourceError, match=rf"{name} is damaged or truncated"):
            rows_of(write(name, first + end))


@pytest.mark.parametrize("packed", PACKERS)
def test_no_beginning_of_a_compressed_table_is_read_as_a_shorter_one(packed):
    whole = PACKERS[packed](b"a,b\n" + b"".join(b"%d,x\n" % (i * 7919 % 1000) for i in range(300)))
    assert len(rows_of(write(f"cut.csv{packed}", whole))) == 300
    for end in range(8, len(whole)):
        with pytest.raises(SourceError, match="damaged or truncated"):
            rows_of(write(f"cut.csv{packed}", whole[:end]))
