import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests
import ImageRendering
import ObjectStorage

/// Advice on failures. The libraries' errors describe the failure; this adds the command's options.
enum Remedies {
  /// The command whose `--failed` repeats failed jobs; nil for a command without that option.
  @TaskLocal static var repeatingCommand: String?

  /// The advice for a failure; nil if no option helps.
  static func remedy(for error: JobError) -> String? {
    if error.isRecorded { return recorded(error) }
    if isAboutTemporarySpace(error) { return temporarySpace }
    switch error.reason {
    case .download(let reason): return remedy(for: reason)
    case .cache(let reason): return remedy(for: reason)
    case .status(let status):
      // Object storage says itself what to do; headers and URLs are of no help there.
      if let source = error.source, ObjectAddress.isAddress(source) { return nil }
      return remedy(forStatus: status)
    case .rendering(.nothingDecoded): return replacement(of: error)
    case .rendering(let reason): return remedy(for: reason)
    case .lockFile: return "check it, then run without --frozen to lock it"
    case nil where error.stage == .decode && [.truncated, .corrupt].contains(error.code):
      return "\(replacement(of: error)), or try --on-corrupt warn, which uses the part that can be decoded"
    case nil: return remedy(for: error.code, at: error.stage)
    }
  }

  /// The advice for a full disk that has the temporary directory, as with `--no-cache`.
  static let temporarySpace = "free some space, or set TMPDIR to a directory on another disk"

  /// Whether no space is left for a run's own temporary store.
  private static func isAboutTemporarySpace(_ error: JobError) -> Bool {
    switch error.reason {
    case .download(.cache(.noSpace)), .cache(.noSpace): DiskStore.isTemporary(placeIn: error.message)
    case .rendering(.noSpace(let directory)): DiskStore.isTemporary(placeIn: directory)
    default: false
    }
  }

  /// How to get a whole source instead of a damaged one. A cached response that was cut is used until it is stale.
  private static func replacement(of error: JobError) -> String {
    let isLocal = error.source.map { !$0.contains("://") } ?? false
    return error.code == .truncated && !isLocal ? "download it again with --refresh" : "replace it"
  }

  /// The advice for a rendering that failed for this reason.
  static func remedy(for reason: RenderError.Reason) -> String? {
    switch reason {
    case .sourcePixels(_, let frames, _):
      frames > 1
        ? "raise --max-pixels, or set frames: first (--frames first)" : "raise --max-pixels to accept it"
    case .filterPixels: "reduce the size, or raise --max-pixels"
    case .frames: "raise --max-frames, or set frames: first (--frames first)"
    case .memory: "raise --memory to accept it"
    case .time: "raise --job-timeout"
    case .unreadFormat(let name): "allow it with --allow-format \(name)"
    case .noSpace: "free some space, or choose another directory with --cache-dir"
    case .nothingDecoded: nil
    }
  }

  /// The advice for a rendering whose estimate exceeds the time limit, after a separator.
  static let ofLongRendering = "; make the source smaller, or raise --job-timeout"

  /// The advice for a failure that an earlier run recorded and this one didn't repeat.
  private static func recorded(_ error: JobError) -> String {
    let limit =
      switch error.code {
      case .timedOut, .processorTime: "raise --job-timeout; "
      case .outOfMemory: "raise --memory; "
      default: ""
      }
    return "\(limit)an earlier run recorded this failure; --force retries"
  }

  private static func remedy(for code: JobError.Code, at stage: JobError.Stage) -> String? {
    switch (code, stage) {
    case (.hostDown, _):
      repeatingCommand.map { "try again later; '\($0) --failed REPORT' repeats only the failed jobs" }
        ?? "try again later"
    case (.throttled, _): "try again later, or set --rate"
    case (.timedOut, .download): "see --timeout, --connect-timeout and --stall-timeout"
    case (.notCached, _): "run once without --offline"
    case (.outOfMemory, _): "raise --memory"
    case (.fileSize, _): "raise the limit with 'ulimit -f'"
    case (.workerKilled, _): "if the machine is out of memory, lower --memory or --jobs"
    case (.systemCallRefused, _): "if the image can be trusted, render it with --sandbox off"
    case (.outsideOutputDirectory, _): "choose another with -C, or allow it with --allow-outside"
    case (.overwritesSource, _): "write it elsewhere, or allow it with --in-place"
    default: nil
    }
  }

  /// The advice for a download that failed for this reason.
  static func remedy(for reason: DownloadError.Reason) -> String? {
    switch reason {
    case .missingFile(let path): hostHint(path)
    case .deniedHost(let pattern): "remove --deny-host '\(pattern)' to allow it"
    case .unlistedHost(let host): "add --allow-host '\(host)' to allow it"
    case .metadataService(let address): "--allow-net \(address) allows it and exposes its credentials"
    case .specialAddress(_, .loopback): "--allow-net loopback allows it"
    case .specialAddress(let address, .reserved): "--allow-net \(address) allows it"
    case .specialAddress(let address, let kind):
      "--allow-net \(kind.rawValue) or --allow-net \(address) allows it"
    case .unreadFormat(let name): "allow it with --allow-format \(name)"
    case .byteLimit: "raise --max-bytes to allow it"
    case .redirectLimit: "see --max-redirects"
    case .proxyName: "check --proxy"
    case .untrustedCertificate: "name its authority with --cacert"
    case .unreadableCertificates: "check --cacert"
    case .cache(let reason): remedy(for: reason) ?? "run with --no-cache"
    }
  }

  /// The advice for a path that looks like a URL without a scheme, such as example.com/a.jpg, or begins with `~`; nil for
  /// other paths.
  private static func hostHint(_ path: String) -> String? {
    if path.hasPrefix("~") { return "'~' is expanded only by a shell: write the whole path" }
    if path.count > 1, let quote = path.first, quote == "\"" || quote == "'", path.last == quote {
      return "a line is taken literally: remove the quotes"
    }
    if path.hasPrefix("{\"") { return "this line is JSON: read the input as NDJSON" }
    if path.contains("\\") { return "write '/' between directories" }
    if path.contains(#/^(www\.|[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(:[0-9]+)?/.+/#) {
      return "for a URL, write https://\(path)"
    }
    // A host with a port, as of a server under development.
    return path.contains(#/^[A-Za-z0-9.-]+:[0-9]+(/|$)/#) ? "for a URL, write http://\(path)" : nil
  }

  /// The advice for an argument that isn't a URL, after a separator; empty if there is none.
  static func hint(forURL argument: String) -> String { hostHint(argument).map { "; \($0)" } ?? "" }

  /// The advice for a failure of the disk store; nil if no option helps.
  /// - Parameter canDoWithout: Whether the command has `--no-cache`.
  static func remedy(for reason: CacheError.Reason, canDoWithout: Bool = true) -> String? {
    switch reason {
    case .noSpace:
      canDoWithout
        ? "free some space, choose another directory with --cache-dir, or use --no-cache and set TMPDIR"
        : "free some space, or choose another directory with --cache-dir"
    case .fileSizeLimit: "raise the limit with 'ulimit -f'"
    case .openFileLimit: "raise the limit of open files (ulimit -n)"
    case .temporaryDirectory: "set TMPDIR to a writable directory"
    case .notPermitted: "check the permissions, or choose another directory with --cache-dir"
    case .foreignDirectory: "name an empty or a new directory with --cache-dir"
    case .unusable:
      "choose another directory with --cache-dir" + (canDoWithout ? ", or run with --no-cache" : "")
    case .index: "remove it" + (canDoWithout ? ", or run with --no-cache" : "")
    case .request: nil
    }
  }

  private static func remedy(forStatus status: Int) -> String? {
    switch status {
    case 401: "credentials are required: see --user and --netrc"
    case 403: "credentials or another --header may be required"
    case 404, 410: "check the URL"
    case 407: "the proxy requires credentials: add them to the --proxy URL"
    case 429: "send fewer requests: see --rate and --per-host"
    default: nil
    }
  }

  /// The hints that name options in manifests' diagnostics.
  static var hints: ManifestHints {
    var hints = ManifestHints()
    hints.outside = ", or use --allow-outside"
    hints.variable = ": allow it with '--env {}'"
    hints.chain = "-f: "
    hints.template = "-o: "
    hints.noTemplate = "; set a template, such as -o '{name}.png'"
    hints.noQuality = ": leave out --quality"
    hints.overwrite = "; write it elsewhere, or allow it with --in-place"
    hints.nulSeparated = "; 'imagemill pipe -0' reads records that end in NUL"
    hints.image = "; 'imagemill convert' converts images"
    hints.encoding = { $0.message + remedy(for: $0.code) }
    return hints
  }

  /// The same for sources without a manifest, which would have the key `format`.
  static var hintsOfSources: ManifestHints {
    var hints = hints
    hints.encoding = { message(ofSources: $0, toStandardOutput: false) }
    return hints
  }

  /// The message of an error in an encoder setting that no manifest sets, with its remedy.
  static func message(ofSources error: EncodingSettingsError, toStandardOutput: Bool) -> String {
    guard let problem = error.problem else { return error.message + remedy(for: error.code) }
    if toStandardOutput { return "\(problem); give one, such as --format webp" }
    let endings = EncoderTable.all.compactMap(\.pathExtensions.first).map { ".\($0)" }
    return
      "\(problem); use an output name that ends in \(endings.dropLast().joined(separator: ", ")) or \(endings.last ?? ""), or give --format"
  }

  /// The advice for a file that its manifest no longer makes.
  static let removal = "'imagemill run --prune' removes it"

  /// The advice for a file that isn't an NDJSON report.
  static let wantedReport = "use a file that --report NAME.ndjson wrote"

  /// The option to append to an error about an encoder setting.
  static func remedy(for code: EncodingSettingsError.Code) -> String {
    switch code {
    case .noFormat: " (--format)"
    case .singleFormat: " (--format jpeg,webp)"
    case .badValue, .unknownSetting: ""
    }
  }
}
