/// imagemill-manifest(5).
enum ManifestPage {
  /// The page in mdoc(7).
  static let text = ManualPage.head("IMAGEMILL-MANIFEST", section: 5) + body

  private static let body = #"""
    .Sh NAME
    .Nm imagemill-manifest
    .Nd what imagemill makes of which sources
    .Sh DESCRIPTION
    A manifest says which outputs are made of which sources.
    YAML (1.2 core), JSON and TOML have one model; a file of bare lines, CSV, TSV or NDJSON is a manifest too, one job a
    line, and is read as the batch goes on.
    What is compressed by
    .Xr gzip 1
    is unpacked.
    A name's extension says what a manifest is, also before
    .Pa .gz ;
    of standard input and of other names, the first line says it.
    .Pp
    Manifests are read strictly: unknown keys, wrong types, unknown filters, bad geometry, circular names, two outputs of
    one path, outputs that leave their directory, and formats that contradict their extensions are all found before
    anything starts, and all reported in one go, each with file, line and column.
    .Ss The manifest's keys
    .Bl -tag -width Ds
    .It Ic imagemill
    The format's version: 1.
    Required.
    .It Ic base
    An http or https URL that sources without a scheme are resolved against, unless they begin with
    .Pa ./ , ../
    or
    .Pa / .
    .It Ic output-dir
    What outputs are inside; a directory inside the manifest's own.
    .It Ic filters
    Named chains: a name and a chain each.
    They may use one another, not in a circle, and not bear a built-in filter's name.
    .It Ic sources
    Named sources, for
    .Ic overlay
    and
    .Ic mask .
    .It Ic defaults
    What every output starts from: any of an output's keys but
    .Ic output .
    .It Ic origins
    Settings for what is fetched from one origin, such as
    .Ql https://cdn.example.com ,
    and from no other:
    .Ic headers ,
    .Ic user
    .Pq Ar name : password
    and
    .Ic max-active .
    Only here is
    .Ql ${NAME}
    filled from the environment, and only for names given with
    .Fl \-env .
    .It Ic jobs
    The jobs, in their order.
    .El
    .Ss A job's keys
    .Bl -tag -width Ds
    .It Ic source
    An http or https URL, a file URL, a data URL, or a path; or a list of them that are tried in order.
    Without
    .Ic base ,
    a path is relative to the manifest's directory and lies inside it, unless
    .Fl \-allow-outside
    is given.
    .It Ic from
    A CSV, TSV or NDJSON file, a list, or a pattern such as
    .Pa photos/**/*.jpg :
    the job stands for one job for each row.
    See
    .Sx ROWS .
    .It Ic where
    Columns of
    .Ic from
    with a value or a list of values: only rows that have one of them in each of these columns.
    .It Ic output , outputs
    One output, or a list of them.
    .It Ic sha256
    The digest that the source must have; other bytes are refused, and not stored.
    .It Ic placeholder
    A source that is used, and reported, when every source fails.
    .It Ic publish
    .Cm progressive
    treats a list of sources as versions of rising quality: each is published when it is there, and never replaces a
    better one.
    .Cm best
    (the default) treats them as alternatives.
    .It Ic priority
    Higher goes first among pending downloads; 0.
    .It Ic variables
    Names and texts for the outputs' templates.
    .El
    .Pp
    A job may also have any of an output's keys, which then hold for all of its outputs.
    .Ss \&An output's keys
    .Bl -tag -width Ds
    .It Ic output
    The template of its path; see
    .Sx TEMPLATES .
    .It Ic filter
    A chain as text, or a list whose members are texts or mappings such as
    .Ql {fit: {width: 800, height: 600}} .
    It may use the fields of a matrix, of
    .Ic variables
    and of a table's columns, and
    .Li {name} , {host} , {dir}
    and
    .Li {path}
    of the source, as in
    .Ql text:{sku} .
    A column's or a variable's value adds no filter and no argument, whatever it holds.
    The same is true of
    .Fl f
    on the command line.
    .It Ic format , quality , encode
    The format, its quality, and options of its encoder; see
    .Xr imagemill-formats 1 .
    The extension of the template beats a default format, and a format of the output's own that contradicts it is an error.
    Of several formats, as in
    .Li [avif, webp, jpeg] ,
    the smallest file is taken, of those that can hold the picture's size, frames and transparency;
    .Cm auto
    means jpeg, png and webp.
    .Cm same
    is the source's own format, which is an error for a format that can't be written.
    The path then ends in
    .Li .{ext} .
    .It Ic metadata
    .Cm none , copyright
    or
    .Cm all
    (default:
    .Cm copyright ) .
    Positions are never kept, unless all is.
    .It Ic profile
    .Cm srgb , keep ,
    or an ICC file.
    .It Ic background
    The colour that transparency meets in a format without it (default: white).
    .It Ic frames
    .Cm all , first ,
    or a number.
    .It Ic transition
    Makes the output an animation, WebP or GIF, from another picture to what the chain makes: a mapping with
    .Ic from
    .Pq Cm placeholder , the job's own, or a named source, a path or a URL ,
    .Ic kind
    .Pq Cm crossdissolve , flip-left , flip-right , flip-top No or Cm flip-bottom ,
    .Ic duration
    .Pq Li 400ms
    and
    .Ic fps
    .Pq 30 .
    .It Ic markup
    What
    .Fl \-emit
    says of the picture besides the names and sizes of its files: a mapping with
    .Ic alt
    .Pq its text, with fields; the variable Li alt No by default ,
    .Ic sizes ,
    .Ic loading
    .Pq Cm lazy No or Cm eager ,
    .Ic url\-prefix
    .Pq the beginning of the URLs, before the path in the output directory ,
    .Ic placeholder
    .Pq Cm none , color No or Cm image , No the picture's background until it is there
    and
    .Ic template ,
    HTML of one's own with the fields
    .Li {picture} , {img} , {sources} , {src} , {srcset} , {sizes} , {width} , {height} , {alt} , {loading} , {style} , {type} , {source}
    and the job's variables.
    Every value is escaped for HTML.
    .It Ic orient
    .Cm keep
    leaves the orientation tag and the pixels as they are.
    .It Ic max-bytes
    The size to stay under: the highest quality that does is searched for.
    .It Ic min-savings
    Of several formats, by how many percent another must be smaller than the first to be taken instead, such as
    .Li 10% .
    .It Ic matrix
    Names and lists of values: one output for each combination.
    The names may be used in the template, the filter, the format and the quality.
    .El
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
    .Sh EXAMPLES
    A site's portraits, and a responsive set of one photograph; seven files of two downloads.
    .Pa team.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    base: https://example.com/
    filters:
      avatar: fill:128x128,circle
    defaults:
      quality: 80
    jobs:
      - {source: team/ada.jpg, filter: avatar, output: team/ada.png}
      - source: hero.jpg
        placeholder: https://example.com/missing.png
        outputs:
          - output: "hero-{width}.{ext}"
            filter: "limit:{width}x"
            matrix: {width: [400, 800, 1600], format: [webp, jpeg]}
    .Ed
    .Pp
    .Dl imagemill run team.yaml
    .Pp
    A server that wants a token, which is taken from the environment and goes to no other origin.
    .Pa private.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    origins:
      https://images.example.com:
        headers: {Authorization: "Bearer ${TOKEN}"}
        max-active: 2
    jobs:
      - source: https://images.example.com/private/photo.jpg
        filter: fit:800x600
        output: private/photo.webp
    .Ed
    .Pp
    .Dl imagemill run --env TOKEN private.yaml
    .Pp
    A watermark on everything, and a file that must not be larger than 60 kB.
    .Pa marked.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    sources:
      logo: logo.png
    filters:
      marked:
        - limit: {size: 1600x}
        - overlay: {source: logo, gravity: southeast, x: 10, y: 10, opacity: 0.5}
    jobs:
      - {source: photo.jpg, filter: marked, max-bytes: 60kB, output: "marked/{name}.jpg"}
    .Ed
    .Pp
    .Dl imagemill run marked.yaml
    .Pp
    A crossfade from one picture to another, as an animation.
    .Pa fade.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    jobs:
      - source: photo.jpg
        filter: fill:120x120
        transition: {from: logo.png, kind: crossdissolve, duration: 300ms, fps: 10}
        output: fade.webp
    .Ed
    .Pp
    .Dl imagemill run fade.yaml
    .Pp
    The same model in TOML.
    .Pa team.toml :
    .Bd -literal -offset indent
    imagemill = 1

    [[jobs]]
    source = "https://example.com/team/ada.jpg"
    filter = "fill:128x128,circle"
    output = "toml/ada.png"
    .Ed
    .Pp
    .Dl imagemill run team.toml
    .Pp
    A table: the columns that are no keys are fields of the template.
    .Pa people.csv :
    .Bd -literal -offset indent
    source,id
    https://example.com/ada.jpg,1815
    https://example.com/grace.jpg,1906
    .Ed
    .Pp
    .Dl imagemill run -f fill:128x128 -o 'people/{id}.png' people.csv
    .Pp
    A catalogue: for each of its products three widths in two formats.
    .Pa products.csv :
    .Bd -literal -offset indent
    sku,file,title
    K-1815,ada.jpg,"Ada, in blue"
    K-1906,grace.jpg,Grace
    .Ed
    .Pp
    .Pa catalogue.yaml :
    .Bd -literal -offset indent
    imagemill: 1
    base: https://example.com/
    jobs:
      - from: products.csv
        source: "products/{file}"
        outputs:
          - output: "shop/{sku}-{width}.{ext}"
            filter: "limit:{width}x,text:{title}:gravity=south"
            matrix: {width: [200, 400, 800], format: [webp, jpeg]}
    .Ed
    .Pp
    .Dl imagemill run catalogue.yaml
    .Pp
    Jobs that another program writes, one a line.
    .Pa jobs.ndjson :
    .Bd -literal -offset indent
    {"source":"https://example.com/a.jpg","filter":"fit:90x90","output":"lines/a.png"}
    {"source":"https://example.com/b.jpg","filter":"sepia","output":"lines/b.png"}
    .Ed
    .Pp
    .Dl imagemill run jobs.ndjson
    .Sh SEE ALSO
    .Xr imagemill 1 ,
    .Xr imagemill-run 1 ,
    .Xr imagemill-validate 1 ,
    .Xr imagemill-filters 7

    """#
}
