import ArgumentParser
import ImageBatch
import ImageDownloads
import ImageFilters
import Manifests

/// What is made, and where it goes.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("f"), .customLong("filter")],
    help: ArgumentHelp(
      "A filter chain, such as fill:100x100,circle, with fields such as {name} or a CSV's columns; given again, it is "
        + "appended.", valueName: "chain"),
    completion: CompletionWords.filters)
  var filters: [String] = []

  @Option(
    help: ArgumentHelp(
      "Output format: \(OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")); by default the output's "
        + "extension says it. same: the source's. Several, as webp,jpeg, or auto: the smallest that can hold the picture.",
      valueName: "name"),
    completion: CompletionWords.formatChoices)
  var format: String?

  @Option(help: ArgumentHelp("Encoder quality, 1 to 100.", valueName: "n"))
  var quality: String?

  @Option(
    name: .customLong("encode"),
    help: ArgumentHelp("An encoder option; see 'imagemill formats'. Repeatable.", valueName: "key=value"),
    completion: CompletionWords.encoderOptions)
  var encoderOptions: [PairArgument] = []

  @Option(
    help: ArgumentHelp("Metadata to keep: none, copyright or all.", valueName: "policy"),
    completion: .list(["none", "copyright", "all"]))
  var metadata: String?

  @Option(
    help: ArgumentHelp("Colour profile of the output: srgb, keep, or an ICC file.", valueName: "profile"),
    completion: .list(["srgb", "keep"]))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "What transparency meets in a format without it (default: white).", valueName: "colour"))
  var background: String?

  @Option(
    help: ArgumentHelp("Frames of an animation: all, first, or a number.", valueName: "frames"),
    completion: .list(["all", "first"]))
  var frames: String?

  @Option(
    help: ArgumentHelp("Orientation tag and pixels: apply (the default) or keep.", valueName: "policy"),
    completion: .list(["apply", "keep"]))
  var orient: String?

  @Option(
    help: ArgumentHelp(
      "The size to stay under, with the highest quality that does.", valueName: "size"))
  var maxOutputBytes: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "Of several formats, by how much another must be smaller than the first, such as 10%.",
      valueName: "percent"))
  var minSavings: String?

  @Option(
    name: .customLong("source"),
    help: ArgumentHelp(
      "A named source for overlay, mask and transition. Repeatable.", valueName: "name=source"))
  var namedSources: [PairArgument] = []

  @Flag(help: "Let an output replace its source, at once and whole.")
  var inPlace = false

  @Flag(help: "Keep existing files that imagemill did not write, or that were edited since.")
  var noClobber = false

  /// What an output may replace.
  var replacing: ReplacementPolicy {
    var policy = ReplacementPolicy()
    policy.allowsSources = inPlace
    policy.keepsForeignFiles = noClobber
    return policy
  }

  /// The chains given, one after the other; nil where they do nothing.
  func chain() throws -> ChainTemplate? {
    let chains = try filters.map { text in
      do throws(FilterError) {
        return try ChainTemplate(parsing: text)
      } catch {
        throw Complaint(.usage, Self.pointed(text, at: error.offset, error.message))
      }
    }
    do throws(FilterError) {
      let chain = try ChainTemplate(chains)
      return chain.isEmpty ? nil : chain
    } catch {
      throw Complaint(.usage, "--filter: \(error.message)")
    }
  }

  /// The chains given, for one source.
  func chain(for source: ImageSource) throws -> FilterChain {
    guard let chain = try chain() else { return FilterChain() }
    do throws(FilterError) {
      return try chain.filled(for: source)
    } catch {
      throw Complaint(.usage, Self.pointed(filters.joined(separator: ","), at: error.offset, error.message))
    }
  }

  /// What the options say of the encoding.
  var encoding: EncodingSettings {
    var settings = EncodingSettings()
    settings.format = format
    settings.quality = quality
    for pair in encoderOptions { settings.options[pair.name] = pair.value }
    settings.metadata = metadata
    settings.profile = profile
    settings.background = background
    settings.frames = frames
    settings.orient = orient
    settings.maxBytes = maxOutputBytes?.bytes
    settings.minSavings = minSavings
    return settings
  }

  /// The encoding of an output whose path has this extension.
  func encoding(pathExtension: String?, chain: FilterChain) throws -> Encoding {
    do throws(EncodingError) {
      let encoding = try Encoding(resolving: encoding, pathExtension: pathExtension)
      try encoding.check(chain)
      return encoding
    } catch {
      throw Complaint(.usage, error.message + Remedies.remedy(for: error.code))
    }
  }

  /// What `overlay:NAME` and `mask:NAME` stand for.
  func sources() throws -> [String: ImageSource] {
    var result: [String: ImageSource] = [:]
    for pair in namedSources { result[pair.name] = try ImageSource(argument: pair.value) }
    return result
  }

  /// The template that `text` describes, if there is one.
  static func template(_ text: String?) throws -> OutputTemplate? {
    guard let text else { return nil }
    do throws(TemplateError) {
      return try OutputTemplate(parsing: text)
    } catch {
      throw Complaint(.usage, pointed(text, at: error.offset, error.message))
    }
  }

  /// A message with the text that it is about, and a caret under the place.
  static func pointed(_ text: String, at offset: Int?, _ message: String) -> String {
    // A text that fills the screen shows no place.
    guard text.utf8.count <= 1000 else { return message }
    guard let offset else { return "\(message)\n  \(text)" }
    let column = String(decoding: text.utf8.prefix(offset), as: UTF8.self).count
    return "\(message)\n  \(text)\n  \(String(repeating: " ", count: column))^"
  }
}

extension ImageSource {
  /// The source that a word of the command line names.
  init(argument: String) throws {
    do throws(DownloadError) {
      self = try ImageSource(parsing: argument)
    } catch {
      throw Complaint(.usage, error.message)
    }
  }
}

/// Where relative outputs go.
struct DestinationOptions: ParsableArguments {
  @Option(
    name: [.customShort("C"), .customLong("output-dir")],
    help: ArgumentHelp(
      "Outputs are inside it (default: the manifest's directory, or '.').", valueName: "dir"),
    completion: .directory)
  var outputDirectory: String?

  @Flag(help: "Let outputs and local sources lie outside their directories.")
  var allowOutside = false
}
