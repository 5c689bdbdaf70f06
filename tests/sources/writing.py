"""A table as a file, in the format that its name says; and how files are compressed."""

import bz2
import csv
import gzip
import json
import lzma

import pyarrow as pa
import pyarrow.parquet as pq


def write(path, table, together=None):
    """`together` is the number of rows in a row group or batch."""
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=together)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, table.schema) as out:
            out.write_table(table, together)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        with path.open("w", newline="") as out:
            csv.writer(out).writerows([table.column_names, *zip(*(c.to_pylist() for c in table.columns), strict=True)])
    return path


def zstd(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(content)
    return sink.getvalue().to_pybytes()


PACKERS = {".gz": gzip.compress, ".zst": zstd, ".bz2": bz2.compress, ".xz": lzma.compress}
