extension ManifestPage {
  /// What fills in a job's texts, and their limits.
  static let templates = #"""
    .Sh TEMPLATES
    A template is a path with fields:
    .Bl -tag -width Ds
    .It Li {name} , {ext}
    The source's file name without extension, and the output format's extension.
    .It Li {index}
    The job's position, from 1;
    .Li {index:05}
    pads it.
    .It Li {dir}
    The source's directory with its separators, relative to
    .Ic base
    for a URL, to the fixed part of a pattern, else to the manifest's directory, or the current directory for standard
    input.
    It never leaves the output directory:
    .Pa ..
    is dropped, and a leading dot is replaced.
    .It Li {host} , {path}
    The source's host, and its directory as one component.
    .It Li {width} , {height} , {format} , {filter}
    Of the output.
    .It Li {hash} , {source-hash}
    The first 16 digits of the SHA-256 of the output and of the source;
    .Li {hash:8}
    is shorter.
    .El
    .Pp
    A job's variables, a matrix's names, a CSV's columns and an NDJSON line's own keys are fields too, and come before the
    built-in names.
    Each value but that of
    .Li {dir}
    is one component of the path.
    .Ql {{
    and
    .Ql }}
    are braces.
    .Sh ROWS
    A job with
    .Ic from
    is made once for each row of a table.
    Its columns are variables wherever a chain, a template, a variable or a source is written:
    .Ql source: "img/{file}" ,
    .Ql filter: "text:{title}" ,
    .Ql placeholder: "{brand}.png" ,
    .Ql sha256: "{digest}" .
    A matrix applies to each row.
    With a column
    .Li source ,
    the job needs no
    .Ic source
    of its own; a list and a pattern have this column only.
    The job's
    .Ic variables
    may use the columns, and come before them; the manifest's defaults come after them.
    .Pp
    Tables and paths in them are relative to the manifest's directory, and lie inside it unless
    .Fl \-allow-outside
    is given.
    Every row is read before anything starts: a mistake is reported at its line, a mistake of many rows once with their
    number, and two outputs of one path are found across all rows.
    The rows are then read again as the batch goes on, so that a table may have millions of them.
    .Pp
    In a pattern,
    .Li *
    and
    .Li \&?
    stand for any text and any character of a name,
    .Li [a-z]
    and
    .Li [!a-z]
    for one of a set, or none of it,
    .Li {jpg,png}
    for either text, and
    .Li **
    for any number of directories.
    Hidden files are matched only where the pattern writes their dot, and
    .Li **
    follows no symbolic links.
    Files are taken in the order of their paths, and
    .Li {dir}
    is relative to the pattern's part before its first special character.
    .Sh LINES
    A bare line is a source; blank lines and lines that begin with
    .Ql #
    are skipped.
    A line of
    .Xr sha256sum 1
    pins the source's bytes.
    An NDJSON line is a job; keys of its own are carried through to the results.
    CSV and TSV have a header line; columns named like a job's or an output's keys are those, others are fields.
    .Sh LIMITS
    A manifest that stands for more than this is refused before anything is made of it, with the place:
    .Bl -dash -compact
    .It
    256 filters in a chain, with named chains written out and what
    .Fl f
    appends; named chains that use one another 64 deep;
    .It
    16 KiB of words for
    .Cm text ,
    64 KiB for a source that is written in a chain (a named source has no limit), 256 KiB for a chain's canonical text;
    .It
    64 names and 10,000 combinations in a matrix, 100,000 outputs in a job, 250,000 in a document;
    .It
    256 MiB for the chains and variables of all outputs of a document together, 1 MiB for a text with its fields filled
    in, 64 KiB for a header's value;
    .It
    4 KiB for a template, 64 MiB for a document and for a line.
    .El
    .Pp
    Lists, CSV, TSV and NDJSON are streamed: their number of lines has no limit.

    """#
}
