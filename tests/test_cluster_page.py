"""The Ray example of docs/howto-distribute.md, run if Ray is installed. (Dask's examples are doctests.)"""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from tallybayes import Categorical, Gaussian, Model, Schema, digest, merge, open_source

PAGE = (Path(__file__).parent.parent / "docs" / "howto-distribute.md").read_text()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_ray_example_gives_the_bytes_of_one_machine(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    shown = re.search(r"<!-- file: week.py -->\n```python\n(.*?)```", PAGE, re.S)[1]
    draw = np.random.default_rng(7)
    trips = pa.table(
        {
            "vehicle": draw.choice(["bike", "van"], 700),
            "km": draw.normal(1e9, 1.0, 700),
            "late": draw.choice(["no", "yes"], 700),
        }
    )
    for day in range(7):
        pa.csv.write_csv(trips.take(np.arange(day, 700, 7)), tmp_path / f"trips-{day}.csv")
    schema = Schema({"vehicle": Categorical(), "km": Gaussian()}, label="late")
    names = {"Model": Model, "merge": merge, "open_source": open_source, "schema": schema}
    monkeypatch.chdir(tmp_path)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        exec(shown, names)
    finally:
        ray.shutdown()
    assert digest(names["week"]) == digest(Model.train(schema, trips))
