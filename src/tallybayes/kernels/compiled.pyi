import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Bytes = NDArray[np.uint8]

FULL_LOW: tuple[int, int, int, int]

class Groups:
    def __init__(self, codes: Codes, classes: int) -> None: ...

class StringIndex:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def encode(
        self,
        offsets: Bytes,
        wide: bool,
        bytes: Bytes,
        validity: Bytes | None,
        first: int,
        rows: int,
        grow: bool,
    ) -> Codes: ...
    def strings(self) -> tuple[Counts, Bytes]: ...

def sum_by_class(
    values: Floats, groups: Groups, squares: bool
) -> tuple[Counts, Counts, Counts | None, int]: ...
def sum_products(
    a: Floats, b: Floats | None, c: Floats | None, codes: Codes, limbs: Counts, low: int
) -> None: ...
def count_codes(codes: Codes, classes: Codes, levels: int, width: int) -> Counts: ...
def add_table(codes: Codes, table: Floats, scores: Floats) -> None: ...
def add_normal(
    x: list[Floats], mean: Floats, precision: Floats, constant: Floats, scores: Floats
) -> int: ...
def add_student(
    x: list[Floats], mean: Floats, precision: Floats, power: Floats, constant: Floats, scores: Floats
) -> int: ...
def normalise(scores: Floats, out: Floats) -> int: ...
def logarithm(x: Floats) -> Floats: ...
