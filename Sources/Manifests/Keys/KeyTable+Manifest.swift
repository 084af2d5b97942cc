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
      Key("base", .text, "What a source without a scheme is resolved against: a URL that ends with '/'."),
      Key("output-dir", .text, "Where outputs go, inside the manifest's directory."),
      Key("filters", .names(.chain), "Named chains; they may use one another, not in a circle."),
      Key("sources", .names(.text), "Named sources, for overlays, masks and transitions."),
      Key("defaults", .object(.defaults), "What every job and output starts from."),
      Key(
        "origins", .names(.object(.origin)),
        "Settings for what is fetched from one origin, and from no other."),
      Key("jobs", .list(.object(.job)), "The work.", isRequired: true, need: "the list of what to make"),
    ])

  /// `defaults`.
  static let defaults = KeyTable(title: "'defaults'", keys: jobSettings + outputSettings)

  /// A member of `origins`.
  static let origin = KeyTable(
    title: "an origin",
    keys: [
      Key("headers", .names(.scalar), "Request headers. ${NAME} is filled from an allowed variable."),
      Key(
        "user", .text, "NAME:PASSWORD for basic authentication. ${NAME} is filled from an allowed variable."),
      Key("max-active", .scalar, "The number of downloads at once, from 1."),
    ])

  /// A member of `jobs`.
  static let job = KeyTable(
    title: "a job",
    keys: [
      Key(
        "from", .text,
        "A CSV, TSV or NDJSON file, a list, or a pattern such as photos/**/*.jpg: a job for each row, whose columns are "
          + "variables."),
      Key(
        "where", .names(.scalarOrList), "Columns of 'from' with a value or several: only rows that have them."
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
        "source", .textOrList, "A URL or path, or several, tried in order.", isRequired: true,
        need: "a URL or path, or a list of them"),
      Key("sha256", .text, "64 hexadecimal digits: the source is refused if its bytes differ."),
    ] + jobSettings + [
      Key("outputs", .list(.object(.output)), "What is made of the source, where it is more than one thing.")
    ] + output.keys)

  /// A member of `outputs`.
  static let output = KeyTable(
    title: "an output",
    keys: [Key("output", .text, "The path, a template such as '{name}-{width}.{ext}'.")] + outputSettings + [
      Key("matrix", .names(.list(.scalar)), "Names with lists of values: one output for each combination.")
    ])

  private static let jobSettings = [
    Key("placeholder", .text, "The source that stands in, and is reported, when every source fails."),
    Key(
      "publish", .choice(["best", "progressive"]),
      "How several sources are used: as alternatives (best, the default), or as versions of rising quality, each "
        + "published when it is there (progressive)."),
    Key("priority", .scalar, "A whole number: higher goes first among pending downloads."),
    Key("variables", .names(.scalar), "Names with values for the output's template."),
  ]

  /// `transition`: its keys are the parameters of the filter of that name.
  static let transition = KeyTable(
    title: "'transition'",
    keys: (FilterTable.definition(named: "transition")?.parameters ?? []).map { parameter in
      let form: KeyForm = if case .choice(let words) = parameter.type { .choice(words) } else { .scalar }
      let summary =
        parameter.name == "from"
        ? "'placeholder', the job's own, or a named source, a path or a URL."
        : "\(parameter.summary): \(parameter.type.summary) (\(parameter.defaultText ?? ""))."
      return Key(parameter.name, form, summary, isRequired: parameter.isRequired)
    })

  /// `markup`.
  static let markup = KeyTable(
    title: "'markup'",
    keys: [
      Key("alt", .scalar, "The text that stands for the picture, with fields (default: the variable 'alt')."),
      Key("sizes", .scalar, "HTML's 'sizes' (default: as wide as the window, never wider than the largest)."),
      Key("loading", .choice(Markup.Loading.allCases.map(\.rawValue)), "HTML's 'loading'."),
      Key(
        "url-prefix", .scalar,
        "The beginning of the URLs, before the output's path (default: URLs relative to the page)."),
      Key(
        "placeholder", .choice(Markup.Placeholder.allCases.map(\.rawValue)),
        "The picture's background until it is there: its dominant color, or a tiny image."),
      Key(
        "template", .text,
        "HTML of one's own, with the fields "
          + MarkupTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ") + "."),
    ])

  private static let outputSettings = [
    Key("filter", .chain, "The chain of filters."),
    Key(
      "transition", .object(.transition),
      "Makes the output an animation, webp or gif, from another picture to what the chain makes."),
    Key(
      "format", .textOrList,
      "The format, where the extension doesn't say it: jpeg, png, webp, avif, …; same for the source's; several, or "
        + "auto, for the smallest that can hold the picture."),
    Key("quality", .scalar, "1 to 100."),
    Key("encode", .names(.scalar), "The format's other options."),
    Key(
      "metadata", .choice(["none", "copyright", "all"]),
      "The source's metadata to keep (default: copyright)."),
    Key("profile", .text, "srgb, keep, or the path of an ICC file."),
    Key("background", .text, "The colour that alpha is flattened on where the format has none."),
    Key("frames", .scalar, "all, first, or a number."),
    Key(
      "min-savings", .scalar,
      "Of several formats: by how many percent another must be smaller than the first, such as 10%."),
    Key("orient", .choice(["apply", "keep"]), "keep leaves the orientation tag and the pixels as they are."),
    Key("markup", .object(.markup), "What markup says of the image."),
    Key("max-bytes", .scalar, "The size to stay under: a number of bytes, or a size such as 200kB."),
  ]
}
