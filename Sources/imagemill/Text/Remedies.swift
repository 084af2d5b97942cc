import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests

/// What a user of the command can do about a failure: the libraries say what happened, and this names the options.
enum Remedies {
  /// The sentence for a failure; nil where no option helps.
  static func remedy(for error: JobError) -> String? {
    if error.isRecorded { return recorded(error) }
    switch error.reason {
    case .download(let reason): return remedy(for: reason)
    case .cache(let reason): return remedy(for: reason)
    case .status(let status): return remedy(forStatus: status)
    case .sourcePixels(_, let frames, _):
      return frames > 1
        ? "raise --max-pixels, or ask for frames: first (--frames first)" : "raise --max-pixels to accept it"
    case .filterPixels: return "ask for less, or raise --max-pixels"
    case .frames: return "raise --max-frames, or ask for frames: first (--frames first)"
    case .memory: return "raise --memory to accept it"
    case .time: return "allow more with --job-timeout"
    case .unreadFormat(let name): return "allow it with --allow-format \(name)"
    case nil: return remedy(for: error.code, at: error.stage)
    }
  }

  /// What an earlier run found isn't tried again by itself.
  private static func recorded(_ error: JobError) -> String {
    let limit =
      switch error.code {
      case .timedOut: "allow more with --job-timeout; "
      case .outOfMemory: "allow more with --memory; "
      default: ""
      }
    return "\(limit)that was in an earlier run, and --force tries again"
  }

  private static func remedy(for code: JobError.Code, at stage: JobError.Stage) -> String? {
    switch (code, stage) {
    case (.hostDown, _): "try again later, with 'run --failed' for what a report says has failed"
    case (.throttled, _): "run again after that, or see --rate"
    case (.timedOut, .download): "see --timeout, --connect-timeout and --stall-timeout"
    case (.notCached, _): "run once without --offline"
    case (.outOfMemory, _): "allow more with --memory"
    case (.truncated, .decode): "fetch it again, or use --on-corrupt warn to use the part that arrived"
    case (.corrupt, .decode): "replace it, or use --on-corrupt warn to use the part that can be read"
    case (.outsideOutputDirectory, _): "choose another with -C, or allow it with --allow-outside"
    case (.overwritesSource, _): "write it elsewhere, or allow it with --in-place"
    default: nil
    }
  }

  /// The sentence for a download that failed for this reason.
  static func remedy(for reason: DownloadError.Reason) -> String {
    switch reason {
    case .deniedHost(let pattern): "leave out --deny-host '\(pattern)' to allow it"
    case .unlistedHost(let host): "add --allow-host '\(host)' to allow it"
    case .metadataService(let address): "--allow-net \(address) allows it and gives away its credentials"
    case .loopback: "--allow-net loopback allows it"
    case .privateNetwork(let address): "--allow-net private or --allow-net \(address) allows it"
    case .specialAddress(let address): "--allow-net \(address) allows it"
    case .unreadFormat(let name): "allow it with --allow-format \(name)"
    case .byteLimit: "raise --max-bytes to allow it"
    case .redirectLimit: "see --max-redirects"
    case .proxyName: "check --proxy"
    case .untrustedCertificate: "name its authority with --cacert"
    case .unreadableCertificates: "check --cacert"
    case .cache(let reason): remedy(for: reason) ?? "run with --no-cache"
    }
  }

  /// The sentence for a failure of the disk store.
  /// - Parameter canDoWithout: Whether the command works without a cache.
  static func remedy(for reason: CacheError.Reason, canDoWithout: Bool = true) -> String? {
    switch reason {
    case .noSpace: "free some space, or name another place with --cache-dir"
    case .notPermitted: "check the permissions, or name another place with --cache-dir"
    case .unusable: "name another place with --cache-dir" + (canDoWithout ? ", or run with --no-cache" : "")
    case .index: "remove it" + (canDoWithout ? ", or run with --no-cache" : "")
    case .request: nil
    }
  }

  private static func remedy(forStatus status: Int) -> String? {
    switch status {
    case 401: "it wants credentials: see --user and --netrc"
    case 403: "it may want credentials, or another --header"
    case 404, 410: "check the URL"
    case 407: "the proxy wants credentials: put them into --proxy"
    case 429: "it wants fewer requests: see --rate and --per-host"
    default: nil
    }
  }

  /// What complaints about manifests say of the options.
  static var hints: ManifestHints {
    var hints = ManifestHints()
    hints.outside = ", or give --allow-outside"
    hints.variable = ": allow it with '--env {}'"
    hints.encoding = { remedy(for: $0) }
    return hints
  }

  /// How a file is removed that its manifest no longer makes.
  static let removal = "'imagemill run --prune' removes it"

  /// Said of a file that is no report, where one is read.
  static let wantedReport = "give what --report NAME.ndjson wrote"

  /// What is said behind a complaint about an encoder setting.
  static func remedy(for code: EncodingError.Code) -> String {
    switch code {
    case .noFormat: " (--format)"
    case .singleFormat: " (--format jpeg,webp)"
    case .badValue, .unknownSetting: ""
    }
  }
}
