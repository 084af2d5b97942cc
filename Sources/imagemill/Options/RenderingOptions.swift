import ArgumentParser
import ImageBatch
import ImageDownloads
import ImageFilters
import Reports
import SystemIO
import Vips
import ImageRendering

/// Limits for sources.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Refuse sources with more pixels than this.", valueName: "n"))
  var maxPixels = 268_402_689

  @Option(help: ArgumentHelp("Refuse sources with more frames than this.", valueName: "n"))
  var maxFrames = 1000

  @Option(
    help: ArgumentHelp(
      "Also read these formats, such as svg or pdf; 'imagemill formats' lists them. Repeatable.",
      valueName: "list"),
    completion: .list(FormatSupport.readableOnRequest))
  var allowFormat: [String] = []

  @Option(
    help: ArgumentHelp(
      "Also accept sources with this content type, such as image/x-foo. Repeatable.", valueName: "type"))
  var acceptType: [String] = []

  @Option(
    help: ArgumentHelp("Fail on a corrupt source, or warn and use its readable part.", valueName: "fail|warn")
  )
  var onCorrupt = CorruptArgument.fail

  @Option(
    help: ArgumentHelp(
      "Memory for decoding and rendering, shared by all worker processes (default: half of the machine's memory). Each process may allocate up to 256 MiB more, and what its libraries take.",
      valueName: "size"))
  var memory: SizeArgument?

  func validate() throws {
    for (name, value) in [("--max-pixels", maxPixels), ("--max-frames", maxFrames)] where value < 1 {
      throw ValidationError("\(name) must be 1 or more, not \(value)")
    }
    if let memory, memory.bytes < 1 << 20 {
      throw ValidationError("--memory must be 1MiB or more, not \(memory.defaultValueDescription)")
    }
    for word in Self.words(allowFormat) where Self.format(word) == nil {
      let names = FormatSupport.readableOnRequest
      throw ValidationError(
        "--allow-format takes \(names.joined(separator: ", ")); not '\(word)'"
          + NearestName.suggestion(for: word, among: names))
    }
    for type in Self.words(acceptType) where !ContentTypes.isType(type) {
      throw ValidationError("--accept-type must be a type and subtype such as image/x-foo, not '\(type)'")
    }
  }

  /// The content types that a source may have: those of the readable formats and of `--accept-type`.
  var contentTypes: Set<String> {
    let formats = Self.words(allowFormat).compactMap(Self.format)
    return ContentTypes.images.union(formats.flatMap(ContentTypes.types(of:)))
      .union(Self.words(acceptType).map { $0.lowercased() })
  }

  /// The format that a word of `--allow-format` names. One that is read by default may be named too.
  private static func format(_ word: String) -> ImageFormat? {
    word.lowercased() == "heif" ? .heic : ImageFormat(rawValue: word.lowercased())
  }

  /// The words of a list option, which may be repeated, or separated by commas or spaces.
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

  /// The policy for corrupt sources.
  var corruptPolicy: CorruptPolicy { onCorrupt == .fail ? .fail : .warn }
}

enum CorruptArgument: String, ExpressibleByArgument, CaseIterable {
  case fail, warn
}

/// Options for batches.
struct BatchOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "Maximum concurrent renderings (default: the number of available CPUs).", valueName: "n"))
  var jobs: Int?

  @Option(help: ArgumentHelp("Time limit for rendering one job.", valueName: "dur"))
  var jobTimeout = DurationArgument(BatchSettings().jobTimeout)

  @Option(
    help: ArgumentHelp(
      "Restrictions of worker processes: auto uses what the kernel supports, strict fails unless the kernel has seccomp and "
        + "Landlock, off sets none.",
      valueName: "auto|strict|off"))
  var sandbox = SandboxArgument.auto

  @Flag(help: "Stop starting jobs after the first failure.")
  var failFast = false

  @Option(help: ArgumentHelp("Stop starting jobs after this many failures.", valueName: "n"))
  var maxFailures: Int?

  @Flag(
    help:
      "Render outputs even if they are up to date. A file that already has the same bytes is not rewritten.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "Keep filtered images (renditions) for later runs; auto keeps those that take longer to render than to read.",
      valueName: "auto|always|never"))
  var cacheIntermediates = IntermediatesArgument.auto

  @Option(
    help: ArgumentHelp(
      "Progress display on standard error.", valueName: "auto|bar|plain|none"))
  var progress = ProgressArgument.auto

  @Option(
    name: .customLong("report"),
    help: ArgumentHelp(
      "Write a report: .json, .ndjson, .xml (JUnit) or .html; '-' writes NDJSON to standard output (not with pipe). Repeatable.",
      valueName: "file"),
    completion: .file(extensions: ["json", "ndjson", "xml", "html"]))
  var reports: [String] = []

  @Option(
    name: .customLong("compare"),
    help: ArgumentHelp(
      "In the .html report, show what has changed since the run of this .json or .ndjson report.",
      valueName: "report"),
    completion: .file(extensions: ["json", "ndjson"]))
  var comparedReport: String?

  @Option(
    name: .customLong("emit"),
    help: ArgumentHelp(
      "Write markup for each job's outputs; the kind is srcset, picture or json. Repeatable.",
      valueName: "kind=file"),
    completion: .list(MarkupFormat.allCases.map { "\($0.rawValue)=" }))
  var emissions: [EmissionArgument] = []

  @Option(
    name: .customLong("metrics"),
    help: ArgumentHelp(
      "Write metrics in the Prometheus text format every ten seconds and at the end, for node_exporter's textfile "
        + "collector.",
      valueName: "file"), completion: .file(extensions: ["prom"]))
  var metrics: String?

  @Flag(help: "Add placeholders to results: dominant color, BlurHash, ThumbHash and a tiny data URI.")
  var placeholders = false

  @Option(
    name: .customLong("events"),
    help: ArgumentHelp(
      "Write events as they happen, one JSON object per line; '-' is standard output (not with pipe).",
      valueName: "file"),
    completion: .file())
  var events: String?

  @Flag(name: [.short, .long], help: "Print only failures.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Print every download and the outcome of every output.")
  var verbose = false

  func validate() throws {
    if let mistake = standardOutputMistake { throw ValidationError(mistake) }
    do throws(ReportError) {
      for path in reports where !path.isEmpty { _ = try ReportFormat(path: path) }
    } catch {
      throw ValidationError(error.message)
    }
    if comparedReport != nil, !reports.contains(where: BatchSettings.isPage) {
      throw ValidationError("--compare needs --report FILE.html, which shows the comparison")
    }
    if quiet && verbose { throw ValidationError("--quiet and --verbose can't be used together") }
    if let refusal = sandbox.refusal(missing: WorkerSandbox.missing) { throw ValidationError(refusal) }
    if jobTimeout.duration <= .zero { throw ValidationError("--job-timeout must be more than 0") }
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be 1 or more, not \(jobs)") }
    if let maxFailures, maxFailures < 1 {
      throw ValidationError(
        "--max-failures must be 1 or more, not \(maxFailures); --fail-fast stops after the first")
    }
  }

  /// The options that write to standard output.
  var standardOutputOwners: [String] {
    reports.filter { $0 == "-" }.map { _ in "--report" }
      + emissions.filter { $0.path == "-" }.map { _ in "--emit" }
      + (events == "-" ? ["--events"] : []) + (metrics == "-" ? ["--metrics"] : [])
  }

  /// What is wrong if several options write to standard output.
  private var standardOutputMistake: String? {
    let owners = standardOutputOwners
    guard owners.count > 1 else { return nil }
    if Set(owners).count == 1 {
      return "several \(owners[0]) write to standard output; name a file for each but one"
    }
    guard owners.count == 2 else {
      return "\(owners.joined(separator: ", ")) all write to standard output; name a file for each but one"
    }
    return
      "\(owners.joined(separator: " and ")) both write to standard output; name a file for one of them"
  }

  /// The settings that the options describe.
  var settings: BatchSettings {
    var settings = BatchSettings()
    if let jobs { settings.slots = jobs }
    settings.jobTimeout = jobTimeout.duration
    settings.sandbox = sandbox.sandbox
    settings.failureLimit = failFast ? 1 : maxFailures
    settings.force = force
    settings.renditions = cacheIntermediates.policy
    settings.progress = quiet ? .none : progress
    settings.extent = quiet ? .failures : verbose ? .everything : .usual
    settings.reports = reports
    settings.comparedReport = comparedReport
    settings.emissions = emissions
    settings.metrics = metrics
    settings.placeholders = placeholders
    settings.events = events
    settings.standardOutputOwners = standardOutputOwners
    return settings
  }
}

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
