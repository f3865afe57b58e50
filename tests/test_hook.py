"""The pre-commit hook, run by the real pre-commit on a copy of the working tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from layoutcheck.codes import RULES
from layoutcheck.explain import examples

ROOT = Path(__file__).parents[1]
SHIPPED = ("layoutcheck", "catalog", "proofs", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")


class Repository:
    """A git repository that uses the hook of another one."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        bin_folder = os.path.dirname(sys.executable)
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
            "PRE_COMMIT_HOME": str(home),
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "t",
            "GIT_AUTHOR_EMAIL": "t@example.org",
            "GIT_COMMITTER_NAME": "t",
            "GIT_COMMITTER_EMAIL": "t@example.org",
        }
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-c", "safe.directory=*", *args]
        return subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)

    def commit(self, name: str, text: str) -> tuple[int, str]:
        (self.folder / name).write_text(text)
        self.git("add", name)
        done = self.git("commit", "-m", name)
        self.git("reset", "-q", "HEAD", name)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    base = tmp_path_factory.mktemp("hook")
    hooks = Repository(base / "hooks", base / "home")
    for name in SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, hooks.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, hooks.folder / name)
    hooks.git("add", "-A")
    hooks.git("commit", "-q", "-m", "hooks")
    revision = hooks.git("rev-parse", "HEAD").stdout.strip()
    user = Repository(base / "user", base / "home")
    (user.folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {hooks.folder}\n  rev: {revision}\n  hooks:\n  - id: layoutcheck\n"
    )
    command = [sys.executable, "-m", "pre_commit", "install", "--install-hooks"]
    done = subprocess.run(command, cwd=user.folder, env=user.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    user.git("add", ".pre-commit-config.yaml")
    return user


def example(code: str, kind: str) -> str:
    return Path(examples(RULES[code])[kind]).read_text()


def test_a_good_atom_is_committed(repository: Repository) -> None:
    code, out = repository.commit("good.atom.yaml", example("LC301", "good"))
    assert code == 0, out
    assert "Passed" in out


def test_a_bad_atom_is_refused(repository: Repository) -> None:
    code, out = repository.commit("atom.yaml", example("LC301", "bad"))
    assert code != 0
    assert re.search(r"^atom\.yaml:\d+:\d+: LC301 not-injective", out, re.M), out


def test_broken_yaml_is_refused_with_its_line(repository: Repository) -> None:
    text = example("LC101", "bad")
    line = 1 + next(i for i, row in enumerate(text.splitlines()) if row.startswith("  a:"))
    code, out = repository.commit("broken.atom.yml", text)
    assert code != 0
    assert re.search(rf"^broken\.atom\.yml:{line}:\d+: LC101 yaml-syntax", out, re.M), out


def test_a_name_with_a_leading_dash_is_a_file(repository: Repository) -> None:
    (repository.folder / "-dash.atom.yaml").write_text(example("LC301", "bad"))
    repository.git("add", "--", "-dash.atom.yaml")
    done = repository.git("commit", "-m", "dash")
    repository.git("reset", "-q", "HEAD", "--", "-dash.atom.yaml")
    assert done.returncode != 0
    assert "LC301 not-injective" in done.stdout + done.stderr


def test_other_files_are_not_the_hooks_business(repository: Repository) -> None:
    code, out = repository.commit("notatom.yaml", example("LC301", "bad"))
    assert code == 0, out
    assert "Skipped" in out
