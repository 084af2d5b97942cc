/// imagemill-manifest(5).
enum ManifestPage {
  /// The page in mdoc(7).
  static let text = ManualPage.head("IMAGEMILL-MANIFEST", section: 5) + keys + templates + examples

  /// The settings that a manifest may have, as the end of a sentence.
  private static var settings: String {
    let names = Setting.known.ofManifests.sorted()
    return ".Ic " + names.dropLast().joined(separator: " , ") + "\nand\n.Ic " + (names.last ?? "") + " ."
  }

  private static let keys = #"""
    .Sh NAME
    .Nm imagemill-manifest
    .Nd format of manifests for imagemill
    .Sh DESCRIPTION
    A manifest lists outputs, with the sources and filters to make them from.
    It is a document or a stream.
    A document is YAML (1.2 core schema), JSON or TOML; the three have the same keys.
    A stream is a list of sources, CSV, TSV or NDJSON, with one job per line, and is read during the run.
    Files compressed with
    .Xr gzip 1
    are decompressed.
    The extension of the file name, before any
    .Pa .gz ,
    sets the format.
    For standard input and other names, the first line sets it.
    .Pp
    Manifests are checked strictly.
    Unknown keys, wrong types, unknown filters, invalid geometry, cycles of named chains, outputs with the same path,
    outputs outside their directory, and formats that contradict their extensions are found before anything starts, and
    are reported together, up to 200, with file, line and column.
    A list, table or NDJSON file is checked this way up to 16 MiB.
    Standard input, pipes and longer files are checked line by line during the run; a wrong line is a failed job.
    .Ss The manifest's keys
    .Bl -tag -width Ds
    .It Ic imagemill
    The format's version: 1.
    Required.
    .It Ic settings
    Settings of the run, its limits and its downloads, such as
    .Ql {per-host: 4, timeout: 30s} .
    The command line and the environment override them.
    If several manifests have the same setting, the value in the last manifest applies to the whole run.
    .Pp
    A manifest may have the settings
    \#(settings)
    .Xr imagemill-run 1
    describes the options of the same names.
    Output settings such as
    .Ic quality
    belong under
    .Ic defaults ;
    .Ic output-dir
    has its own key.
    A manifest can't have other settings, such as
    .Ic allow-net
    and
    .Ic quiet ;
    .Xr imagemill-config 1
    says where to set them.
    .It Ic base
    The http or https URL that relative sources are resolved against.
    A source that begins with
    .Pa ./ , ../
    or
    .Pa /
    is still a path;
    .Pa ./
    and
    .Pa ../
    are relative to the manifest's directory.
    .It Ic output-dir
    The directory of the outputs, inside the manifest's directory.
    .It Ic filters
    Named chains: a mapping of names to chains.
    They may use one another, without cycles, and can't have the name of a built-in filter.
    .It Ic sources
    Named sources, for
    .Ic overlay ,
    .Ic mask
    and
    .Ic transition .
    .It Ic defaults
    Defaults for every job and output: a job's
    .Ic placeholder , publish , priority
    and
    .Ic variables ,
    and an output's keys except
    .Ic output
    and
    .Ic matrix .
    .It Ic origins
    Settings for requests to individual origins, such as
    .Ql https://cdn.example.com :
    .Ic headers ,
    .Ic user
    .Pq Ar name Ns Li \&: Ns Ar password
    and
    .Ic max-active
    .Pq concurrent downloads from this origin; overrides Fl \-per-host .
    Only values under this key may use
    .Ql ${NAME} ,
    an environment variable that
    .Fl \-env
    allows.
    .It Ic jobs
    The jobs, in order.
    A job that has an output of another job as its source, fallback image or overlay waits for that job, and fails if
    that output fails.
    It waits only for paths that are known before the run, not for those with
    .Ql {hash} ,
    .Ql {width}
    or other fields of the image.
    Rows of
    .Ic from
    and lines of lists up to 16 MiB do so too if all manifests have up to 20,000 jobs.
    Lines of standard input and of longer lists don't wait, and no job waits for them.
    With
    .Fl \-in-place ,
    a job that replaces its own source waits for the other jobs that read it.
    Jobs that wait for each other are an error.
    .El
    .Ss A job's keys
    .Bl -tag -width Ds
    .It Ic source
    An http or https URL, an S3 URL such as
    .Ql s3://bucket/key ,
    a file URL, a data URL or a path; or a list of them, which are tried in order.
    Without
    .Ic base ,
    a path is relative to the manifest's directory and must lie inside it, unless
    .Fl \-allow-outside
    is given.
    .It Ic from
    A CSV, TSV or NDJSON file, a list, or a pattern such as
    .Pa photos/**/*.jpg :
    the job becomes one job for each row.
    See
    .Sx ROWS .
    .It Ic where
    Columns of
    .Ic from ,
    each with a value or a list of values.
    Only rows that match every one of these columns become jobs.
    .It Ic output , outputs
    One output, or a list of them.
    .It Ic sha256
    The SHA-256 of the source.
    A source with other content is refused, and not cached.
    .It Ic placeholder
    The fallback image: the source to use if every other source fails.
    Its use is reported.
    .It Ic publish
    .Cm best
    treats a list of sources as alternatives (the default).
    .Cm progressive
    treats the list as versions, worst first.
    If the output doesn't exist yet, each version is written when it arrives, unless a better one has arrived.
    An existing output, such as that of an earlier run, is replaced once, by the best version that arrives.
    .It Ic priority
    The priority of pending downloads; the highest starts first (default: 0).
    .It Ic variables
    A mapping of names to values, which are fields in templates and chains.
    .El
    .Pp
    A job may also have any of an output's keys; they apply to all of its outputs.
    .Ss \&An output's keys
    .Bl -tag -width Ds
    .It Ic output
    The template of the output's path; see
    .Sx TEMPLATES .
    .It Ic filter
    A chain: a string, or a list of strings and mappings such as
    .Ql {fit: {size: 800x600}} .
    It may use the fields of a matrix, of
    .Ic variables
    and of a table's columns, and the source's
    .Li {name} , {host} , {dir}
    and
    .Li {path} ,
    as in
    .Ql text:{sku} .
    The value of a column or a variable can't add a filter or an argument.
    These rules also apply to
    .Fl f
    on the command line.
    .It Ic format , quality , encode
    The format, its quality, and the options of its encoder; see
    .Xr imagemill-formats 1 .
    The template's extension overrides a default format.
    A format set for the output itself must agree with the extension.
    For a list of formats, such as
    .Li [avif, webp, jpeg] ,
    the smallest file among the formats that can hold the image's size, frames and transparency is written.
    .Cm auto
    means jpeg, png and webp.
    .Cm same
    is the source's own format; it is an error if that format can't be written.
    With a list,
    .Cm auto
    or
    .Cm same ,
    the path must have the field
    .Li {ext}
    or
    .Li {format} .
    .It Ic metadata
    .Cm none , copyright
    or
    .Cm all
    (default:
    .Cm copyright ) .
    GPS positions are kept only with
    .Cm all .
    .It Ic profile
    .Cm srgb
    converts the colors to sRGB and embeds no profile (the default).
    .Cm keep
    keeps the colors and the profile of the source if that is RGB or gray, the format holds profiles (GIF doesn't), and no filter depends on colors.
    The only filters that don't depend on colors are
    .Cm mask , opacity , flatten ,
    and those of the sections Resizing (except
    .Cm trim ) ,
    Shape and Orientation in
    .Xr imagemill-filters 7 .
    Otherwise, such as for a CMYK source, or after
    .Cm sepia , grayscale , invert , blur , text
    or
    .Cm overlay ,
    .Cm keep
    is the same as
    .Cm srgb .
    The path of an ICC file, of at most 32 MiB, converts the colors to that profile, which must be for RGB, and embeds it.
    .It Ic background
    The background for transparent pixels if the format has no alpha (default: white).
    .It Ic frames
    The frames of an animation to keep:
    .Cm all , first ,
    or
    .Ar n
    for the first
    .Ar n
    frames (default:
    .Cm all ) .
    .It Ic transition
    Makes the output a WebP or GIF animation from another image to the chain's result: a mapping with
    .Ic from
    .Pq a named source, a path or a URL, or the word Cm placeholder , No which means the job's fallback image ,
    .Ic kind
    .Pq Cm crossdissolve , flip-left , flip-right , flip-top No or Cm flip-bottom ,
    .Ic duration
    .Pq default: Li 400ms
    and
    .Ic fps
    .Pq default: 30 .
    .It Ic markup
    Details of the markup that
    .Fl \-emit
    writes for the image: a mapping with
    .Bl -tag -width Ds -compact
    .It Ic alt
    The alternative text, which may use fields (default: the variable
    .Li alt ) .
    .It Ic sizes
    The value of the
    .Li sizes
    attribute.
    .It Ic loading
    The value of the
    .Li loading
    attribute:
    .Cm lazy
    or
    .Cm eager .
    .It Ic url\-prefix
    The beginning of the URLs, before the path in the output directory.
    .It Ic placeholder
    The background until the image is loaded:
    .Cm none , color
    or
    .Cm image .
    .It Ic template
    HTML with the fields
    .Li {picture} , {img} , {sources} , {src} , {srcset} , {sizes} , {width} , {height} , {alt} , {loading} , {style} , {type} , {source}
    and the job's variables.
    Every value is escaped for HTML.
    .El
    .It Ic orient
    .Cm apply
    applies the orientation tag to the pixels (the default).
    .Cm keep
    keeps the tag and leaves the pixels unchanged.
    Formats that can't hold the tag (AVIF, HEIC, JPEG XL, GIF) get upright pixels.
    .It Ic max-bytes
    The maximum size of the output.
    The highest quality that fits is used, at most
    .Ic quality
    (default: 100).
    Same as
    .Fl \-max\-output\-bytes .
    .Fl \-max\-bytes
    and the setting
    .Ic max-bytes
    limit sources.
    .It Ic min-savings
    For a list of formats: use a later format only if its file is at least this much smaller than the first, such as
    .Li 10% .
    .It Ic matrix
    A mapping of names to lists of values; one output is made for each combination.
    The names are fields in the template, the filter, the format and the quality.
    .El

    """#
}
