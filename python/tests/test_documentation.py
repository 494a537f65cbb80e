"""Every example in the documentation runs; the surface is typed."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike

ROOT = Path(__file__).resolve().parents[2]

#: Data frames come without types of their own: what is read from them is unknown.
PYRIGHT = {
    name: False
    for name in (
        "reportMissingModuleSource",
        "reportMissingImports",
        "reportMissingTypeStubs",
        "reportUnknownMemberType",
        "reportUnknownVariableType",
        "reportUnknownArgumentType",
        "reportUnknownLambdaType",
        "reportUnknownParameterType",
        "reportPrivateUsage",
    )
}


@pytest.mark.parametrize(
    "name", ["lookalike"] + [f"lookalike.{module.name}" for module in pkgutil.iter_modules(lookalike.__path__)]
)
def test_docstrings(name: str) -> None:
    if name.endswith("._lookalike") or "spark" in name:
        return
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of the guide are one program."""
    guide = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert len(blocks) > 3
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)


def test_types(tmp_path: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "-p", "lookalike"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert checked.returncode == 0, checked.stdout


def test_types_as_pyright_sees_them(tmp_path: Path) -> None:
    pyright = shutil.which("pyright", path=os.path.dirname(sys.executable))
    if pyright is None:
        pytest.skip("pyright is not installed")
    # Only folders below that of the configuration are looked at.
    shutil.copytree(os.path.dirname(lookalike.__file__), tmp_path / "lookalike")
    settings = {"typeCheckingMode": "strict", "include": ["lookalike"], **PYRIGHT}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    (tmp_path / "lookalike" / "_wrong.py").write_text("number: int = 'text'\n")
    command = [pyright, "--project", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"]
    checked = subprocess.run(command, capture_output=True, text=True)
    wrong = [(Path(found["file"]).name, found["message"]) for found in json.loads(checked.stdout)["generalDiagnostics"]]
    # The one that is wrong on purpose shows that the others were looked at.
    assert [name for name, _ in wrong] == ["_wrong.py"], wrong


def test_everything_named_is_there_and_documented() -> None:
    for name in lookalike.__all__:
        if not name.startswith("__"):
            assert getattr(lookalike, name).__doc__, name
