extension ManifestPage {
  /// TEMPLATES, ROWS, LINES and LIMITS.
  static let templates = #"""
    .Sh TEMPLATES
    A template is a path with fields:
    .Bl -tag -width Ds
    .It Li {name} , {ext}
    The source's file name without extension, and the extension of the output's format.
    .It Li {index}
    The job's number, from 1; blank lines and comments aren't counted.
    .Li {index:05}
    pads it with zeros.
    .It Li {dir}
    The source's directory, with its separators:
    .Bl -dash -compact
    .It
    for a file in a manifest, relative to the manifest's directory; for a line of standard input, to the current directory;
    .It
    for a pattern, relative to the part before its first special character;
    .It
    for an operand of
    .Cm convert
    or
    .Cm pipe ,
    relative to the current directory, or to the directory that is the operand; empty for a file outside the current
    directory and for a relative path that begins with
    .Pa ../ ;
    .It
    for a URL on the server of
    .Ic base ,
    relative to
    .Ic base ,
    or, for a URL that is not below it, to their common parent directory;
    .It
    for any other URL, the directory of its path.
    .El
    .Pp
    The path stays inside the output directory:
    .Pa ..
    is dropped, and a leading dot is replaced by
    .Ql _ .
    .It Li {host} , {path}
    The URL's host, and the source's directory with
    .Ql _
    for slashes.
    .It Li {width} , {height}
    The output's size.
    .It Li {format} , {filter}
    The output's format, such as
    .Ql jpeg ,
    and its chain as text, or
    .Ql original
    without filters.
    .It Li {hash} , {source-hash}
    The first 16 digits of the SHA-256 of the output and of the source;
    .Li {hash:8}
    has 8 digits.
    .El
    .Pp
    A job's variables, a matrix's names, and the other keys and columns of
    .Sx LINES
    and
    .Sx ROWS
    are fields too.
    They override the built-in names.
    Each value except that of
    .Li {dir}
    is one component of the path.
    Write
    .Ql {{
    and
    .Ql }}
    for braces.
    .Pp
    Missing directories are made.
    A path that ends in a slash, or is that of an existing directory, is an error: name the file, as in
    .Ql public/{name}.webp .
    .Sh ROWS
    A job with
    .Ic from
    becomes one job for each row of a table.
    The columns are fields in chains, templates, sources and the job's variables:
    .Ql source: \(dqimg/{file}\(dq ,
    .Ql filter: \(dqtext:{title}\(dq ,
    .Ql placeholder: \(dq{brand}.png\(dq ,
    .Ql sha256: \(dq{digest}\(dq .
    A matrix applies to each row.
    If the table has a column
    .Li source ,
    the job needs no key
    .Ic source .
    Lists and patterns have only this column.
    The job's
    .Ic variables
    may use the columns, and override them; the columns override the manifest's default variables.
    .Pp
    Tables, and the paths in them, are relative to the manifest's directory and must lie inside it, unless
    .Fl \-allow-outside
    is given.
    Every row is read before anything starts.
    A mistake is reported at its line; a mistake that many rows share is reported once, with the number of rows.
    Outputs with the same path are reported even if they are from different rows.
    The rows are read again during the run, not kept in memory, so a table may have millions of them.
    .Pp
    In a pattern,
    .Li *
    matches any text and
    .Li \&?
    any character within a name.
    .Li [a-z]
    matches a character of a set and
    .Li [!a-z]
    any other,
    .Li {jpg,png}
    matches either text, and
    .Li **
    matches any number of directories.
    Hidden files are matched only if the pattern has the leading dot, and
    .Li **
    doesn't follow symbolic links.
    Files are sorted by path, and
    .Li {dir}
    is relative to the part of the pattern before its first special character.
    A pattern also matches files that other jobs of the manifest will make, so that one run takes a new image through all of its
    patterns.
    A file that matches and is the output of another file that matches is no source.
    Neither is known of paths with
    .Li {index} ,
    .Li {hash} ,
    .Li {width}
    and other fields of the image, and of more than 20,000 files.
    .Sh LINES
    A bare line is a source; blank lines and lines that begin with
    .Ql #
    are skipped.
    A line in the format of
    .Xr sha256sum 1
    pins the source's digest.
    An NDJSON line is a job.
    CSV and TSV have a header line: a column with the name of a job's or an output's key sets that key.
    All other keys and columns are fields, and are copied to the results.
    .Sh LIMITS
    A manifest that exceeds one of these limits is refused before anything starts, and the location is reported:
    .Bl -dash -compact
    .It
    256 filters in a chain, with named chains expanded and
    .Fl f
    appended; 64 levels of named chains;
    .It
    16 KiB for the string that a
    .Cm text
    filter draws, 64 KiB for a source in a chain (a named source has no limit), 256 KiB for a chain's canonical text;
    .It
    64 names and 10,000 combinations in a matrix, 100,000 outputs in a job, 250,000 in a document;
    .It
    256 MiB for the chains and variables of all outputs in a document, 1 MiB for a string with its fields filled in,
    64 KiB for a header's value;
    .It
    4 KiB for a template, 64 MiB for a document or a line.
    .El
    .Pp
    Lists, CSV, TSV and NDJSON are streamed; the number of their lines is unlimited.

    """#
}
