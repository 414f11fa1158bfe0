"""A module that became a package: what its `__init__` still hands on is not lost, and what moved is taken from the package."""

from __future__ import annotations

from read.python_pairs import compared


def functions(*names: str) -> str:
    return "".join(f"def {name}(x):\n    return {name}_of(x, {at})\n\n\n" for at, name in enumerate(names))


def test_only_what_the_init_does_not_hand_on_is_lost() -> None:
    names = ("a", "b", "c", "d")
    facts = compared(
        {
            "engine/x/y.py": (functions(*names), functions(*names)),
            "engine/x/__init__.py": (None, "from .y import a\nfrom .z import e, f\n\n__all__ = ['a', 'e', 'f']\n"),
            "engine/x/z.py": (functions("e", "f"), functions("e", "f")),
        },
        renames={"engine/x/y.py": "engine/x.py", "engine/x/z.py": "engine/z.py"},
    )
    assert [(f.symbol, f.after, f.alias and f.alias.status) for f in facts] == [
        ("a", "engine.x.y.a", "kept"),
        *((name, f"engine.x.y.{name}", "none") for name in names[1:]),
        ("engine.z (2 names)", "engine.x.z", "none"),
    ]
