"""A bad line between two network namespaces: every IP packet comes late, and some never come.

Both ends are TUN devices, and a process of its own carries packets from one to the other: what `tc netem` does, also
where the kernel has no netem. TCP repairs the loss as it does on any line.
"""

from __future__ import annotations

import asyncio
import fcntl
import multiprocessing
import os
import random
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

SET_INTERFACE = 0x400454CA
"""TUNSETIFF of linux/if_tun.h, with the flags IFF_TUN and IFF_NO_PI."""
FLAGS = 0x1001
NET = "10.77.20"


@dataclass(frozen=True)
class BadLine:
    """Namespaces and addresses of both ends."""

    near: str
    far: str
    near_address: str = f"{NET}.1"
    far_address: str = f"{NET}.2"

    def at(self, end: str, *words: str) -> list[str]:
        """A command as it runs at one end."""
        return ["ip", "netns", "exec", end, *words]


def why_not() -> str:
    """Why there can be no such line here; empty when there can."""
    if os.geteuid() != 0:
        return "network namespaces are for root"
    if not Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    name = f"teeter-{os.getpid()}-try"
    try:
        _ip("netns", "add", name)
        _ip("netns", "del", name)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no network namespaces: {error}"
    return ""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def _tun(name: str) -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, SET_INTERFACE, struct.pack("16sH22s", name.encode(), FLAGS, b""))
    return device


@contextmanager
def bad_line(delay_s: float, loss: float, seed: int = 0) -> Iterator[BadLine]:
    """A line on which packets need so long each way, and so many of them are lost."""
    line = BadLine(f"teeter-{os.getpid()}-a", f"teeter-{os.getpid()}-b")
    ends = ((line.near, line.near_address), (line.far, line.far_address))
    devices = []
    relay: BaseProcess | None = None
    try:
        for number, (space, address) in enumerate(ends):
            name = f"tt{os.getpid() % 10**9}{'ab'[number]}"
            _ip("netns", "add", space)
            devices.append(_tun(name))
            _ip("link", "set", name, "netns", space)
            _ip("-n", space, "link", "set", "lo", "up")
            _ip("-n", space, "addr", "add", address, "peer", ends[1 - number][1], "dev", name)
            _ip("-n", space, "link", "set", name, "up")
        relay = multiprocessing.get_context("fork").Process(
            target=_carry, args=(*devices, delay_s, loss, seed), daemon=True
        )
        relay.start()
        yield line
    finally:
        if relay is not None:
            relay.kill()
            relay.join()
        for device in devices:
            os.close(device)
        for space, _ in ends:
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _carry(one: int, other: int, delay_s: float, loss: float, seed: int) -> None:
    """The process between both ends."""
    chance = random.Random(seed)

    async def forever() -> None:
        loop = asyncio.get_running_loop()

        def take(source: int, target: int) -> None:
            packet = os.read(source, 65536)
            if chance.random() >= loss:
                loop.call_later(delay_s, put, target, packet)

        def put(target: int, packet: bytes) -> None:
            try:
                os.write(target, packet)
            except OSError:
                return  # the other end is going down

        loop.add_reader(one, take, one, other)
        loop.add_reader(other, take, other, one)
        await asyncio.Event().wait()

    asyncio.run(forever())
