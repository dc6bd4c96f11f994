"""The frequent mistakes in kernels, said in a sentence with file and line instead of Numba's pages of text.

Nothing here runs before something has failed: a kernel that compiles is not looked at. Whoever writes kernels reads
these sentences, so they stay English like the code.
"""

import builtins
import dis
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten
from types import CodeType, FunctionType
from typing import Any

import numba
from numba.core import errors

from spielwerk.core.errors import KernelError
from spielwerk.core.signs import uninterrupted

ALLOCATING = ("BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_STRING", "FORMAT_VALUE")
CONTAINERS = ("list", "dict", "set", "str", "sorted", "bytearray")
NO_ALLOCATION = "kernels allocate nothing: use a buffer of the scratch or a field of the State"
SIGNS_OF_ALLOCATION = ("NRT required", "_allocate", "Only accept returning of array")
MISTAKES = (errors.NumbaError, errors.UnsupportedBytecodeError, KeyError, AttributeError)
PLACE = re.compile(r" at (\S+\.py) \((\d+)\)")
NUMBA = str(Path(numba.__file__).parent)


def place_of(function: FunctionType, line: int | None = None) -> str:
    """'file:line' of a function, or of a line in it."""
    return f"{function.__code__.co_filename}:{line or function.__code__.co_firstlineno}"


def place_of_name(function: FunctionType, name: str) -> str:
    """'file:line' where a function mentions a name for the first time."""
    lines = (line for _, found, line in _instructions(function.__code__) if found == name)
    return place_of(function, next(lines, None))


def signature(function: FunctionType) -> str:
    code = function.__code__
    return f"{function.__name__}({', '.join(code.co_varnames[: code.co_argcount])})"


def must_fit(stub: FunctionType, supplied: FunctionType) -> None:
    """A function takes as many parameters as the stub that it stands in for."""
    wanted, most = stub.__code__.co_argcount, supplied.__code__.co_argcount
    if not most - len(supplied.__defaults__ or ()) <= wanted <= most:
        raise KernelError(
            f"{place_of(supplied)}: {signature(supplied)} stands in for {signature(stub)} and must take as many "
            "parameters"
        )


def explained(problem: Exception, function: FunctionType, args: tuple[Any, ...]) -> str | None:
    """Which of the frequent mistakes made compiling `function` for `args` fail; None: none of them."""
    reached = list(_reached(function, set()))
    looks = (_misspelt_field, _misspelt_name, _allocation)
    return next(filter(None, (look(problem, reached, args) for look in looks)), None)


def _reached(function: FunctionType, seen: set[FunctionType]) -> Iterator[FunctionType]:
    """A linked function and all that it calls, the innermost first."""
    if function in seen:
        return
    seen.add(function)
    for name in function.__code__.co_names:
        inner = getattr(function.__globals__.get(name), "py_func", None)
        if inner is not None:
            yield from _reached(inner, seen)
    yield function


def _instructions(code: CodeType) -> Iterator[tuple[str, Any, int | None]]:
    """Operation, what it refers to, and line; comprehensions and the like included."""
    for each in dis.get_instructions(code):
        yield each.opname, each.argval, each.positions.lineno if each.positions else None
        if isinstance(each.argval, CodeType):
            yield from _instructions(each.argval)


def _misspelt_field(problem: Exception, reached: list[FunctionType], args: tuple[Any, ...]) -> str | None:
    """Numba answers an unknown field with a bare KeyError, an unknown name of a module with an AttributeError."""
    if isinstance(problem, KeyError):
        missing = str(problem.args[0])
    elif isinstance(problem, AttributeError):
        missing = problem.name or ""
    else:
        return None
    fields = [field for arg in args for field in getattr(getattr(arg, "dtype", None), "names", None) or ()]
    fields = [field for field in fields if not field.startswith("gap_")]
    for function in reached:
        for operation, name, line in _instructions(function.__code__):
            if name == missing and operation in ("LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD"):
                place = f"{place_of(function, line)}: {function.__name__} uses '{missing}', which"
                if isinstance(problem, AttributeError):
                    return f"{place} is not there: {problem}"
                return f"{place} is no field of the State; {_nearest(missing, fields)}"
    return None


def _misspelt_name(problem: Exception, reached: list[FunctionType], args: tuple[Any, ...]) -> str | None:
    for function in reached:
        known = {**vars(builtins), **function.__globals__}
        for operation, name, line in _instructions(function.__code__):
            if operation in ("LOAD_GLOBAL", "LOAD_NAME") and name not in known:
                near = [*function.__code__.co_varnames, *function.__globals__]
                return f"{place_of(function, line)}: {function.__name__} uses '{name}', which is defined nowhere; " + (
                    _nearest(name, near)
                )
    return None


def _allocation(problem: Exception, reached: list[FunctionType], args: tuple[Any, ...]) -> str | None:
    for function in reached:
        for operation, name, line in _instructions(function.__code__):
            called = operation == "LOAD_GLOBAL" and name in CONTAINERS and name not in function.__globals__
            if operation in ALLOCATING or isinstance(name, CodeType) or called:
                return f"{place_of(function, line)}: {function.__name__} makes a new object; {NO_ALLOCATION}"
    if any(sign in str(problem) for sign in SIGNS_OF_ALLOCATION):
        return f"{_place_told(problem, reached[-1])}: this makes a new array or object; {NO_ALLOCATION}"
    return None


def _nearest(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"there are {', '.join(known)}" if len(known) <= 40 else "define or import it"


def _place_told(problem: Exception, function: FunctionType) -> str:
    """The innermost place that the message names and that is not in Numba itself."""
    for file, line in PLACE.findall(str(problem)):
        if not file.startswith(NUMBA):
            return f"{file}:{line}"
    return place_of(function)


def _gist(problem: Exception) -> str:
    """The first line of the message that says something, and the call of which it speaks."""
    lines = (line.strip() for line in str(problem).splitlines())
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File "))]
    text = " ".join(said[: 2 if said[1:] and said[1].startswith(">>>") else 1])
    return f"this does not compile: {shorten(text or type(problem).__name__, 300)}"


def compiling(
    compile_for: Callable[..., Any], function: FunctionType, setting: Callable[[], AbstractContextManager[None]]
) -> Callable[..., Any]:
    """The method by which a dispatcher compiles for new arguments, within a setting and with mistakes explained."""

    def explaining(*args: Any, **more: Any) -> Any:
        try:
            with uninterrupted(), setting():
                return compile_for(*args, **more)
        except MISTAKES as problem:
            found = explained(problem, function, args)
            if found is None:
                raise KernelError(f"{_place_told(problem, function)}: {_gist(problem)}") from problem
        raise KernelError(found)

    return explaining
