"""What kernels can ask of the processor and Python cannot say: single instructions, made by Numba.

Interpreted, they are the plain functions that stand here.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

SELDOM = 63  # where steps are short, a look is taken if these bits of their count are set: `n & SELDOM == SELDOM`


def prefetch(array: Any, index: Any) -> None:
    """Ask the processor to fetch array[index] (one-dimensional, index unsigned) soon. Without effect on any result."""


def prefetch_to_write(array: Any, index: Any) -> None:
    """The same where it will be changed: no other processor keeps a copy that would have to be called back then."""


def stopped(sign: Any) -> bool:
    """Whether a stop sign (`Scratch.sign`) is set: whoever sees it ends early. A look costs a nanosecond or two."""
    return bool(sign[0] != 0)


def byte_of(record: Any, place: Any) -> Any:
    """The byte number `place` of a record, whatever its fields are."""
    return record.tobytes()[place]


def work_space(count: Any) -> Any:
    """Room for `count` 16-bit numbers on the stack, to be read and written by their places. What they hold is open at
    first, and they last as long as the function whose text asks for them. `count` is a constant, a few thousand at
    most. For kernels that are handed no `Scratch`."""
    return np.empty(count, np.int16)


def call_at(address: Any, given: Any) -> None:
    """Call the compiled function at an address (`linker.address_of`) with the places and sizes of arrays, and numbers.

    What is called so is compiled once for all callers; what is called by its name becomes part of each of them.
    """
    PLAIN[address](*given)


PLAIN: dict[int, Callable[..., Any]] = {}  # address -> the function that interpreted code calls in its place
array_at = carray  # (place, shape): the array whose place was handed over


def _fetching(function: Callable[..., Any], to_write: bool) -> None:
    """Compile calls of `function` into one instruction."""

    @intrinsic  # type: ignore[untyped-decorator]
    def instruction(typing: Any, array: Any, index: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            byte = ir.PointerType(ir.IntType(8))
            place = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
            number = ir.IntType(32)
            shape = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            fetch = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0i8")
            builder.call(fetch, [place, number(int(to_write)), number(3), number(1)])  # into the nearest cache, data
            return context.get_dummy_value()

        return types.void(array, index), emit

    @overload(function, inline="always")  # type: ignore[untyped-decorator]
    def fetching(array: Any, index: Any) -> Any:
        def fetch(array: Any, index: Any) -> None:
            instruction(array, index)

        return fetch

    function.__spielwerk__ = "instruction"  # type: ignore[attr-defined]


class _VolatileLoad(ir.LoadInstr):  # type: ignore[misc]
    """A load that is made every time, and that stands in the way of no other: an atomic one would."""

    def descr(self, buffer: list[str]) -> None:
        plain: list[str] = []
        super().descr(plain)
        buffer.append("".join(plain).replace("load ", "load volatile ", 1))


def _looking(function: Callable[..., Any]) -> None:
    """Compile calls of `function` into a load that is made every time, whatever the compiler knows of the loop."""

    @intrinsic  # type: ignore[untyped-decorator]
    def look(typing: Any, sign: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            load = _VolatileLoad(builder.block, data)
            builder._insert(load)
            return builder.icmp_signed("!=", load, ir.IntType(64)(0))

        return types.boolean(sign), emit

    @overload(function, inline="always")  # type: ignore[untyped-decorator]
    def looking(sign: Any) -> Any:
        def stopped(sign: Any) -> Any:
            return look(sign)

        return stopped

    function.__spielwerk__ = "instruction"  # type: ignore[attr-defined]


def _reading(function: Callable[..., Any]) -> None:
    """Compile calls of `function` into the load of one byte."""

    @intrinsic  # type: ignore[untyped-decorator]
    def read(typing: Any, record: Any, place: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = builder.bitcast(arguments[0], ir.PointerType(ir.IntType(8)))
            return builder.load(builder.gep(data, [arguments[1]]))

        return types.uint8(record, place), emit

    @overload(function, inline="always")  # type: ignore[untyped-decorator]
    def reading(record: Any, place: Any) -> Any:
        def byte_of(record: Any, place: Any) -> Any:
            return read(record, place)

        return byte_of

    function.__spielwerk__ = "instruction"  # type: ignore[attr-defined]


def _reserving(function: Callable[..., Any]) -> None:
    """Compile calls of `function` into room on the stack."""

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def reserve(typing: Any, count: Any) -> Any:
        size = getattr(count, "literal_value", None)
        if size is None:
            return None

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return cgutils.alloca_once(builder, ir.IntType(16), size=size)  # once, also in a loop

        return types.CPointer(types.int16)(count), emit  # type: ignore[attr-defined]

    @overload(function, inline="always", prefer_literal=True)  # type: ignore[untyped-decorator]
    def reserving(count: Any) -> Any:
        def work_space(count: Any) -> Any:
            return reserve(count)

        return work_space

    function.__spielwerk__ = "instruction"  # type: ignore[attr-defined]


def _calling(function: Callable[..., Any]) -> None:
    """Compile calls of `function` into a call of an address."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing: Any, address: Any, given: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            byte = ir.PointerType(ir.IntType(8))
            handed: list[Any] = []
            for place, kind in enumerate(signature.args[1].types):
                value = builder.extract_value(arguments[1], place)
                if isinstance(kind, types.Array):
                    array = context.make_array(kind)(context, builder, value)
                    handed += [builder.bitcast(array.data, byte), array.nitems]
                else:
                    handed.append(context.cast(builder, value, kind, types.int64))
            shape = ir.FunctionType(ir.VoidType(), [value.type for value in handed])
            builder.call(builder.inttoptr(arguments[0], ir.PointerType(shape)), handed)
            return context.get_dummy_value()

        return types.void(address, given), emit

    @overload(function, inline="always")  # type: ignore[untyped-decorator]
    def calling(address: Any, given: Any) -> Any:
        def call_at(address: Any, given: Any) -> None:
            call(address, given)

        return call_at

    function.__spielwerk__ = "instruction"  # type: ignore[attr-defined]


_fetching(prefetch, to_write=False)
_fetching(prefetch_to_write, to_write=True)
_looking(stopped)
_reading(byte_of)
_reserving(work_space)
_calling(call_at)
array_at.__spielwerk__ = "instruction"
