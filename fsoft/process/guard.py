"""The process between fsoft and a foreign program: started by `fence.py` as a script of its own, so it imports nothing of fsoft.

It is told what to do by one JSON argument. Its input is a pipe that nobody writes to: when that closes, fsoft is gone or wants the end.
What came of the program goes to file descriptor 2 as one JSON object; the program's output and errors go to 1.

The program runs in namespaces of its own for users, network, processes and IPC where the system allows that. The first process of a
namespace of processes is a copy of this one: when it ends, the kernel ends all others, whatever they did to get away. Elsewhere orphans
come to this process, which ends them.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import sys
import time
from typing import Any, NoReturn

_NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # of prctl
_TICK, _COUNT_EVERY = 0.01, 3  # seconds; ticks

libc = ctypes.CDLL(None, use_errno=True)


def main(plan: dict[str, Any]) -> int:
    """Run the program to its end, or end it; then nothing that it started is left."""
    come_first()
    missing = enter_namespaces() if plan["apart"] else ["network", "processes"]
    apart = "processes" not in missing
    libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if not child:
        first(plan) if apart else start(plan)
    code, why = watch(child, plan["seconds"], plan["processes"])
    if apart:
        end_namespace(child, why)
    else:
        end_all(child)
    said: dict[str, Any] = {"missing": missing, "why": why}
    if not apart and not why:
        said["code"] = code
    if why != "gone":
        os.write(2, json.dumps(said).encode() + b"\n")
    elif plan["folder"]:
        shutil.rmtree(plan["folder"], ignore_errors=True)
    return 0


def come_first() -> None:
    """Run before what is guarded, whatever that starts. Only root may, whose processes no limit counts."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        pass


def enter_namespaces() -> list[str]:
    """Namespaces for what is started from now on; what there is none for."""
    user, group = os.getuid(), os.getgid()
    if not libc.unshare(_NEWUSER):
        try:
            for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                    file.write(text)
        except OSError:
            pass
    return [name for name, flag in (("network", _NEWNET), ("processes", _NEWPID | _NEWIPC)) if libc.unshare(flag)]


def first(plan: dict[str, Any]) -> NoReturn:
    """The first process of the namespace: starts the program and tells how it ends. All others end with it, and it ends with its parent."""
    libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    program = os.fork()
    if not program:
        start(plan)
    while True:
        ended, status = os.wait()
        if ended == program:
            os.write(2, json.dumps({"code": os.waitstatus_to_exitcode(status)}).encode() + b"\n")
            os._exit(0)


def start(plan: dict[str, Any]) -> NoReturn:
    """Become the program, within its limits."""
    try:
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(1, 2)
        os.closerange(3, 256)
        for limit, most in plan["limits"]:
            _, hard = resource.getrlimit(limit)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(limit, (most, most))
        os.execv(plan["command"][0], plan["command"])
    except BaseException as error:
        os.write(1, f"cannot be started: {error}\n".encode(errors="replace"))
    os._exit(127)


def watch(child: int, seconds: float, most: int) -> tuple[int, str]:
    """Wait for the child: its code, or why it is to be ended."""
    control, deadline, ticks = select.poll(), time.monotonic() + seconds, 0
    control.register(0, select.POLLIN | select.POLLHUP)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), ""
        if control.poll(_TICK * 1000):
            return 0, "gone"
        if time.monotonic() > deadline:
            return 0, "time"
        ticks += 1
        if not ticks % _COUNT_EVERY and len(descendants(os.getpid(), most)) > most:
            return 0, "processes"


def end_namespace(first_process: int, why: str) -> None:
    """The kernel ends what is left of a namespace before its first process counts as ended."""
    if why:
        os.kill(first_process, signal.SIGKILL)
        os.waitpid(first_process, 0)


def end_all(child: int) -> None:
    """Without a namespace: kill what is left of the child and of all that it started; orphans are children of this process."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        for one in {child, *descendants(os.getpid())}:
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(0.001)
        except ChildProcessError:
            return


def descendants(process: int, most: int = 1 << 16) -> list[int]:
    """The processes below a process, as far as /proc tells; little more than `most` of them."""
    found: list[int] = []
    todo = [process]
    while todo and len(found) <= most:
        one = todo.pop()
        try:
            for thread in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{thread}/children", encoding="ascii") as file:
                    children = [int(word) for word in file.read().split()]
                found += children
                todo += children
        except OSError:
            continue
    return found


if __name__ == "__main__":
    raise SystemExit(main(json.loads(sys.argv[1])))
