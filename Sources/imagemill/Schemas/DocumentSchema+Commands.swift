/// The documents of commands other than batches.
extension DocumentSchema {
  /// Every document that the program prints or writes, except the manifest, which it reads.
  static let all = batches + commands + cache

  /// The schema with a name; nil for other names.
  static func named(_ name: String) -> DocumentSchema? { all.first { $0.name == name } }

  private static let commands: [DocumentSchema] = [
    DocumentSchema(
      "plan", "The output of 'plan --json'.",
      [
        .required(
          "totals",
          .object(
            [
              "jobs", "outputs", "sources", "downloads", "revalidations", "decodes", "filters", "renderings",
            ].map { .required($0, .integer) } + [
              .required("actions", .map(.integer), "The number of outputs by action."),
              .required("isExact", .flag, "Whether the totals are exact rather than lower bounds."),
            ])),
        .required(
          "outputs",
          .list(
            .object([
              .required("index", .integer), .required("source", .text), .optional("output", .text),
              .required("action", .text), .required("reason", .text), .required("filter", .text),
              .required("format", .text), .optional("sha256", .digest, "The source's digest."),
              .optional("key", .text), .optional("location", location),
            ]))),
        .required(
          "longRenderings",
          .list(
            .object([
              .required("source", .text), .required("seconds", .number, "A coarse estimate."),
              .required("limit", .number, "The value of --job-timeout in seconds."),
            ])), "Sources whose outputs may take longer than the time limit."),
      ]),
    DocumentSchema(
      "inspect", "A line of 'inspect --json'.",
      [
        .required("source", .text), .required("format", .text), .required("width", .integer),
        .required("height", .integer), .required("orientation", .integer), .required("frames", .integer),
        .optional("delays", .list(.integer), "Milliseconds, one for each frame."),
        .optional("loop", .integer), .optional("profile", .text), .required("colorSpace", .text),
        .required("bands", .integer), .required("depth", .integer), .required("hasAlpha", .flag),
        .required("alphaUsed", .flag), .required("progressive", .flag),
        .required("memory", .integer, "Bytes that decoding needs."), .required("bytes", .integer),
        .required("sha256", .digest), .required("exif", .map(.text)), .required("warnings", .list(.text)),
        .optional("placeholders", placeholders),
      ]),
    DocumentSchema(
      "fetch", "A line of 'fetch --json'.",
      alternatives: [
        [
          .required("url", .text), .required("status", .integer), .required("reason", .text),
          .required("headers", .list(.list(.text)), "Pairs of a name and a value, in order."),
          .required("cache", .words(["miss", "hit", "revalidated", "stale", "bypass"])),
          .optional("body_base64", .text),
        ],
        [.required("url", .text), .required("error", error, "Why there is no response.")],
      ]),
    DocumentSchema(
      "ls", "A line of 'ls --json'.",
      [
        .required("source", .text, "The object's address, which other commands take."),
        .optional("bytes", .integer), .optional("modified", .text, "The time of the last change."),
        .optional("etag", .text, "The entity tag, with its quotes."),
      ]),
    DocumentSchema(
      "config", "The output of 'config --json'.",
      [
        .required(
          "settings",
          .list(
            .object([
              .required("name", .text), .required("variable", .text), .required("values", .list(.text)),
              .required("origin", .words(SettingsLayer.Origin.allCases.map(\.rawValue))),
              .optional("location", location),
            ])))
      ]),
    DocumentSchema(
      "doctor", "The output of 'doctor --json'.",
      [
        .required("imagemill", .text, "The program's version."),
        .required(
          "system",
          .object([.required("name", .text), .required("kernel", .text), .required("architecture", .text)])),
        .required("libvips", .object([.required("version", .text), .required("libraries", .list(.text))])),
        .required(
          "libcurl",
          .object([
            .required("version", .text), .optional("tls", .text), .required("http2", .flag),
            .required("encodings", .list(.text)), .required("protocols", .list(.text)),
            .required("certificates", .list(.text)),
          ])),
        .required(
          "formats",
          .object(["read", "readOnRequest", "written", "missing"].map { .required($0, .list(.text)) })),
        .required(
          "processors",
          .object([.required("online", .integer), .optional("quota", .number), .required("slots", .integer)])),
        .required(
          "memory",
          .object([
            .required("installed", .integer), .optional("limit", .integer), .required("rendering", .integer),
          ])),
        .required("sandbox", .text),
        .optional("openFiles", .object([.required("now", .integer), .required("most", .integer)])),
        .optional(
          "cache",
          .object([
            .required("directory", .text), .required("exists", .flag), .required("writable", .flag),
            .optional("bytes", .integer), .optional("objects", .integer), .required("capacity", .integer),
            .optional("free", .integer), .required("index", .text),
          ])),
        .required(
          "temporary",
          .object([.required("directory", .text), .required("writable", .flag), .optional("free", .integer)])),
        .required("environment", .map(.text)),
        .required(
          "findings",
          .list(
            .object([
              .required("isBroken", .flag), .required("problem", .text), .required("remedy", .text),
            ]))),
      ]),
  ]

  private static let cache: [DocumentSchema] = [
    DocumentSchema(
      "cache-stats", "The output of 'cache stats --json'.",
      ["objects", "bytes", "responses", "outputs", "renditions", "files", "renditionBytes"].map {
        .required($0, .integer)
      } + [
        .required(
          "savings",
          .map(
            .object([
              .required("hits", .integer), .required("bytes", .integer), .required("seconds", .number),
            ])))
      ]),
    DocumentSchema(
      "cache-list", "The output of 'cache list --json'.",
      [
        .required(
          "objects",
          .list(
            .object([
              .required("sha256", .digest), .required("bytes", .integer),
              .required("lastUsed", .number, "Seconds since 1970."), .required("urls", .list(.text)),
              .required("outputs", .integer),
            ])))
      ]),
    DocumentSchema(
      "cache-explain", "The output of 'cache explain --json'.",
      [
        .required("output", .text), .required("state", .text), .required("manifest", .text),
        .required("key", .text), .required("today", .text, "What a run would do."),
        .optional(
          "recipe",
          .object([
            .required("source", .text), .required("sha256", .digest), .required("filter", .text),
            .required("encoding", .text), .required("engine", .text), .required("auxiliary", .map(.digest)),
          ])),
        .required(
          "differences",
          .list(
            .object([.required("part", .text), .required("before", .text), .required("now", .text)]))),
      ]),
  ]
}
