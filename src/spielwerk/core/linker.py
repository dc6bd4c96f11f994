"""Kernels: plain functions that are linked to a game and compiled.

The only file that knows Numba, but for `core.cache` (its cache on disk), `core.mistakes` (its errors) and
`core.instructions`.

A kernel is an ordinary module-level function marked `@kernel`. A template is a kernel for any game, a search for
example: it refers to the functions of `core.kernel.contract` (stubs) and to other kernels by their global names.
`specialise(template, game)` links it: it makes a new function from the same code whose names point to the game's
functions, and the same for every kernel it calls. With compilation on, each linked function becomes a Numba dispatcher
whose qualified name carries the game and a digest of everything it depends on (byte code, constants and tables of all
functions reached from it, compile options). So two games never share a cache entry, and an edit in any file that
matters leads to another entry.

With `NUMBA_DISABLE_JIT=1`, or for a game with `compiled = False`, the linked functions run interpreted.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial, wraps
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core import config, types
from numba.core.ccallback import CFunc

from spielwerk.core.cache import keep_on_disk, listen
from spielwerk.core.cache import on_compile as on_compile
from spielwerk.core.errors import KernelError
from spielwerk.core.instructions import PLAIN
from spielwerk.core.mistakes import compiling, must_fit, place_of, place_of_name

F = TypeVar("F", bound=Callable[..., Any])

LARGEST_TABLE = 1 << 20  # bytes; Numba cannot cache functions with larger global arrays
# How everything is compiled; part of the digest. Kernels allocate nothing, so arrays need no counting of references
# (_nrt), which costs more than the work itself where buffers go from function to function.
OPTIONS = {"nogil": True, "error_model": "numpy", "forceinline": True, "_nrt": False}
FUSED = {"contract"}  # of a kernel that is `contracted`
# What else changes the code that Numba makes; the kind of processor is part of its own cache.
SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "ENABLE_AVX", "DISABLE_INTEL_SVML")


class Linkable(Protocol):
    """What `specialise` must know of a game."""

    @property
    def compiled(self) -> bool: ...

    @property
    def link_name(self) -> str: ...

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]: ...


def kernel(function: F) -> F:
    """Mark a function as a kernel: written in the small language, linked and compiled by `specialise`.

    The small language is scalars, records, loops, module-level functions and tables, and the caller's buffers; nothing
    allocates. Names are imported one by one (`from spielwerk import below`): a kernel is linked through its global
    names, and a function reached as `module.function` is not. In Numba a `uint64` mixed with a plain integer becomes
    a float: write `np.uint64(3)`. `NUMBA_DISABLE_JIT=1` runs everything interpreted, for the debugger.
    """
    function.__spielwerk__ = "kernel"  # type: ignore[attr-defined]
    return function


def outlined(function: F) -> F:
    """Mark a kernel that is called and not inlined: a large one that others contain several times."""
    function.__outlined__ = True  # type: ignore[attr-defined]
    return kernel(function)


def contracted(function: F) -> F:
    """Mark a kernel in which a product and a sum may become one instruction: faster, and rounded once instead of twice.
    For sums of many products, whose last digit nobody asks for."""
    function.__contracted__ = True  # type: ignore[attr-defined]
    return kernel(function)


def stub(function: F) -> F:
    """Mark a function as a name that `specialise` replaces by a game's or the caller's function."""
    function.__spielwerk__ = "stub"  # type: ignore[attr-defined]
    return function


def is_outlined(function: Callable[..., Any]) -> bool:
    return getattr(function, "__outlined__", False)


def is_contracted(function: Callable[..., Any]) -> bool:
    return getattr(function, "__contracted__", False)


def interpreted_everywhere() -> bool:
    """Whether compilation is switched off for the whole process."""
    return bool(config.DISABLE_JIT)


_lock = threading.RLock()
_specialised: dict[Any, Callable[..., Any]] = {}
_linked: dict[tuple[str, bool], Callable[..., Any]] = {}


def specialise(template: Callable[..., Any], game: Linkable, **bound: Callable[..., Any]) -> Callable[..., Any]:
    """The template for `game`, with `bound` in place of further stubs (`policy=…`, `evaluate=…`)."""
    more = tuple(sorted(bound.items(), key=lambda item: item[0])) if bound else ()
    key = (template, type(game), config.SLP_VECTORIZE, more)
    found = _specialised.get(key)
    if found is not None:
        return found
    with _lock:
        compiled = game.compiled and not interpreted_everywhere()
        linker = _Linker({**game.functions, **bound}, game.link_name, compiled)
        result = linker.link(template)
        if not compiled:
            result = _without_overflow_warnings(result)
        _specialised[key] = result
    return result


class _NoGame:
    """For kernels that need nothing of any game."""

    compiled = True
    link_name = "alone"
    functions: Mapping[str, Callable[..., Any]] = {}


def alone(template: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that needs nothing of any game, compiled."""
    return specialise(template, _NoGame())


@cache
def address_of(function: Callable[..., Any], entry: Callable[..., Any], *kinds: Any) -> int:
    """The address of a kernel that needs nothing of any game, for `call_at`. `kinds` are its parameters: the dtype of a
    one-dimensional array, or int. `entry` is a kernel that takes the place and the size of every array in its stead."""
    plain = alone(function)
    if interpreted_everywhere():
        address = id(function)
    else:
        with _lock:
            shape = [part for kind in kinds for part in _handed(kind)]
            linked: Any = alone(entry)
            made: Any = CFunc(linked.py_func, (tuple(shape), types.void), {}, {"error_model": "numpy"})
            keep_on_disk(made, linked.py_func)
            made.compile()
            _kept.append(made)
            address = int(made.address)
    PLAIN[address] = plain
    return address


_kept: list[Any] = []  # what stands at an address stays there


def _handed(kind: Any) -> list[Any]:
    if kind is int:
        return [types.int64]
    return [cast(Any, types).CPointer(numba.from_dtype(np.dtype(kind))), types.int64]


def attach(template: Callable[..., Any], **bound: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel with `bound` in place of some of its stubs: again a kernel, to be handed to others who link it.

    For evaluations and policies that need more than the search around them supplies.
    """
    if not isinstance(template, FunctionType):
        raise KernelError(f"only module-level functions can be linked, not {template!r}")
    return _attached(template, tuple(sorted(bound.items(), key=lambda item: item[0])))


@cache
def _attached(template: FunctionType, bound: tuple[tuple[str, FunctionType], ...]) -> FunctionType:
    replaced: dict[str, Any] = {}
    for name, value in _globals_used(template).items():
        mark = getattr(value, "__spielwerk__", None)
        if mark == "stub" and value.__name__ in dict(bound):
            replaced[name] = _attached(dict(bound)[value.__name__], bound)
        elif mark == "kernel" and value is not template:
            inner = _attached(value, bound)
            if inner is not value:
                replaced[name] = inner
    if not replaced:
        return template
    made = FunctionType(
        template.__code__, {**template.__globals__, **replaced}, template.__name__, template.__defaults__
    )
    made.__module__, made.__doc__, made.__qualname__ = template.__module__, template.__doc__, template.__qualname__
    made.__dict__.update(template.__dict__)
    return made


def forget() -> None:
    """Forget everything linked in this process (the cache on disk stays)."""
    with _lock:
        _specialised.clear()
        _linked.clear()


def _without_overflow_warnings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Interpreted kernels do 64-bit arithmetic that wraps around on purpose."""

    @wraps(function)
    def quiet(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return quiet


class _Linker:
    def __init__(self, bindings: Mapping[str, Callable[..., Any]], name: str, compiled: bool) -> None:
        self.bindings = bindings
        self.name = name
        self.compiled = compiled
        self.digests: dict[FunctionType, str] = {}

    def target(self, value: Any, where: FunctionType) -> FunctionType | None:
        """The function that stands in for `value`, or None if it is no kernel."""
        if not isinstance(value, FunctionType):
            return None
        mark = getattr(value, "__spielwerk__", None)
        if mark == "instruction":
            return None
        if mark == "stub":
            supplied = self.bindings.get(value.__name__)
            if supplied is None:
                raise KernelError(
                    f"{where.__qualname__} needs '{value.__name__}', which {self.name} does not supply; "
                    f"bind it in specialise(…, {value.__name__}=…)"
                )
            if isinstance(supplied, FunctionType):
                must_fit(value, supplied)
            return self.target(supplied, where)
        if mark == "kernel" or not self.compiled:
            return value
        raise KernelError(
            f"{place_of_name(where, value.__name__)}: {where.__qualname__} calls {value.__qualname__}, which is not "
            f"marked @kernel; write @kernel above def {value.__name__} ({place_of(value)})"
        )

    def digest(self, function: FunctionType) -> str:
        """A hash of all that the compiled function depends on."""
        if function in self.digests:
            return self.digests[function]
        self.digests[function] = "recursive"
        seen = hashlib.sha256(_code_bytes(function.__code__))
        seen.update(f"{_compiler()} {is_outlined(function)}".encode())
        if is_contracted(function):
            seen.update(b"contracted")
        if function.__defaults__:
            seen.update(repr(function.__defaults__).encode())
        for name, value in sorted(_globals_used(function).items()):
            target = self.target(value, function)
            part = self.digest(target) if target else _constant(value, name, function)
            seen.update(f"{name}={part};".encode())
        self.digests[function] = seen.hexdigest()[:16]
        return self.digests[function]

    def link(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not isinstance(function, FunctionType):
            raise KernelError(f"only module-level functions can be linked, not {function!r}")
        if function.__closure__:
            place = place_of(function)
            raise KernelError(f"{place}: {function.__qualname__} is a closure; kernels are module-level functions")
        key = (f"{function.__module__}.{function.__qualname__}.{self.name}.{self.digest(function)}", self.compiled)
        if key in _linked:
            return _linked[key]
        names = dict(function.__globals__)
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
        copy.__module__ = function.__module__
        copy.__doc__ = function.__doc__
        copy.__qualname__ = f"{function.__qualname__}_{self.name}_{self.digest(function)}"
        recursive = function in map(partial(self.target, where=function), _globals_used(function).values())
        inline = not recursive and not is_outlined(function)
        result: Callable[..., Any] = copy
        if self.compiled:
            result = _compiled(copy, {"forceinline": inline, "fastmath": FUSED if is_contracted(function) else False})
        _linked[key] = result  # before its callees, so that recursion finds it
        for name, value in _globals_used(function).items():
            target = self.target(value, function)
            if target is not None:
                names[name] = self.link(target)
        return result


def _globals_used(function: FunctionType) -> dict[str, Any]:
    used: dict[str, Any] = {}

    def visit(code: CodeType) -> None:
        for name in code.co_names:
            if name in function.__globals__:
                used[name] = function.__globals__[name]
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                visit(constant)

    visit(function.__code__)
    return used


def _code_bytes(code: CodeType) -> bytes:
    parts = [code.co_code, repr(code.co_names).encode(), repr(code.co_varnames).encode()]
    for constant in code.co_consts:
        parts.append(_code_bytes(constant) if isinstance(constant, CodeType) else repr(constant).encode())
    return b"|".join(parts)


def _constant(value: Any, name: str, where: FunctionType) -> str:
    """The text of a global that is frozen into compiled code."""
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, np.ndarray):
        if value.nbytes > LARGEST_TABLE:
            place = place_of_name(where, name)
            raise KernelError(f"{place}: table '{name}' of {where.__qualname__} is over 1 MB: pass it as an argument")
        return hashlib.sha256(value.tobytes()).hexdigest() + str(value.dtype)
    if isinstance(value, type) or callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value)}"
    return repr(value)


def _compiler() -> str:
    """All that decides how a function is compiled."""
    settings = [f"{name}={getattr(config, name, None)}" for name in SETTINGS]
    return f"{numba.__version__} {llvmlite.__version__} {OPTIONS} {' '.join(settings)}"


def _compiled(function: FunctionType, options: Mapping[str, Any]) -> Callable[..., Any]:
    """Inlining removes the cost of handing buffers from function to function, most of a small kernel's time."""
    listen()
    dispatcher: Any = numba.njit(**{**OPTIONS, **options})(function)
    keep_on_disk(dispatcher, function)
    # Numba asks for this method when arguments of new types come; calls of what is compiled do not pass here.
    vectorise = partial(_vectorising, config.SLP_VECTORIZE)
    dispatcher._compile_for_args = compiling(dispatcher._compile_for_args, function, vectorise)
    return cast(Callable[..., Any], dispatcher)


@contextmanager
def side_by_side() -> Iterator[None]:
    """What is linked meanwhile does equal operations on several numbers with one instruction where that is possible
    (Numba leaves this off). It changes no result and takes longer to compile: for loops that run for minutes."""
    with _vectorising(1):
        yield


@contextmanager
def _vectorising(setting: int) -> Iterator[None]:
    before = config.SLP_VECTORIZE
    config.SLP_VECTORIZE = setting
    try:
        yield
    finally:
        config.SLP_VECTORIZE = before
