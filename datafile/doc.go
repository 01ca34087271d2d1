// Package datafile writes columns of numbers to files for other programs, and
// reads such files. The formats are NumPy's npy and npz, CSV, extended XYZ for
// OVITO and ASE, and VTK's vtp for ParaView.
//
//	t := &datafile.Table{Columns: []datafile.Column{
//		datafile.Lanes("pos", p.X, p.Y, p.Z), // 3 numbers a row
//		datafile.Lanes("mass", mass),
//	}}
//	err := datafile.Save("frame.vtp", t)
//
// A [Table] has named columns of equal length. A [Column] has one or more lanes
// of one type: float32, float64, int32, int64 or uint8. A column of labels, for
// example of chemical elements, is a lane of codes and a list of texts
// ([Categorical]).
//
//	format   several frames   lattice, info   written                            read
//	npy      -                -               an array, or a structured one      yes
//	npz      -                -               an array for each column           yes
//	csv      -                -               a line of names, then the rows     yes
//	extxyz   yes              yes             needs a column pos of 3 lanes      yes
//	vtp      a file for each  yes             needs a column pos of 2 or 3       -
//
// # Promises
//
//   - The bytes of a file depend only on the table. They are the same on every
//     machine; numbers in npy, npz and vtp are little-endian.
//   - Numbers in npy, npz and vtp keep their bits, including those of NaN.
//     Numbers in CSV and extended XYZ have the fewest digits that identify the
//     value.
//   - A table that a format cannot represent is refused before the first byte.
//     The error names the column and the remedy.
//   - [Save] and [Trajectory] write a file whole or not at all.
//   - Files that are read may come from an attacker. A reader does not allocate
//     the size in a header before it has read the bytes, so its memory is at most a
//     small multiple of the bytes read. A compressed npz can grow a thousandfold, so
//     set [Options.Limit] for files from strangers.
//
// # Design
//
// All binary formats are written in blocks of rows of about 256 KiB, because such a block
// fits into the cache of a core. Each lane is copied to its place in the block, and then
// the block is written. A writer thus needs no memory that grows with the table.
//
// CSV rows are written by package study/table, so that tables of studies and
// tables of this package have the same texts. The reader of text formats parses a
// decimal directly into a float32 if [Options.Float32] is set, because the
// detour through float64 would round twice.
package datafile
