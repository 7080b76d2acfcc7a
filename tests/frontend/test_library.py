"""The library models: every text is C in both data models, atomic functions are loop-free, layouts agree."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fsoft.frontend import library
from fsoft.frontend.parse import parse_text
from fsoft.program import descriptor

INCLUDE = Path(library.__file__).parent.parent / "include"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.h"))
ATOMIC = "__attribute__((__fsoft_atomic__))"
gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def compile_c(text: str, *options: str) -> str:
    """What gcc says about the text (empty if it has nothing to say)."""
    command = ["gcc", "-std=gnu17", "-fsyntax-only", "-Wall", "-Wextra", *options, "-x", "c", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).stderr


def body_of(text: str, name: str) -> str:
    """The definition of a function in a text of `find`, from its name to the closing brace in column 0."""
    match = re.search(rf"^[^\n;]*\b{name}\([^;{{]*\) \{{\n.*?^\}}", text, re.MULTILINE | re.DOTALL)
    assert match, name
    return match[0]


def test_find_knows_functions_only() -> None:
    assert library.find("pthread_mutex_lock")
    assert library.find("no_such_function") is None
    assert library.find("mutex_kind") is None  # a static helper
    assert library.find("__fsoft_self") is None  # an intrinsic
    assert library.names() == sorted(set(library.names()))


def test_text_is_self_contained_and_small() -> None:
    text = library.find("pthread_cond_wait")
    assert text is not None
    assert "#" not in text and "__SIZE_TYPE__" not in text
    assert "void pthread_testcancel(void);" in text  # another library function: declared, not defined
    assert "pthread_rwlock" not in text and "sem_wait" not in text


@pytest.mark.parametrize("name", library.names())
def test_every_text_parses_and_defines_its_function(name: str) -> None:
    text = library.find(name)
    assert text is not None
    parse_text(text, name)
    body_of(text, name)


@pytest.mark.parametrize("name", library.names())
def test_atomic_functions_are_loop_free_and_call_no_library_function(name: str) -> None:
    text = library.find(name)
    assert text is not None
    for head in re.findall(r"^.*" + re.escape(ATOMIC) + r".*\{$", text, re.MULTILINE):
        function = re.findall(r"(\w+)\(", head.replace(ATOMIC, ""))[0]
        body = body_of(text, function).split("{", 1)[1]
        assert not re.search(r"\b(for|while) \(|\bdo \{|\bgoto ", body), function
        assert not set(re.findall(r"(\w+)\(", body)) & set(library.names()), function


@gcc
@pytest.mark.parametrize("model", ["-m32", "-m64"])
def test_gcc_accepts_every_text(model: str) -> None:
    folder = Path(library.__file__).parent
    sources = [folder / "intrinsics.h", folder / "objects.h", *sorted(folder.glob("*.c"))]
    prototypes = "\n".join(library._sources()[0][name].prototype() for name in library.names())
    parts = [path.read_text(encoding="utf-8") for path in sources]
    text = "\n".join([*parts[:2], prototypes, *parts[2:]])
    quiet = ["-Wno-attributes", "-Wno-unused-parameter", "-Wno-unused-function", "-Wno-cast-function-type"]
    assert compile_c(text, model, "-ffreestanding", *quiet) == ""


@gcc
@pytest.mark.parametrize("model", ["-m32", "-m64"])
@pytest.mark.parametrize("header", HEADERS)
def test_gcc_accepts_every_header(header: str, model: str) -> None:
    text = f"#include <{header}>\n#include <{header}>\n"
    assert compile_c(text, model, "-nostdinc", f"-I{INCLUDE}", "-Wno-builtin-declaration-mismatch") == ""


SIZES = {  # glibc's, LP64 and ILP32
    "pthread_mutex_t": (40, 24), "pthread_cond_t": (48, 48), "pthread_rwlock_t": (56, 32), "pthread_barrier_t": (32, 20),
    "pthread_attr_t": (56, 36), "pthread_mutexattr_t": (4, 4), "pthread_condattr_t": (4, 4), "pthread_rwlockattr_t": (8, 8),
    "pthread_barrierattr_t": (4, 4), "pthread_t": (8, 4), "pthread_once_t": (4, 4), "pthread_key_t": (4, 4), "sem_t": (32, 16),
}  # fmt: skip
FIELDS = {  # header's type -> model's struct, member by member
    ("pthread_mutex_t", "__fsoft_mutex"): {"__count": "count", "__owner": "owner"},
    ("pthread_cond_t", "__fsoft_cond"): {"__waiting": "waiting", "__destroyed": "destroyed", "__mutex": "with"},
    ("pthread_rwlock_t", "__fsoft_rwlock"): {"__writer": "writer", "__readers": "readers", "__again": "again", "__destroyed": "destroyed"},
    ("pthread_barrier_t", "__fsoft_barrier"): {"__count": "count", "__arrived": "arrived", "__waiting": "waiting", "__serial": "serial"},
    ("pthread_attr_t", "__fsoft_attr"): {"__detached": "detached"},
    ("sem_t", "__fsoft_sem"): {"__value": "value", "__destroyed": "destroyed"},
}


@gcc
@pytest.mark.parametrize("model", ["-m32", "-m64"])
def test_handles_have_glibc_sizes_and_the_layout_of_the_models(model: str) -> None:
    folder = Path(library.__file__).parent
    lines = ["#include <pthread.h>", "#include <semaphore.h>", f'#include "{folder}/intrinsics.h"']
    objects = (folder / "objects.h").read_text(encoding="utf-8").replace("struct __fsoft_cleanup {", "struct __fsoft_cleanup_model {")
    lines.append(objects)
    for name, sizes in SIZES.items():
        lines.append(f'_Static_assert(sizeof({name}) == {sizes[model == "-m32"]}, "{name}");')
    for (handle, struct), members in FIELDS.items():
        for mine, theirs in members.items():
            same = f"offsetof({handle}, {mine}) == offsetof(struct {struct}, {theirs})"
            lines.append(f'_Static_assert({same}, "{handle}.{mine}");')
    kind = "kind12" if model == "-m32" else "kind16"
    lines.append(f'_Static_assert(offsetof(pthread_mutex_t, __kind) == offsetof(struct __fsoft_mutex, {kind}), "kind");')
    quiet = ["-Wno-unused-function", "-Wno-attributes"]
    assert compile_c("\n".join(lines), model, "-nostdinc", f"-I{INCLUDE}", *quiet) == ""


def test_thread_descriptor_of_the_models_is_the_programs() -> None:
    text = library.find("pthread_join")
    assert text is not None
    struct = re.search(r"struct __fsoft_thread \{(.*?)\};", text, re.DOTALL)
    assert struct is not None
    assert tuple(re.findall(r"(\w+);", struct[1])) == descriptor.FIELDS


def test_tags_in_use_are_documented() -> None:
    folder = Path(library.__file__).parent
    head = (folder / "intrinsics.h").read_text(encoding="utf-8").split("*/")[0]
    used = {tag for path in folder.glob("*.c") for tag in re.findall(r'__fsoft_tag\("(\w+)"', path.read_text(encoding="utf-8"))}
    assert used <= set(re.findall(r"\w+", head))
