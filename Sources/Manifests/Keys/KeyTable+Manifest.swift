import ImageBatch
import ImageFilters

extension KeyTable {
  /// The whole document.
  static let manifest = KeyTable(
    title: "a manifest",
    keys: [
      Key(
        "imagemill", .scalar, "The format's version: 1.", isRequired: true,
        need: "the format's version, which is 1"),
      Key(
        "settings", .names(.scalarOrList),
        "Settings of the run, its limits and its downloads, such as {per-host: 4, timeout: 30s}; the command line and "
          + "the environment override them."),
      Key("base", .text, "The base URL of sources without a scheme; it should end with '/'."),
      Key("output-dir", .text, "The directory of the outputs, inside the manifest's directory."),
      Key("filters", .names(.chain), "Named chains; they may use one another, without cycles."),
      Key("sources", .names(.text), "Named sources, for overlays, masks and transitions."),
      Key("defaults", .object(.defaults), "Defaults for every job and output."),
      Key("origins", .names(.object(.origin)), "Settings for requests to individual origins."),
      Key("jobs", .list(.object(.job)), "The jobs, in order.", isRequired: true, need: "the list of jobs"),
    ])

  /// `defaults`.
  static let defaults = KeyTable(title: "'defaults'", keys: jobSettings + outputSettings)

  /// A member of `origins`.
  static let origin = KeyTable(
    title: "an origin",
    keys: [
      Key("headers", .names(.scalar), "Request headers; ${NAME} is an allowed environment variable."),
      Key(
        "user", .text, "NAME:PASSWORD for HTTP authentication; ${NAME} is an allowed environment variable."),
      Key("max-active", .scalar, "The maximum number of concurrent downloads, 1 or more."),
    ])

  /// A member of `jobs`.
  static let job = KeyTable(
    title: "a job",
    keys: [
      Key(
        "from", .text,
        "A CSV, TSV or NDJSON file, a list, or a pattern such as photos/**/*.jpg: one job for each row, whose columns "
          + "are variables."),
      Key(
        "where", .names(.scalarOrList),
        "Columns of 'from', each with a value or a list of values; only rows that match every column become jobs."
      ),
    ]
      + record.keys.map { key in
        key.name == "source"
          ? Key(key.name, key.form, key.summary, isRequired: true, unless: "from", need: key.need) : key
      })

  /// A line of NDJSON.
  static let record = KeyTable(
    title: "a job",
    keys: [
      Key(
        "source", .textOrList, "A URL or path, or a list of them, tried in order.", isRequired: true,
        need: "a URL or path, or a list of them"),
      Key("sha256", .text, "The source's digest, 64 hexadecimal digits; other content is refused."),
    ] + jobSettings + [
      Key("outputs", .list(.object(.output)), "The outputs, if there are several.")
    ] + output.keys)

  /// A member of `outputs`.
  static let output = KeyTable(
    title: "an output",
    keys: [Key("output", .text, "The path, a template such as '{name}-{width}.{ext}'.")] + outputSettings + [
      Key("matrix", .names(.list(.scalar)), "Names and value lists; one output for each combination.")
    ])

  private static let jobSettings = [
    Key(
      "placeholder", .text,
      "The fallback image: the source to use if every other source fails. Its use is reported."),
    Key(
      "publish", .choice(["best", "progressive"]),
      "best: sources are alternatives; progressive: they are versions, worst first, each written when it arrives "
        + "(default: best)."),
    Key(
      "priority", .scalar, "A whole number; a pending download with a higher one starts first (default: 0)."),
    Key("variables", .names(.scalar), "Names and their values, which are fields in templates and chains."),
  ]

  /// `transition`, whose keys are the parameters of the filter.
  static let transition = KeyTable(
    title: "'transition'",
    keys: (FilterTable.definition(named: "transition")?.parameters ?? []).map { parameter in
      let form: KeyForm = if case .choice(let words) = parameter.type { .choice(words) } else { .scalar }
      let summary =
        parameter.name == "from"
        ? "'placeholder' for the job's fallback image, or a named source, a path or a URL."
        : "\(parameter.summary): \(parameter.type.summary) (default: \(parameter.defaultText ?? ""))."
      return Key(parameter.name, form, summary, isRequired: parameter.isRequired)
    })

  /// `markup`.
  static let markup = KeyTable(
    title: "'markup'",
    keys: [
      Key("alt", .scalar, "The alternative text, with fields (default: the variable 'alt')."),
      Key("sizes", .scalar, "HTML's 'sizes' (default: the window's width, at most the largest image's)."),
      Key("loading", .choice(Markup.Loading.allCases.map(\.rawValue)), "HTML's 'loading'."),
      Key(
        "url-prefix", .scalar,
        "The beginning of the URLs, before the output's path (default: URLs relative to the page)."),
      Key(
        "placeholder", .choice(Markup.Placeholder.allCases.map(\.rawValue)),
        "The background until the image is loaded: its dominant color, or a tiny image."),
      Key(
        "template", .text,
        "Custom HTML, with the fields "
          + MarkupTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ") + "."),
    ])

  private static let outputSettings = [
    Key("filter", .chain, "The chain of filters."),
    Key(
      "transition", .object(.transition),
      "Makes the output a WebP or GIF animation that changes from another image to the chain's result."),
    Key(
      "format", .textOrList,
      "jpeg, png, webp, avif, …; same: the source's format; auto or a list: the smallest file that can hold the image "
        + "(default: by the extension)."),
    Key("quality", .scalar, "The encoder's quality, 1 to 100."),
    Key("encode", .names(.scalar), "The encoder's other options."),
    Key(
      "metadata", .choice(["none", "copyright", "all"]),
      "The source's metadata to keep (default: copyright)."),
    Key(
      "profile", .text,
      "The color profile: srgb, keep, or the path of an ICC file for RGB (default: srgb). keep: the source's, "
        + "if that is RGB or gray, the format holds profiles, and no filter depends on colors; else srgb."),
    Key(
      "background", .text,
      "The background for transparent pixels if the format has no alpha (default: white)."),
    Key(
      "frames", .scalar,
      "The frames of an animation to keep: all, first, or the number of frames from the first (default: all)."
    ),
    Key(
      "min-savings", .scalar,
      "With several formats: use a later one only if it is this much smaller than the first, such as 10%."),
    Key(
      "orient", .choice(["apply", "keep"]),
      "Apply the orientation tag, or keep it and leave the pixels unchanged (default: apply). Formats that "
        + "can't hold the tag (AVIF, HEIC, JPEG XL, GIF) get upright pixels."),
    Key("markup", .object(.markup), "Details of the image's markup."),
    Key(
      "max-bytes", .scalar,
      "The maximum size: a number of bytes, or a size such as 200kB. The highest quality that fits is used, at most "
        + "'quality' (default: 100)."),
  ]
}
