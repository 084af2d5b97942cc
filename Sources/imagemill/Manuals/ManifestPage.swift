/// imagemill-manifest(5).
enum ManifestPage {
  /// The page in mdoc(7).
  static let text = ManualPage.head("IMAGEMILL-MANIFEST", section: 5) + keys + templates + examples

  private static let keys = #"""
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

    """#
}
