import ArgumentParser
import ImageBatch
import ImageDownloads
import Reports
import Vips

/// What a source may be.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Refuse a source with more pixels.", valueName: "n"))
  var maxPixels = 268_402_689

  @Option(help: ArgumentHelp("Refuse a source with more frames.", valueName: "n"))
  var maxFrames = 1000

  @Option(
    help: ArgumentHelp(
      "Formats beyond the safe ones to read: svg, pdf, jxl, … Repeatable, or a list.", valueName: "list"),
    completion: .list(FormatSupport.readableOnRequest))
  var allowFormat: [String] = []

  @Option(
    help: ArgumentHelp(
      "A further content type that a source may have, such as image/x-foo. Repeatable.", valueName: "type"))
  var acceptType: [String] = []

  @Option(help: ArgumentHelp("How to treat a corrupt source: fail or warn.", valueName: "policy"))
  var onCorrupt = CorruptArgument.fail

  @Option(
    help: ArgumentHelp(
      "Memory for rendering, shared by the workers (default: half the machine's).", valueName: "size"))
  var memory: SizeArgument?

  func validate() throws {
    for (name, value) in [("--max-pixels", maxPixels), ("--max-frames", maxFrames)] where value < 1 {
      throw ValidationError("\(name) is 1 or more, not \(value)")
    }
    for type in Self.words(acceptType) where !ContentTypes.isType(type) {
      throw ValidationError("--accept-type takes a type and subtype such as image/x-foo, not '\(type)'")
    }
  }

  /// The content types that a source may have: those of the formats that are read, and those that were added.
  var contentTypes: Set<String> {
    let formats = Self.words(allowFormat).compactMap { word in
      word.lowercased() == "heif" ? .heic : ImageFormat(rawValue: word.lowercased())
    }
    return ContentTypes.images.union(formats.flatMap(ContentTypes.types(of:)))
      .union(Self.words(acceptType).map { $0.lowercased() })
  }

  /// The words of a list option, which may be repeated or separated by commas.
  static func words(_ values: [String]) -> [String] {
    values.flatMap { $0.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init) }
  }

  /// The limits for one of `slots` workers.
  func limits(slots: Int) -> RenderLimits {
    var limits = RenderLimits()
    limits.maxPixels = maxPixels
    limits.maxFrames = maxFrames
    limits.allowedFormats = Set(Self.words(allowFormat).map { $0.lowercased() })
    limits.memory = totalMemory / max(1, slots)
    return limits
  }

  /// Memory for all workers together, in bytes.
  var totalMemory: Int { memory?.bytes ?? Machine.memory / 2 }

  /// How a corrupt source is treated.
  var corruptPolicy: CorruptPolicy { onCorrupt == .fail ? .fail : .warn }
}

/// `fail` or `warn`.
enum CorruptArgument: String, ExpressibleByArgument, CaseIterable {
  case fail, warn
}

/// How a batch goes on.
struct BatchOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Rendering slots (default: the CPUs available).", valueName: "n"))
  var jobs: Int?

  @Option(help: ArgumentHelp("For rendering one job.", valueName: "dur"))
  var jobTimeout = DurationArgument(BatchSettings().jobTimeout)

  @Flag(help: "Stop starting jobs at the first failure.")
  var failFast = false

  @Option(help: ArgumentHelp("Stop starting jobs after so many failures.", valueName: "n"))
  var maxFailures: Int?

  @Flag(help: "Make and write again what is up to date.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "Which filtered pictures are kept for later runs: auto (those that cost more to make than to read), always or never.",
      valueName: "policy"))
  var cacheIntermediates = IntermediatesArgument.auto

  @Option(
    help: ArgumentHelp(
      "What progress looks like on standard error: auto, bar, plain or none.", valueName: "kind"))
  var progress = ProgressArgument.auto

  @Option(
    name: .customLong("report"),
    help: ArgumentHelp(
      "Write a report; .json, .ndjson, .xml (JUnit) or .html; '-' is NDJSON on standard output. Repeatable.",
      valueName: "file"),
    completion: .file(extensions: ["json", "ndjson", "xml", "html"]))
  var reports: [String] = []

  @Option(
    name: .customLong("emit"),
    help: ArgumentHelp(
      "Write markup for the outputs of matrices: srcset, picture or json. Repeatable.", valueName: "kind=file"
    ),
    completion: .list(MarkupFormat.allCases.map { "\($0.rawValue)=" }))
  var emissions: [EmissionArgument] = []

  @Option(
    name: .customLong("metrics"),
    help: ArgumentHelp(
      "Write metrics in Prometheus' text format every ten seconds and at the end, for node_exporter's textfile collector.",
      valueName: "file"), completion: .file(extensions: ["prom"]))
  var metrics: String?

  @Flag(help: "Results carry placeholders: dominant colour, BlurHash, ThumbHash and a tiny data URI.")
  var placeholders = false

  @Option(
    name: .customLong("events"),
    help: ArgumentHelp(
      "Write events as they happen, one JSON object a line ('-': standard output).", valueName: "file"),
    completion: .file())
  var events: String?

  @Flag(name: [.short, .long], help: "Say nothing but failures.")
  var quiet = false

  @Flag(name: [.short, .long], help: "List the downloads and the outcome of every output.")
  var verbose = false

  func validate() throws {
    let owners = standardOutputOwners
    if owners.count > 1 {
      throw ValidationError(
        "\(owners.joined(separator: " and ")) both want standard output; name a file for one of them")
    }
    if quiet && verbose { throw ValidationError("--quiet and --verbose are opposites; ask for one") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs is 1 or more, not \(jobs)") }
    if let maxFailures, maxFailures < 1 {
      throw ValidationError("--max-failures is 1 or more, not \(maxFailures); --fail-fast stops at the first")
    }
  }

  /// The options that write to standard output.
  var standardOutputOwners: [String] {
    reports.filter { $0 == "-" }.map { _ in "--report" }
      + emissions.filter { $0.path == "-" }.map { _ in "--emit" }
      + (events == "-" ? ["--events"] : []) + (metrics == "-" ? ["--metrics"] : [])
  }

  /// How the batch goes on.
  var settings: BatchSettings {
    var settings = BatchSettings()
    if let jobs { settings.slots = jobs }
    settings.jobTimeout = jobTimeout.duration
    settings.failureLimit = failFast ? 1 : maxFailures
    settings.force = force
    settings.renditions = cacheIntermediates.policy
    settings.progress = quiet ? .none : progress
    settings.extent = quiet ? .failures : verbose ? .everything : .usual
    settings.reports = reports
    settings.emissions = emissions
    settings.metrics = metrics
    settings.placeholders = placeholders
    settings.events = events
    settings.standardOutputOwners = standardOutputOwners
    return settings
  }
}

/// `auto`, `bar`, `plain` or `none`.
enum ProgressArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, bar, plain, none
}

/// `KIND=FILE`, as in `picture=hero.html`.
struct EmissionArgument: ExpressibleByArgument {
  let format: MarkupFormat
  let path: String

  init?(argument: String) {
    guard let pair = PairArgument(argument: argument), let format = MarkupFormat(rawValue: pair.name) else {
      return nil
    }
    self.format = format
    path = pair.value
  }
}

/// `auto`, `always` or `never`.
enum IntermediatesArgument: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never

  var policy: RenditionPolicy {
    switch self {
    case .auto: .auto
    case .always: .always
    case .never: .never
    }
  }
}
