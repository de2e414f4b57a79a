#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/check_layers finds what it is there to find. Each test plants one file into a small clean tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_layers"
ROOMS = """
[rooms]
core = []
transport = ["core"]
exec = ["core", "transport"]

[[fenced]]
what = "MPI"
names = ['\\bmpi\\.h\\b', '\\bMPI_\\w+']
inside = ["src/transport/mpi", "tests"]
"""
PUBLIC = """
[[header]]
name = "roam/roam.hpp"
shows = ["roam/core/id.hpp", "roam/exec/run.hpp"]

[[header]]
name = "roam/transport/endpoint.hpp"
"""
CLEAN = {
    "scripts/rooms.toml": ROOMS,
    "scripts/public_headers.toml": PUBLIC,
    "include/roam/roam.hpp": '#include "roam/exec/run.hpp"\n',
    "include/roam/core/id.hpp": "#include <vector>\n",
    "include/roam/core/detail/bits.hpp": "",
    "include/roam/transport/endpoint.hpp": '#include "roam/core/id.hpp"\n',
    "include/roam/exec/run.hpp": "#include <roam/transport/endpoint.hpp>\n",
    "src/exec/run.cpp": '#include "roam/core/id.hpp"\n',
    "src/core/table.hpp": '#include "roam/core/id.hpp"\n',
    "src/core/table.cpp": '#include "core/table.hpp"\n',
    "src/transport/mpi/endpoint.cpp": "#include <mpi.h>\nint n = MPI_Init(nullptr, nullptr);\n",
    "tests/core/table.cpp": '#include "core/table.hpp"\n#include "helper.hpp"\n',
    "tests/helper.hpp": "",
    "apps/heat/main.cpp": '#include <roam/roam.hpp>\n#include "grid.hpp"\n',
    "apps/heat/grid.hpp": "",
    "examples/first.cpp": "#include <roam/roam.hpp>\n",
    "docs/guide.md": "Begin with `#include <roam/core/id.hpp>`? No:\n```cpp\n#include <roam/transport/endpoint.hpp>\n```\n",
}


class CheckLayers(unittest.TestCase):
    def run_on(self, planted):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (CLEAN | planted).items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, "--root", folder], text=True,
                                  capture_output=True, check=False)

    def assert_refused(self, where, message, planted):
        result = self.run_on(planted)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)
        self.assertTrue(lines[0].startswith(where + ": "), lines[0])
        self.assertIn(message, lines[0])

    def test_clean_tree_passes(self):
        result = self.run_on({})
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_upward_include(self):
        self.assert_refused("include/roam/core/detail/up.hpp:2", "room 'core' may not use 'exec'",
                            {"include/roam/core/detail/up.hpp": "\n#include <roam/exec/run.hpp>\n"})

    def test_upward_include_from_a_source(self):
        self.assert_refused("src/transport/up.cpp:1", "room 'transport' may not use 'exec'",
                            {"src/transport/up.cpp": '#include "roam/exec/run.hpp"\n'})

    def test_comment_is_no_include(self):
        text = '/* say\n#include <roam/exec/run.hpp>\n*/\nconst char* s = "/*";\n'
        self.assertEqual(self.run_on({"src/core/a.cpp": text}).returncode, 0)
        self.assert_refused("src/core/a.cpp:5", "may not use",
                            {"src/core/a.cpp": text + '#include "roam/exec/run.hpp"\n'})

    def test_cycle_between_rooms(self):
        self.assert_refused("scripts/rooms.toml:1", "cycle: core -> exec -> core",
                            {"scripts/rooms.toml": ROOMS.replace("core = []", 'core = ["exec"]')
                             .replace('exec = ["core", "transport"]', 'exec = ["core"]'),
                             "include/roam/core/detail/up.hpp": "#include <roam/exec/run.hpp>\n",
                             "include/roam/exec/run.hpp": ""})

    def test_edge_that_no_include_needs(self):
        self.assert_refused("scripts/rooms.toml:1", "room 'exec' may use 'core' and does not",
                            {"src/exec/run.cpp": "#include <vector>\n"})
        # What the tests of a room include says nothing about the room.
        self.assert_refused("scripts/rooms.toml:1", "room 'exec' may use 'core' and does not",
                            {"src/exec/run.cpp": "", "tests/exec/a.cpp": '#include "roam/core/id.hpp"\n'})

    def test_unknown_room(self):
        self.assert_refused("src/attic/a.cpp:1", "'attic' is not a room", {"src/attic/a.cpp": ""})

    def test_edge_to_unknown_room(self):
        self.assert_refused("scripts/rooms.toml:1", "'attic', which is not a room",
                            {"scripts/rooms.toml": ROOMS.replace("core = []", 'core = ["attic"]')})

    def test_public_header_including_a_private_one(self):
        self.assert_refused("include/roam/core/detail/leak.hpp:1", "src/core/table.hpp, which is private",
                            {"include/roam/core/detail/leak.hpp": '#include "core/table.hpp"\n'})

    def test_private_header_of_another_room(self):
        for include in ("core/table.hpp", "../core/table.hpp"):
            self.assert_refused("src/exec/a.cpp:1", "src/core/table.hpp is private to room 'core'",
                                {"src/exec/a.cpp": f'#include "{include}"\n'})

    def test_test_of_another_room_including_a_private_header(self):
        self.assert_refused("tests/exec/a.cpp:1", "src/core/table.hpp is private to room 'core'",
                            {"tests/exec/a.cpp": '#include "core/table.hpp"\n'})

    def test_room_including_the_umbrella(self):
        self.assert_refused("src/exec/a.cpp:1", "include/roam/roam.hpp is for programs",
                            {"src/exec/a.cpp": "#include <roam/roam.hpp>\n"})

    def test_room_including_a_test_helper(self):
        self.assert_refused("src/exec/a.cpp:1", "tests/helper.hpp is not part of the library",
                            {"src/exec/a.cpp": '#include "helper.hpp"\n'})

    def test_header_that_does_not_exist(self):
        self.assert_refused("src/exec/a.cpp:1", "there is no header roam/core/gone.hpp",
                            {"src/exec/a.cpp": "#include <roam/core/gone.hpp>\n"})

    def test_application_including_a_private_header(self):
        for include in ("core/table.hpp", "../../src/core/table.hpp"):
            self.assert_refused("apps/heat/b.cpp:1", "src/core/table.hpp: programs use",
                                {"apps/heat/b.cpp": f'#include "{include}"\n'})

    def test_example_including_a_detail_header(self):
        self.assert_refused("examples/b.cpp:1", "roam/core/detail/bits.hpp is not one of the public headers",
                            {"examples/b.cpp": "#include <roam/core/detail/bits.hpp>\n"})

    def test_program_including_a_header_that_is_not_public(self):
        for name in ("apps/heat/b.cpp", "examples/b.cpp", "examples/plain/b.c"):
            self.assert_refused(f"{name}:1", "roam/core/id.hpp is not one of the public headers",
                                {name: "#include <roam/core/id.hpp>\n"})

    def test_page_including_a_header_that_is_not_public(self):
        for name in ("README.md", "docs/own/page.md"):
            self.assert_refused(f"{name}:2", "roam/core/id.hpp is not one of the public headers",
                                {name: '```cpp\n#include "roam/core/id.hpp"\n```\n'})
        self.assertEqual(self.run_on({"src/core/README.md": "#include <roam/core/id.hpp>\n"}).returncode, 0)

    def test_public_header_that_does_not_exist(self):
        self.assert_refused("scripts/public_headers.toml:1", "there is no header roam/gone.hpp",
                            {"scripts/public_headers.toml": PUBLIC + '[[header]]\nname = "roam/gone.hpp"\n'})

    def test_installed_header_that_offers_nothing_outside_of_detail(self):
        for name in ("include/roam/exec/queue.hpp", "include/roam/exec/part/queue.hpp"):
            self.assert_refused(f"{name}:1", name[len("include/"):].replace("exec/", "exec/detail/"), {name: ""})

    def test_public_header_in_detail(self):
        for entry in ('[[header]]\nname = "roam/core/detail/bits.hpp"\n',
                      '[[header]]\nname = "roam/exec/run.hpp"\nshows = ["roam/core/detail/bits.hpp"]\n'):
            self.assert_refused("scripts/public_headers.toml:1", "roam/core/detail/bits.hpp stands among the details",
                                {"scripts/public_headers.toml": PUBLIC + entry})

    def test_application_including_another(self):
        self.assert_refused("apps/wave/b.cpp:1", "apps/heat/grid.hpp: programs use",
                            {"apps/wave/b.cpp": '#include "../heat/grid.hpp"\n'})

    def test_mpi_outside_its_back_end(self):
        for text in ("#include <mpi.h>\n", "int n = MPI_Finalize();\n"):
            self.assert_refused("src/exec/a.cpp:1", "names of MPI belong to its back end",
                                {"src/exec/a.cpp": text})
        for text in ("// as MPI_Send does\n", "bool has = ROAM_WITH_MPI_TOO;\n"):
            self.assertEqual(self.run_on({"src/exec/a.cpp": text}).returncode, 0)


if __name__ == "__main__":
    unittest.main()
