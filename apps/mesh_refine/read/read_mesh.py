# SPDX-License-Identifier: Apache-2.0
"""Reads a mesh file by VTK or meshio and writes what mesh_refine needs of it.

    read_mesh.py FILE RESULT

RESULT gets, in the machine's own byte order: four 64-bit integers (the numbers of points, of polygons, of their
corners, of tetrahedra), three doubles per point, and as 64-bit integers the end of each polygon among the corners,
the corners, and four corners per tetrahedron. Where there are tetrahedra, polygons are left out; points and lines are
always. Exit status 2 with "found ...", a tab and "expected ..." on standard output when the file cannot be used, 3
when the library is missing, with its name.
"""
import contextlib
import io
import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"


class Unusable(Exception):
    def __init__(self, found, expected):
        super().__init__(f"{found}\t{expected}")


def by_vtk(path, extension):
    """Points, and per kind of cell (VTK's number) a list of arrays of corners."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow
    messages = vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(messages)
    if extension == ".vtk":
        from vtkmodules.vtkIOLegacy import vtkGenericDataObjectReader as Reader
    elif extension == ".vtu":
        from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader as Reader
    else:
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader as Reader
    reader = Reader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    wrong = [line for line in messages.GetOutput().splitlines() if "): " in line]
    if wrong:
        raise Unusable("what VTK cannot read: " + wrong[0].split("): ", 1)[1], f"a whole {extension} file")
    if data is None or not (data.IsA("vtkPolyData") or data.IsA("vtkUnstructuredGrid")):
        kind = data.GetClassName() if data is not None else "another kind of file"
        raise Unusable(kind, "an unstructured grid or polygons")
    points = vtk_to_numpy(data.GetPoints().GetData()) if data.GetPoints() else []
    if data.IsA("vtkPolyData"):
        if data.GetNumberOfStrips() > 0:
            raise Unusable("strips of triangles", "triangles or polygons")
        cells, kinds = data.GetPolys(), None
    else:
        cells, kinds = data.GetCells(), data.GetCellTypesArray()
    if cells is None or cells.GetNumberOfCells() == 0:
        return points, []
    ends = vtk_to_numpy(cells.GetOffsetsArray())
    corners = vtk_to_numpy(cells.GetConnectivityArray())
    kinds = [7] * (len(ends) - 1) if kinds is None else vtk_to_numpy(kinds)
    if len(kinds) != len(ends) - 1:
        raise Unusable(f"{len(ends) - 1} cells and {len(kinds)} cell types", "one type per cell")
    return points, vtk_blocks(kinds, ends, corners)


def vtk_blocks(kinds, ends, corners):
    import numpy as np
    kinds, blocks = np.asarray(kinds), []
    lengths = np.diff(ends)
    names = {10: "tetra", 5: "polygon", 7: "polygon", 9: "polygon"}
    for kind in np.unique(kinds):
        if kind in (0, 1, 2, 3, 4):  # nothing, points, lines
            continue
        if kind not in names:
            blocks.append((f"of VTK's type {kind}", []))
            continue
        for length in np.unique(lengths[kinds == kind]):
            rows = ends[:-1][(kinds == kind) & (lengths == length)]
            blocks.append((names[kind], corners[rows[:, None] + np.arange(length)]))
    return blocks


def by_meshio(path, extension):
    import meshio
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            mesh = meshio.read(path)
    except (Exception, SystemExit) as error:  # it ends the program when it does not understand a file
        reason = str(error) if isinstance(error, Exception) and str(error) else said.getvalue()
        reason = " ".join(reason.split()) or type(error).__name__
        raise Unusable(f"what meshio cannot read: {reason}", f"a whole {extension} file") from error
    blocks = []
    for block in mesh.cells:
        if block.type.startswith(("vertex", "line")):
            continue
        name = "polygon" if block.type in ("triangle", "quad") or block.type.startswith("polygon") else block.type
        blocks.append((name, block.data))
    return mesh.points, blocks


def write(points, blocks, path):
    import numpy as np
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] < 3:
        raise Unusable("no points of three coordinates", "a mesh in space")
    tets = [np.asarray(data, dtype=np.int64) for name, data in blocks if name == "tetra"]
    polygons = [np.asarray(data, dtype=np.int64) for name, data in blocks if name == "polygon"]
    others = sorted({name for name, _ in blocks} - {"tetra", "polygon"})
    if others:
        raise Unusable(f"cells {', '.join(others)}", "tetrahedra of 4 points, or triangles and polygons alone")
    if tets:
        polygons = []
    if not tets and not polygons:
        raise Unusable("no tetrahedra, triangles or polygons", "a mesh (is the file truncated?)")
    ends = np.cumsum(np.concatenate([np.full(len(p), p.shape[1]) for p in polygons] or [[]])).astype(np.int64)
    corners = np.concatenate([p.ravel() for p in polygons] or [[]]).astype(np.int64)
    tets = np.concatenate([t.ravel() for t in tets] or [[]]).astype(np.int64)
    with open(path, "wb") as result:
        np.array([len(points), len(ends), len(corners), len(tets) // 4], dtype=np.int64).tofile(result)
        for array in (np.ascontiguousarray(points[:, :3]), ends, corners, tets):
            array.tofile(result)


def main():
    path, result = sys.argv[1:]
    extension = os.path.splitext(path)[1].lower()
    is_vtk = extension in (".vtk", ".vtu", ".vtp")
    try:
        points, blocks = (by_vtk if is_vtk else by_meshio)(path, extension)
        write(points, blocks, result)
    except ImportError:
        # The first python3 may be another one than the one Debian's packages are for.
        if os.path.exists(SYSTEM_PYTHON) and not os.path.samefile(sys.executable, SYSTEM_PYTHON):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
        print("vtk" if is_vtk else "meshio")
        sys.exit(3)
    except Unusable as error:
        print(error)
        sys.exit(2)


main()
