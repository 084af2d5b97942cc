import ArgumentParser
import Curl
import ImageBatch
import ImageDownloads
import ImageFilters
import Manifests
import ImageRendering
import SystemIO

/// Options for outputs: filters, formats and encoders.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("f"), .customLong("filter")],
    help: ArgumentHelp(
      "Filter chain, such as fill:100x100,circle; it may use fields such as {name}, and the columns of a table. "
        + "Repeatable: chains are appended.", valueName: "chain"),
    completion: CompletionWords.filters)
  var filters: [String] = []

  @Option(
    help: ArgumentHelp(
      "Output format: \(OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")); same keeps the source's "
        + "format; auto or a list such as webp,jpeg writes the smallest file among the formats that can hold the image "
        + "(default: by the extension).",
      valueName: "name"),
    completion: CompletionWords.formatChoices)
  var format: String?

  @Option(help: ArgumentHelp("Encoder quality (default: see 'imagemill formats').", valueName: "1-100"))
  var quality: String?

  @Option(
    name: .customLong("encode"),
    help: ArgumentHelp(
      "Encoder option; see 'imagemill formats'. quality=… overrides --quality. Repeatable.",
      valueName: "key=value"),
    completion: CompletionWords.encoderOptions)
  var encoderOptions: [PairArgument] = []

  @Option(
    help: ArgumentHelp("Metadata to keep (default: copyright).", valueName: "none|copyright|all"),
    completion: .list(["none", "copyright", "all"]))
  var metadata: String?

  @Option(
    help: ArgumentHelp(
      "Color profile of the output: sRGB, the source's, or an ICC file (default: srgb). keep is the same as "
        + "srgb for CMYK sources, for GIF, and after filters that depend on colors, such as sepia, blur, text "
        + "and overlay; see imagemill-manifest(5).",
      valueName: "srgb|keep|file"),
    completion: .list(["srgb", "keep"]))
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "Background for transparent pixels if the format has no alpha (default: white).", valueName: "color"))
  var background: String?

  @Option(
    help: ArgumentHelp(
      "Frames of an animation to keep: all, the first, or the first n (default: all).",
      valueName: "all|first|n"),
    completion: .list(["all", "first"]))
  var frames: String?

  @Option(
    help: ArgumentHelp(
      "Apply the orientation tag, or keep it and leave the pixels unchanged (default: apply). Formats that "
        + "can't hold the tag (AVIF, HEIC, JPEG XL, GIF) get upright pixels.",
      valueName: "apply|keep"),
    completion: .list(["apply", "keep"]))
  var orient: String?

  @Option(
    help: ArgumentHelp(
      "Maximum size of an output. The highest quality that fits is used, at most --quality (or 100, if that isn't given).",
      valueName: "size"))
  var maxOutputBytes: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "With several formats, use a later one only if its file is at least this much smaller than that of the first, such as 10%.",
      valueName: "percent"))
  var minSavings: String?

  @Option(
    name: .customLong("source"),
    help: ArgumentHelp(
      "Named source for overlay, mask and transition. Repeatable.", valueName: "name=source"))
  var namedSources: [PairArgument] = []

  @Flag(
    help: "Allow an output to replace its source, atomically. Each run applies the chain to the last result.")
  var inPlace = false

  @Flag(
    help: ArgumentHelp(
      "Keep existing files that imagemill did not write, or that were edited after it wrote them "
        + "('convert' without -o: every existing file)."))
  var noClobber = false

  @Option(
    help: ArgumentHelp(
      "safe syncs each output to the disk before it is reported; fast leaves that to the kernel.",
      valueName: "fast|safe"))
  var durability = DurabilityArgument.fast

  @Option(
    help: ArgumentHelp(
      "Header for each uploaded output, such as 'Cache-Control: max-age=86400'. Repeatable.",
      valueName: "name: value"))
  var s3Header: [String] = []

  /// The fields that the server sets, or that describe one request.
  private static let reservedFields = [
    "authorization", "host", "content-length", "transfer-encoding", "if-match", "if-none-match", "x-amz-date",
    "x-amz-content-sha256", "x-amz-security-token", "x-amz-checksum-", "x-amz-sdk-checksum-algorithm",
    "x-amz-meta-imagemill-",
  ]

  func validate() throws { try Self.validating { _ = try objectFields() } }

  /// The fields of objects.
  /// - Throws: `CommandError` for a header that isn't one, or that imagemill sets.
  func objectFields() throws -> [HeaderField] {
    let fields = try DownloadOptions.fields(s3Header, example: "--s3-header 'Cache-Control: max-age=86400'")
    for field in fields {
      let name = field.name.lowercased()
      guard !Self.reservedFields.contains(where: { $0.hasSuffix("-") ? name.hasPrefix($0) : name == $0 })
      else {
        throw CommandError(.usage, "--s3-header can't set \(field.name), which imagemill sets itself")
      }
      let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains($0) }
      let isValue = field.value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
      guard isName, isValue, !field.value.isEmpty else {
        throw CommandError(
          .usage, "--s3-header takes a name and a value in ASCII, such as 'Cache-Control: max-age=86400'")
      }
    }
    return fields
  }

  /// The files that an output may replace.
  var replacing: ReplacementPolicy {
    var policy = ReplacementPolicy()
    policy.allowsSources = inPlace
    policy.keepsForeignFiles = noClobber
    return policy
  }

  /// The chains of all `-f`, concatenated; nil if they do nothing.
  /// - Throws: `CommandError` with all mistakes in them.
  func chain() throws -> ChainTemplate? {
    let mistakes = filters.flatMap { text in
      ChainTemplate.mistakes(in: text).map {
        Self.pointed(text, at: $0.offset, SecretText.hidden(in: $0.message, about: text))
      }
    }
    try UsageMistakes(mistakes).throwIfAny()
    let chains = try filters.map { text in
      do throws(FilterError) {
        return try ChainTemplate(parsing: text)
      } catch {
        // Its mistakes are told above.
        throw CommandError(.usage, SecretText.hidden(in: error.message, about: text))
      }
    }
    do throws(FilterError) {
      let chain = try ChainTemplate(chains)
      return chain.isEmpty ? nil : chain
    } catch {
      throw CommandError(.usage, "--filter: \(error.message)")
    }
  }

  /// The concatenated chains with their fields filled in for one source.
  func chain(for source: ImageSource) throws -> FilterChain {
    guard let chain = try chain() else { return FilterChain() }
    do throws(FilterError) {
      return try chain.filled(for: source)
    } catch {
      throw CommandError(
        .usage, Self.pointed(filters.joined(separator: ","), at: error.offset, error.message))
    }
  }

  /// The encoder settings of the command line. A format without one of them is a mistake.
  var encoding: EncodingSettings {
    var settings = encoding(setBy: nil)
    for pair in encoderOptions { settings.options[pair.name] = pair.value }
    return settings
  }

  /// The encoder settings that one place sets; nil is the command line. Variables and the configuration file are for
  /// outputs of all formats, so each output ignores those that its format lacks.
  func encoding(setBy origin: SettingsLayer.Origin?) -> EncodingSettings {
    let invocation = Invocation.current
    func value<Value>(_ name: String, _ value: Value?) -> Value? {
      value != nil && invocation.origin(of: name) == origin ? value : nil
    }
    var settings = EncodingSettings()
    settings.format = value("format", format)
    settings.quality = value("quality", quality)
    settings.metadata = value("metadata", metadata)
    settings.profile = value("profile", profile)
    settings.background = value("background", background)
    settings.frames = value("frames", frames)
    settings.orient = value("orient", orient)
    settings.maxBytes = value("max-output-bytes", maxOutputBytes)?.bytes
    settings.minSavings = value("min-savings", minSavings)
    return settings
  }

  /// Sets the encoder settings for the readers of manifests and lists.
  func setEncoding(in options: inout ManifestOptions) {
    options.encoding = encoding
    options.preferredEncoding = encoding(setBy: .environment)
    options.fallbackEncoding = encoding(setBy: .config)
  }

  /// The sources of `--source`, by name.
  func sources() throws -> [String: ImageSource] {
    var result: [String: ImageSource] = [:]
    for pair in namedSources { result[pair.name] = try ImageSource(argument: pair.value) }
    return result
  }

  /// The template that `text` describes; nil without text.
  /// - Parameter outputDirectory: The directory that a relative path starts from; nil for the current one.
  static func template(_ text: String?, in outputDirectory: String? = nil) throws -> OutputTemplate? {
    guard let text else { return nil }
    if text == "-" {
      throw CommandError(
        .usage,
        "'-' isn't an output template: name files, such as '{name}.png'; 'imagemill convert SOURCE - --format png' "
          + "writes one image to standard output")
    }
    if text.isEmpty { throw CommandError(.usage, "the output is empty; name a file, such as '{name}.png'") }
    let place = Paths.isAbsolute(text) ? text : Paths.joined(outputDirectory ?? ".", text)
    if text.hasSuffix("/") || !text.contains("{") && Directory.exists(at: place) {
      let directory = text.hasSuffix("/") ? text : text + "/"
      throw CommandError(
        .usage,
        "the output '\(text)' is a directory; name a file in it, or use -o '\(directory){name}.webp'")
    }
    do throws(TemplateError) {
      let template = try OutputTemplate(parsing: text)
      guard let mistake = template.objectMistake else { return template }
      throw TemplateError(mistake, offset: 0)
    } catch {
      throw CommandError(.usage, pointed(text, at: error.offset, error.message))
    }
  }

  /// A message with the text that it is about, and a caret under the mistake.
  static func pointed(_ text: String, at offset: Int?, _ message: String) -> String {
    // In a text that fills the screen a caret points at nothing.
    guard text.utf8.count <= 1000 else { return message }
    // The caret needs every column.
    let text = SecretText.starred(in: text)
    guard let offset else { return "\(message)\n  \(text)" }
    let column = String(decoding: text.utf8.prefix(offset), as: UTF8.self).count
    return "\(message)\n  \(text)\n  \(String(repeating: " ", count: column))^"
  }
}

extension ImageSource {
  /// The source that a command line argument names.
  init(argument: String) throws {
    StandardInput.announce("the image", of: argument)
    do throws(DownloadError) {
      self = try ImageSource(parsing: argument)
    } catch {
      throw CommandError(.usage, error.message)
    }
  }
}

enum DurabilityArgument: String, ExpressibleByArgument, CaseIterable {
  case fast, safe

  var level: Durability { self == .safe ? .safe : .fast }
}
