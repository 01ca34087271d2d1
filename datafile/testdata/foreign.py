# foreign.py DIR reads the files that TestForeign wrote to DIR, with numpy, VTK, ASE and Python's csv, and compares them with the raw
# lanes beside them. Then it writes files of its own to DIR/back, for TestForeign to read.
import csv
import json
import os
import sys
import warnings

import ase
import ase.io
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

TYPES = {"float32": "<f4", "float64": "<f8", "int32": "<i4", "int64": "<i8", "uint8": "|u1"}


def same(where, got, want):
    """Compares an array with rows of lanes, bit by bit."""
    got = np.ascontiguousarray(got)
    if got.dtype.newbyteorder("<").str.lstrip("|<>=") != want.dtype.str.lstrip("|<>="):
        sys.exit("%s has the type %s, want %s" % (where, got.dtype, want.dtype))
    if got.size != want.size or got.astype(want.dtype).tobytes() != want.tobytes():
        sys.exit("%s: got %s, want %s" % (where, got[:5], want[:5]))


def close(where, got, want):
    """Compares numbers that come from decimals: all NaNs are one."""
    got, want = np.asarray(got).reshape(want.shape), np.asarray(want)
    if not np.array_equal(got, want, equal_nan=want.dtype.kind == "f"):
        sys.exit("%s: got %s, want %s" % (where, got[:5], want[:5]))


def lanes(path, columns, rows):
    """Returns the columns, each as rows of lanes."""
    raw, at, found = open(path, "rb").read(), 0, {}
    for c in columns:
        t = np.dtype(TYPES[c["Kind"]])
        n = rows * c["Width"]
        found[c["Name"]] = np.frombuffer(raw, t, n, at).reshape(c["Width"], rows).T
        at += n * t.itemsize
    assert at == len(raw)
    return {k: np.ascontiguousarray(v) for k, v in found.items()}


def read_numpy(base, want):
    a = np.load(base + ".npy")
    if len(want) == 1:
        a = {name: a for name in want}
    for name, w in want.items():
        same(base + ".npy " + name, a[name], w)
    with np.load(base + ".npz") as z:
        if list(z) != list(want):
            sys.exit("%s.npz has %s" % (base, list(z)))
        for name, w in want.items():
            same(base + ".npz " + name, z[name], w)


def read_csv(base, want, labels):
    with open(base + ".csv", newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    at = 0
    for name, w in want.items():
        for lane in range(w.shape[1]):
            texts = [r[at] for r in rows[1:]]
            at += 1
            if name in labels:
                if texts != [labels[name][i] for i in w[:, lane]]:
                    sys.exit("%s.csv: the labels of %s differ" % (base, name))
            elif w.dtype.kind == "f":
                close(base + ".csv " + name, np.array([w.dtype.type(t) for t in texts], w.dtype), w[:, lane])
            else:
                close(base + ".csv " + name, np.array([int(t) for t in texts], w.dtype), w[:, lane])
    if any(len(r) != at for r in rows):
        sys.exit("%s.csv has lines of another length than %d" % (base, at))


def read_vtk(base, want, m):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(base + ".vtp")
    reader.Update()
    if reader.GetErrorCode():
        sys.exit("%s.vtp: VTK's error %d" % (base, reader.GetErrorCode()))
    p = reader.GetOutput()
    if p.GetNumberOfPoints() != m["Rows"] or p.GetNumberOfVerts() != m["Rows"]:
        sys.exit("%s.vtp: %d points, %d vertices, want %d" % (base, p.GetNumberOfPoints(), p.GetNumberOfVerts(), m["Rows"]))
    if m["Rows"]:
        close(base + ".vtp vertices", vtk_to_numpy(p.GetVerts().GetConnectivityArray()), np.arange(m["Rows"]))
        same(base + ".vtp points", vtk_to_numpy(p.GetPoints().GetData()), want["pos"])
        for name, w in want.items():
            if name != "pos":
                same(base + ".vtp " + name, vtk_to_numpy(p.GetPointData().GetArray(name)), w)
    fields = p.GetFieldData()
    close(base + ".vtp Lattice", vtk_to_numpy(fields.GetArray("Lattice")), np.array(m["Lattice"]["Vectors"], float).reshape(1, 9))
    close(base + ".vtp TimeValue", vtk_to_numpy(fields.GetArray("TimeValue")), np.array([m["Time"]]))
    steps = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    close(base + ".vtp time", np.array(steps), np.array([m["Time"]]))
    if fields.GetAbstractArray("note").GetValue(0) != m["Note"]:
        sys.exit("%s.vtp: note is %r" % (base, fields.GetAbstractArray("note").GetValue(0)))
    for name, texts in m["Labels"].items():
        array = fields.GetAbstractArray(name + ".labels")
        if [array.GetValue(i) for i in range(array.GetNumberOfValues())] != texts:
            sys.exit("%s.vtp: the labels of %s differ" % (base, name))


def read_ase(base, want, m):
    frames = ase.io.read(base + ".xyz", index=":", format="extxyz")
    if len(frames) != 2:
        sys.exit("%s.xyz has %d frames" % (base, len(frames)))
    for a in frames:
        close(base + ".xyz cell", a.cell.array, np.array(m["Lattice"]["Vectors"], float))
        close(base + ".xyz pbc", a.pbc, np.array(m["Lattice"]["Periodic"]))
        if a.info["Time"] != m["Time"] or a.info["note"] != m["Note"]:
            sys.exit("%s.xyz: info %s" % (base, a.info))
        for name, w in want.items():
            if name == "species":
                if a.get_chemical_symbols() != [m["Labels"][name][i] for i in w[:, 0]]:
                    sys.exit("%s.xyz: other elements" % base)
                continue
            got = a.arrays["positions" if name == "pos" else name]
            if w.dtype.kind == "i":  # ASE 3.22 keeps 32 bits of a whole number
                got, w = got.astype("i4"), w.astype("i4")
            close(base + ".xyz " + name, got.astype(w.dtype), w)


def dump(path, columns):
    """Writes lanes for TestForeign, with their description."""
    with open(path + ".raw", "wb") as f:
        for c in columns.values():
            for lane in c.reshape(c.shape[0], -1).T:
                f.write(np.ascontiguousarray(lane).astype(c.dtype.newbyteorder("<")).tobytes())
    names = {v: k for k, v in TYPES.items()}
    about = [{"Name": k, "Kind": names[v.dtype.newbyteorder("<").str], "Width": v.reshape(v.shape[0], -1).shape[1]} for k, v in columns.items()]
    with open(path + ".json", "w") as f:
        json.dump({"Rows": len(next(iter(columns.values()))), "Columns": about}, f)


def write(dir):
    r = np.random.default_rng(1)
    n = 1000
    any32 = r.integers(0, 2**32, (n, 3), np.uint32).view("<f4")
    arrays = {
        "plain": r.random((n, 3)),
        "bits": any32,
        "big": r.random((n, 2)).astype(">f8"),
        "big32": r.integers(-9, 9, n).astype(">i4"),
        "fortran": np.asfortranarray(r.random((n, 4))),
        "fortran3": np.asfortranarray(r.random((n, 2, 3)).astype("<f4")),
        "three": r.integers(0, 255, (n, 3, 3)).astype("u1"),
        "slice": np.arange(4 * n, dtype="<i8").reshape(n, 4)[:, ::2],
        "one": np.arange(n, dtype="<f4"),
    }
    for name, a in arrays.items():
        np.save(os.path.join(dir, "npy-" + name + ".npy"), a)
        dump(os.path.join(dir, "npy-" + name), {"array": a})
    np.save(os.path.join(dir, "npy-bool.npy"), arrays["three"] > 100)
    dump(os.path.join(dir, "npy-bool"), {"array": (arrays["three"] > 100).astype("u1")})
    for name, align, extra in ("fields", False, 0), ("aligned", True, 0), ("many", False, 3000), ("Ω", False, 0):
        fields = [(name, "<f4", (3,)), ("flag", "u1"), ("id", ">i8"), ("m", "<f8", (2, 2))] + [("f%d" % i, "<i4") for i in range(extra)]
        s = np.zeros(n // 10, np.dtype(fields, align=align))
        s[name], s["flag"], s["id"], s["m"] = any32[: n // 10], 7, np.arange(n // 10), r.random((n // 10, 2, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that version 3 of the format is young
            np.save(os.path.join(dir, "npy-" + name + ".npy"), s)
        dump(os.path.join(dir, "npy-" + name), {k: s[k] for k in s.dtype.names})
    for name, save in ("stored", np.savez), ("deflated", np.savez_compressed):
        save(os.path.join(dir, "npz-" + name + ".npz"), **arrays)
        dump(os.path.join(dir, "npz-" + name), arrays)
    floats = {"x": r.standard_normal(n), "y": 1 / r.standard_normal(n), "n": np.arange(n)}
    np.savetxt(os.path.join(dir, "csv-savetxt.csv"), np.column_stack(list(floats.values())), "%.17g", ",", header="x,y,n", comments="")
    dump(os.path.join(dir, "csv-savetxt"), floats)
    frames = [ase.Atoms("ArKr", [[0, 0, 0], [0.5, i, -1e-3]], cell=[3, 4, 5], pbc=[1, 0, 1]) for i in range(2)]
    for a in frames:
        a.arrays["velo"] = np.array([[1, 2, 3], [4, 5, 0.25]])
        a.arrays["flag"] = np.array([True, False])
        a.info["note"] = 'a "b" c'
    ase.io.write(os.path.join(dir, "ase.xyz"), frames, format="extxyz")


def main(dir):
    for m in json.load(open(os.path.join(dir, "tables.json"))):
        base = os.path.join(dir, m["Base"])
        want = lanes(base + ".raw", m["Columns"], m["Rows"])
        read_numpy(base, want)
        read_csv(base, want, m["Labels"])
        read_vtk(base, want, m)
        if m["Rows"]:  # ASE reads no frame without atoms
            read_ase(base, want, m)
    write(os.path.join(dir, "back"))
    print("numpy", np.__version__, "ase", ase.__version__, "vtk", vtkXMLPolyDataReader().GetClassName())


main(sys.argv[1])
