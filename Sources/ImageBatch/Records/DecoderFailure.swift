import ImageCaches
import ImageDownloads
import ImageRendering

/// A record that a source can't be decoded or that an output killed a worker, so that later runs don't retry it.
struct DecoderFailure: Hashable, Sendable {
  var code: JobError.Code
  var message: String

  init(_ error: JobError) {
    code = error.code
    message = error.message
  }

  var error: JobError { JobError(code: code, stage: .decode, message: message) }

  /// The key of a source that can't be decoded, whatever the output.
  static func key(of content: ContentDigest, _ configuration: BatchConfiguration) -> ContentDigest {
    var key = KeyBuilder("source-failure 2")
    key.append(content.hex)
    key.append(RenderKeys.engine)
    key.append(configuration.onCorrupt.rawValue)
    key.append(configuration.limits.allowedFormats.sorted().joined(separator: ","))
    return key.digest
  }

  /// The key of an output whose rendering killed a worker under these limits.
  static func key(ofOutput key: ContentDigest, limits: String) -> ContentDigest {
    var builder = KeyBuilder("failure 2")
    builder.append(key.hex)
    builder.append(limits)
    return builder.digest
  }
}

extension DecoderFailure: StoreRow {
  static let table = StoreTable("decoder_failures", [.text("code"), .text("message")], limit: 10_000)

  var values: [StoreValue] { [.text(code.rawValue), .text(message)] }

  init?(_ values: [StoreValue]) {
    // An unknown code, from another version, is ignored: the source is retried.
    guard values.count == 2, let code = values[0].text.flatMap(JobError.Code.init(rawValue:)),
      let message = values[1].text
    else { return nil }
    self.code = code
    self.message = message
  }
}
