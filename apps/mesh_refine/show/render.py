#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a tetrahedral mesh (.vtu) coloured by an integer cell array, whole and cut open.

    render.py mesh.vtu picture.png [--array rank] [--cut x|y|z|none] [--size 1600x1200]

Needs Debian's python3-vtk9 and, on a machine without a display, xvfb: the script then starts itself
again under xvfb-run. Exit status 2 when the input cannot be used.
"""

import argparse
import os
import shutil
import sys

EDGE_COLOUR = (0.13, 0.14, 0.18)
PALETTE = [
    (0.30, 0.55, 0.80), (0.95, 0.62, 0.26), (0.45, 0.71, 0.45), (0.80, 0.44, 0.50),
    (0.62, 0.53, 0.77), (0.72, 0.61, 0.47), (0.90, 0.68, 0.79), (0.62, 0.64, 0.66),
    (0.80, 0.78, 0.36), (0.42, 0.76, 0.80), (0.36, 0.42, 0.62), (0.72, 0.36, 0.22),
]
FRAME_COLOUR = (190, 194, 202)
SUPERSAMPLING = 2


def fail(message):
    sys.stderr.write(f"render.py: {message}\n")
    sys.exit(2)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("mesh")
    parser.add_argument("picture")
    parser.add_argument("--array", default="rank", help="integer cell array to colour by")
    parser.add_argument("--cut", default="auto", choices=["auto", "x", "y", "z", "none"],
                        help="axis across which the second view is cut open")
    parser.add_argument("--size", default="1600x1200", help="width and height in pixels")
    parser.add_argument("--title", default="", help="line of text above the mesh")
    arguments = parser.parse_args()
    try:
        width, height = (int(n) for n in arguments.size.split("x"))
    except ValueError:
        width = height = 0
    if not (100 <= width <= 8000 and 100 <= height <= 8000):
        fail(f"--size {arguments.size}: expected WIDTHxHEIGHT, each from 100 to 8000")
    arguments.size = (width, height)
    return arguments


def ensure_display():
    """Starts a display if there is none: Debian's VTK needs X, also for drawing off screen."""
    if os.environ.get("DISPLAY"):
        return
    xvfb = shutil.which("xvfb-run")
    if xvfb is None:
        fail("no display; install xvfb (apt-get install xvfb) or set DISPLAY")
    command = [xvfb, "-a", "-s", "-screen 0 640x480x24", sys.executable, os.path.abspath(__file__)]
    os.execv(xvfb, command + sys.argv[1:])


def load(path, name):
    """Points, tetrahedra and the cell array of a .vtu file."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
    if not os.path.isfile(path):
        fail(f"{path}: no such file")
    reader = vtkXMLUnstructuredGridReader()
    if not reader.CanReadFile(path):
        fail(f"{path}: not a VTK XML unstructured grid")
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    if grid.GetNumberOfCells() == 0:
        fail(f"{path}: no cells")
    array = grid.GetCellData().GetArray(name)
    if array is None:
        names = [grid.GetCellData().GetArrayName(i)
                 for i in range(grid.GetCellData().GetNumberOfArrays())]
        fail(f"{path}: no cell array '{name}'; there are {', '.join(names) or 'none'}")
    connectivity = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
    if connectivity.size != 4 * grid.GetNumberOfCells():
        fail(f"{path}: cells that are not tetrahedra")
    points = vtk_to_numpy(grid.GetPoints().GetData())
    return points, connectivity.reshape(-1, 4), vtk_to_numpy(array).astype(int)


def outer_faces(np, tets):
    """The faces that belong to one tetrahedron only: their corners and the row of their tetrahedron."""
    corners = np.concatenate([tets[:, [1, 2, 3]], tets[:, [0, 3, 2]],
                              tets[:, [0, 1, 3]], tets[:, [0, 2, 1]]]).astype(np.int64)
    owner = np.tile(np.arange(len(tets)), 4)
    ordered = np.sort(corners, axis=1)
    count = int(tets.max()) + 1
    # Two corners fill 62 bits at most; the third one decides between the few that are left.
    key = (ordered[:, 0] * count + ordered[:, 1]) * np.int64(1000003) ^ ordered[:, 2]
    rank = np.argsort(key, kind="stable")
    same = key[rank][1:] == key[rank][:-1]
    paired = np.zeros(len(key), dtype=bool)
    paired[1:] |= same
    paired[:-1] |= same
    chosen = rank[~paired]
    return corners[chosen], owner[chosen]


def colours_of(np, values, ids):
    import colorsys
    table = list(PALETTE)
    while len(table) < len(ids):  # further ranks: hues by the golden ratio
        n = len(table)
        table.append(colorsys.hsv_to_rgb((0.618034 * n) % 1.0, 0.45 + 0.1 * (n % 3), 0.85))
    bytes_of = (np.array(table[:max(len(ids), 1)]) * 255).astype(np.uint8)
    return table, bytes_of[np.searchsorted(ids, values)]


def make_actor(np, points, faces, colours):
    from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
    from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper
    used, local = np.unique(faces, return_inverse=True)
    cells = np.full((len(faces), 4), 3, dtype=np.int64)
    cells[:, 1:] = local.reshape(-1, 3)
    vtk_points = vtkPoints()
    vtk_points.SetData(numpy_to_vtk(points[used], deep=True))
    polygons = vtkCellArray()
    polygons.SetCells(len(faces), numpy_to_vtkIdTypeArray(cells.ravel(), deep=True))
    data = vtkPolyData()
    data.SetPoints(vtk_points)
    data.SetPolys(polygons)
    data.GetCellData().SetScalars(numpy_to_vtk(colours, deep=True))
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    actor = vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.SetInterpolationToFlat()
    look.SetAmbient(0.32)
    look.SetDiffuse(0.72)
    look.EdgeVisibilityOn()
    look.SetEdgeColor(*EDGE_COLOUR)
    look.SetLineWidth(0.6 * SUPERSAMPLING)
    return actor


def aim_camera(np, renderer, view_from, up, low, high, aspect):
    """Parallel projection that just holds the bounding box."""
    import itertools
    centre = 0.5 * (low + high)
    forward = -view_from / np.linalg.norm(view_from)
    side = np.cross(forward, up)
    side /= np.linalg.norm(side)
    above = np.cross(side, forward)
    box = np.array(list(itertools.product(*zip(low, high)))) - centre
    half_width = np.abs(box @ side).max()
    half_height = np.abs(box @ above).max()
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(*centre)
    camera.SetPosition(*(centre - 3.0 * np.linalg.norm(high - low) * forward))
    camera.SetViewUp(*above)
    camera.SetParallelScale(1.04 * max(half_height, half_width / aspect))
    renderer.ResetCameraClippingRange()


def add_text(renderer, text, x, y, size, colour=(0.15, 0.15, 0.2), centred=True):
    from vtkmodules.vtkRenderingCore import vtkTextActor
    actor = vtkTextActor()
    actor.SetInput(text)
    look = actor.GetTextProperty()
    look.SetFontSize(size * SUPERSAMPLING)
    look.SetColor(*colour)
    look.SetFontFamilyToArial()
    if centred:
        look.SetJustificationToCentered()
    look.SetVerticalJustificationToCentered()
    actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedDisplay()
    actor.GetPositionCoordinate().SetValue(x, y)
    renderer.AddActor2D(actor)


def add_legend(renderer, name, ids):
    """Names of the first ids; returns where the squares in their colours go (see save)."""
    shown = list(ids[:8])
    step = 0.11
    start = 0.5 - 0.5 * step * len(shown)
    for i, value in enumerate(shown):
        add_text(renderer, f"{name} {value}", start + i * step + 0.024, 0.028, 26, centred=False)
    if len(ids) > len(shown):
        add_text(renderer, f"... {len(ids)} in all", start + len(shown) * step + 0.024, 0.028, 26,
                 centred=False)
    return [start + i * step for i in range(len(shown))]


def draw_squares(np, pixels, table, places):
    """Draws them on the finished picture (bottom row first), since not every font has a square."""
    height, width, _ = pixels.shape
    half = max(4, height // 80)
    row = int(0.028 * height)
    for colour, place in zip(table, places):
        column = int((place + 0.008) * width)
        pixels[row - half:row + half, column - half:column + half] = np.array(colour) * 255


def draw_frame(pixels, left, bottom, top):
    """Draws a frame around the second view, which cuts the mesh off at its edges."""
    height, width, _ = pixels.shape
    x0, x1 = int(left * width), width - 1
    y0, y1 = int(bottom * height), min(int(top * height), height - 1)
    for x in (x0, x1 - 1):
        pixels[y0:y1 + 1, x:x + 2] = FRAME_COLOUR
    for y in (y0, y1 - 1):
        pixels[y:y + 2, x0:x1 + 1] = FRAME_COLOUR


def save(np, window, path, table, places, frame):
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkIOImage import vtkPNGWriter
    from vtkmodules.vtkRenderingCore import vtkWindowToImageFilter
    grab = vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    width, height, _ = grab.GetOutput().GetDimensions()
    pixels = vtk_to_numpy(grab.GetOutput().GetPointData().GetScalars())
    n = SUPERSAMPLING
    pixels = pixels.reshape(height // n, n, width // n, n, 3).mean(axis=(1, 3))
    draw_squares(np, pixels, table, places)
    if frame is not None:
        draw_frame(pixels, *frame)
    image = vtkImageData()
    image.SetDimensions(width // n, height // n, 1)
    image.GetPointData().SetScalars(
        numpy_to_vtk(np.rint(pixels).astype(np.uint8).reshape(-1, 3), deep=True))
    writer = vtkPNGWriter()
    writer.SetFileName(path)
    writer.SetInputData(image)
    writer.Write()
    if not os.path.isfile(path) or os.path.getsize(path) == 0:
        fail(f"{path}: cannot be written")


def views_of(np, points, tets, values, cut):
    """For each view: mask of the tetrahedra seen, camera direction, up, and the box to show."""
    low, high = points.min(axis=0), points.max(axis=0)
    centroids = points[tets].mean(axis=1)
    order = np.argsort(high - low)
    axis = order[0] if cut in ("auto", "none") else "xyz".index(cut)
    long_axis = [a for a in order[::-1] if a != axis][0]
    up = np.zeros(3)
    # The end with more elements goes to the top.
    up[long_axis] = 1.0 if centroids[:, long_axis].mean() > 0.5 * (low + high)[long_axis] else -1.0
    normal = np.zeros(3)
    normal[axis] = 1.0
    side = np.cross(up, normal)
    view_from = normal + 0.35 * side + 0.12 * up
    everything = np.ones(len(tets), dtype=bool)
    whole = (everything, view_from, up, low, high)
    if cut == "none":
        return [whole]
    # The second view goes close to where the elements are, and is cut through their middle.
    near = np.quantile(centroids, [0.04, 0.96], axis=0)
    opened = centroids[:, axis] < np.median(centroids[:, axis])
    return [whole, (opened, normal + 0.1 * side, up, near[0], near[1])]


def main():
    arguments = parse_arguments()
    ensure_display()
    import numpy as np
    import vtkmodules.vtkRenderingFreeType  # noqa: F401  (registers text)
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (registers the renderer)
    from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow

    points, tets, values = load(arguments.mesh, arguments.array)
    ids = np.unique(values)
    views = views_of(np, points, tets, values, arguments.cut)
    table, _ = colours_of(np, ids, ids)

    width, height = arguments.size
    window = vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetSize(width * SUPERSAMPLING, height * SUPERSAMPLING)
    bottom, top = 0.055, 0.945 if arguments.title else 1.0
    frame = vtkRenderer()
    frame.SetBackground(1, 1, 1)
    window.AddRenderer(frame)
    for i, (mask, view_from, up, low, high) in enumerate(views):
        faces, owner = outer_faces(np, tets[mask])
        _, colours = colours_of(np, values[mask][owner], ids)
        renderer = vtkRenderer()
        renderer.SetBackground(1, 1, 1)
        renderer.SetViewport(i / len(views), bottom, (i + 1) / len(views), top)
        renderer.AddActor(make_actor(np, points, faces, colours))
        window.AddRenderer(renderer)
        aspect = width / len(views) / (height * (top - bottom))
        aim_camera(np, renderer, view_from, up, low, high, aspect)
    places = add_legend(frame, arguments.array, ids)
    if arguments.title:
        add_text(frame, arguments.title, 0.5, 0.97, 18)
    window.Render()
    save(np, window, arguments.picture, table, places,
         (0.5, bottom, top) if len(views) == 2 else None)


if __name__ == "__main__":
    main()
