"""What can be spoiled in a module: conditions, comparisons, sums, constants, calls, one at a time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
EDGE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
SUMS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}


@dataclass(frozen=True)
class Mutation:
    """The number of a node in `ast.walk`, which of its changes, where it stands, and a word on what is done."""

    node: int
    change: int
    first_line: int
    last_line: int
    word: str


def mutations(tree: ast.Module) -> Iterator[Mutation]:
    """All that can be spoiled in a module, and is code: annotations, type variables and constants in a docstring's
    place are none, and what decorators and `zip` are given (`frozen`, `slots`, `strict`) is a promise that nobody
    breaks."""
    given = {
        id(node)
        for holder in ast.walk(tree)
        if isinstance(holder, (ast.FunctionDef, ast.ClassDef))
        for decorator in holder.decorator_list
        for node in ast.walk(decorator)
    } | {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg in ("strict", "contravariant")
    }
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in given:
            continue
        for at, (word, _) in enumerate(changes(node)):
            # of a comprehension the lines are not told, and of a statement only the test is spoiled
            place = getattr(node, "test", None) or getattr(node, "target", None) or node
            first = getattr(place, "lineno", 0)
            yield Mutation(number, at, first, getattr(place, "end_lineno", first), word)


def spoiled(tree: ast.Module, mutation: Mutation) -> ast.Module:
    """A copy of a module with that change."""
    copied = copy.deepcopy(tree)
    target = next(each for index, each in enumerate(ast.walk(copied)) if index == mutation.node)
    list(changes(target))[mutation.change][1](target)
    return ast.fix_missing_locations(copied)


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """What can be spoiled about a node."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield f"never: {ast.unparse(node.test)}", lambda n: setattr(n, "test", ast.Constant(False))
        if not isinstance(node, ast.While):
            yield f"always: {ast.unparse(node.test)}", lambda n: setattr(n, "test", ast.Constant(True))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for table in (NEGATED, EDGE):
            other = table.get(type(node.ops[0]))
            if other is not None:
                yield (
                    f"{ast.unparse(node)} with {other.__name__}",
                    partial(_set_op, other),
                )
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        for at, op in enumerate(node.ops):
            for other in dict.fromkeys((NEGATED[type(op)], EDGE.get(type(op), NEGATED[type(op)]))):
                yield f"{ast.unparse(node)} with {other.__name__} at {at}", _operator_at(at, other)
    if isinstance(node, ast.BoolOp):
        yield f"and/or swapped: {ast.unparse(node)}", _swap_bool
        for at in range(len(node.values)):
            yield f"without {ast.unparse(node.values[at])}: {ast.unparse(node)}", _drop_value(at)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield f"without {type(node.op).__name__}: {ast.unparse(node)}", lambda n: _become(n, n.operand)  # type: ignore[attr-defined]
    if isinstance(node, ast.BinOp) and type(node.op) in SUMS and not _has_text(node):
        yield f"{ast.unparse(node)} turned", lambda n: setattr(n, "op", SUMS[type(n.op)]())  # type: ignore[attr-defined]
    if isinstance(node, ast.comprehension):
        for at, test in enumerate(node.ifs):
            yield f"without the filter {ast.unparse(test)}", partial(_pop, "ifs", at)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value} + 1", lambda n: setattr(n, "value", n.value + 1)  # type: ignore[attr-defined]
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"not {node.value}", lambda n: setattr(n, "value", not n.value)  # type: ignore[attr-defined]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield f"deleted: {ast.unparse(node)}", lambda n: setattr(n, "value", ast.Constant(None))
    if isinstance(node, ast.Call) and len(node.keywords) > 1:
        for at, keyword in enumerate(node.keywords):
            if keyword.arg and getattr(node.func, "id", "") == "replace":
                yield f"replace() without {keyword.arg}", partial(_pop, "keywords", at)


def _set_op(other: type[ast.cmpop], node: ast.AST) -> None:
    setattr(node, "ops", [other()])  # noqa: B010 - a field that only some nodes have


def _pop(field: str, at: int, node: ast.AST) -> None:
    getattr(node, field).pop(at)


def _operator_at(at: int, other: type[ast.cmpop]) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        node.ops[at] = other()  # type: ignore[attr-defined]

    return change


def _drop_value(at: int) -> Callable[[ast.AST], None]:
    def change(node: ast.AST) -> None:
        node.values.pop(at)  # type: ignore[attr-defined]
        if len(node.values) == 1:  # type: ignore[attr-defined]
            _become(node, node.values[0])  # type: ignore[attr-defined]

    return change


def _swap_bool(node: ast.AST) -> None:
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()  # type: ignore[attr-defined]


def _become(node: ast.AST, other: ast.AST) -> None:
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)


def _has_text(node: ast.AST) -> bool:
    return any(
        isinstance(each, (ast.JoinedStr, ast.Tuple)) or isinstance(getattr(each, "value", None), str)
        for each in ast.walk(node)
    )
