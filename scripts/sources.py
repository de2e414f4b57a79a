# SPDX-License-Identifier: Apache-2.0
"""The files of the project, for the checks beside this file."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPP = (".hpp", ".cpp", ".h")

# A comment, or a literal, which may contain what looks like one.
_COMMENT_OR_LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\\\s]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL)


def files(root=ROOT, suffixes=None):
    """Paths relative to root, sorted: tracked ones and new ones that git does not ignore.

    `suffixes` narrows the choice. Outside git, as in an unpacked archive: every file, build/ apart.
    """
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if listed.returncode == 0:
        names = [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
    else:
        names = [path.relative_to(root) for path in pathlib.Path(root).rglob("*")]
        names = [name for name in names if name.parts[0] != "build"]
    return sorted(name for name in set(names)
                  if (suffixes is None or name.suffix in suffixes)
                  and (root / name).is_file())


def shebang(path):
    """The first line of a script, or an empty string."""
    with open(path, "rb") as file:
        first = file.readline(200)
    return first.decode(errors="replace").rstrip() if first.startswith(b"#!") else ""


def without_comments(text, literals=True):
    """C++ text with comments, and unless wanted literals, blanked; line numbers are kept."""
    def blank(match):
        found = match.group()
        return found if literals and not found.startswith("/") else "\n" * found.count("\n")
    return _COMMENT_OR_LITERAL.sub(blank, text)
