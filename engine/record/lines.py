"""Journal and events as lines: read once to see that all are right, kept as text, and parsed again when they are asked
for. A parsed line takes ten times its bytes, and of an hour of play nobody needs all of them at once."""

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from teeter.engine.record.format import MAX_LINE_BYTES, MAX_STEPS, Entry, RecordError, is_step, parse
from teeter.models.errors import quote


class EntryLines(Sequence[Entry]):
    """The entries of a text of lines, each parsed when it is asked for. Equal to any sequence of the same entries."""

    def __init__(self, text: bytes, file: str, place: str) -> None:
        """Raises RecordError with the number of the first line that is wrong."""
        if text and not text.endswith(b"\n"):
            raise RecordError(file, "the last line is cut off: the file is damaged", place)
        self._text, self._file, self._place = text, file, place
        ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n"))
        self._begins = np.concatenate([[0], ends + 1])
        last = 0
        for number, (step, _) in enumerate(self, start=1):
            if step < last:
                problem = f"step {step} comes after step {last}: steps never run backwards"
                raise RecordError(file, problem, f"{place}, line {number}")
            last = step

    def __len__(self) -> int:
        return len(self._begins) - 1

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Entry, ...]: ...
    def __getitem__(self, place: int | slice) -> Entry | tuple[Entry, ...]:
        index = range(len(self))[place]
        return self._entry(index) if isinstance(index, int) else tuple(map(self._entry, index))

    def __iter__(self) -> Iterator[Entry]:
        return map(self._entry, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def _entry(self, number: int) -> Entry:
        begin, end = int(self._begins[number]), int(self._begins[number + 1]) - 1
        where = f"{self._place}, line {number + 1}"
        if end - begin > MAX_LINE_BYTES:
            problem = f"has {end - begin} bytes; at most {MAX_LINE_BYTES} are allowed"
            raise RecordError(self._file, problem, where)
        data = parse(self._text[begin:end], self._file, where)
        if not isinstance(data, dict):
            raise RecordError(self._file, f"is {quote(data)}, must be an object with step and type", where)
        step = data.pop("step", None)
        if not is_step(step):
            problem = f"step is {quote(step)}, must be an integer from 0 to {MAX_STEPS}"
            raise RecordError(self._file, problem, where)
        if not isinstance(data.get("type"), str):
            raise RecordError(self._file, f"type is {quote(data.get('type'))}, must be a word", where)
        return step, data
