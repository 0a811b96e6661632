"""The rows of a sweep as a Parquet file, with the same columns as CSV; pyarrow writes it."""

from __future__ import annotations

from io import BytesIO

import pyarrow as pa
from pyarrow import parquet

from vqs.report.formats import View
from vqs.report.sweep.columns import Column, columns
from vqs.sweep.outcome import Sweep


def write(result: Sweep, _view: View, /) -> bytes:
    """Write the rows; a figure without a value is null."""
    table = pa.table({each.name: _array(each) for each in columns(result)})
    data = BytesIO()
    parquet.write_table(table, data)
    return data.getvalue()


def _array(column: Column) -> pa.Array:
    is_whole = all(isinstance(each, int) for each in column.values if each is not None)
    kind = (pa.int64() if is_whole else pa.float64()) if column.is_numeric else pa.string()
    return pa.array(column.values, type=kind)
