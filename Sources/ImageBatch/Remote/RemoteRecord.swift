import FoundationEssentials
import ImageCaches
import ImageRendering
import SystemIO

/// The record of an output in a remote cache.
///
/// It is an `ActionResult` of Bazel's Remote Execution API, because bazel-remote and others check what is stored under
/// `ac/`: one output file with its digest, and the facts about the image as JSON in `stdout_raw`.
struct RemoteRecord: Equatable {
  var output: StoredOutput

  /// Longer records are refused.
  static let byteLimit = 1 << 20

  private enum Field {
    static let outputFiles = 2
    static let standardOutput = 5
    static let path = 1
    static let digest = 2
    static let hash = 1
    static let size = 2
  }

  private struct Facts: Codable {
    var version = 1
    var format: OutputFormat
    var width: Int
    var height: Int
    var frames: Int
    var seconds: Double
    var placeholders: Placeholders?
  }

  init(_ output: StoredOutput) { self.output = output }

  /// The record as it is uploaded.
  var bytes: [UInt8] {
    get throws {
      let facts = Facts(
        format: output.format, width: output.width, height: output.height, frames: output.frames,
        seconds: output.seconds, placeholders: output.placeholders)
      let digest =
        ProtobufFields.field(Field.hash, Array(output.digest.hex.utf8))
        + ProtobufFields.field(Field.size, UInt64(output.bytes))
      let file =
        ProtobufFields.field(Field.path, Array("output.\(output.format.pathExtension)".utf8))
        + ProtobufFields.field(Field.digest, digest)
      return ProtobufFields.field(Field.outputFiles, file)
        + ProtobufFields.field(Field.standardOutput, Array(try JSONText.document(facts)))
    }
  }

  /// Parses a downloaded record; nil if it isn't one of this version.
  init?(_ bytes: [UInt8]) {
    guard let fields = ProtobufFields.parse(bytes),
      let file = Self.message(Field.outputFiles, in: fields),
      let digestField = Self.message(Field.digest, in: file),
      case .bytes(let hash)? = Self.value(Field.hash, in: digestField),
      let digest = ContentDigest(hex: String(decoding: hash, as: UTF8.self)),
      case .number(let size)? = Self.value(Field.size, in: digestField), let byteCount = Int(exactly: size),
      byteCount > 0,
      case .bytes(let text)? = Self.value(Field.standardOutput, in: fields),
      let facts = try? JSONDecoder().decode(Facts.self, from: Data(text)),
      facts.version == 1, (1...Self.longestSide).contains(facts.width),
      (1...Self.longestSide).contains(facts.height), facts.frames > 0, facts.seconds.isFinite,
      facts.seconds >= 0,
      facts.placeholders.map(Self.isPlausible) ?? true
    else { return nil }
    output = StoredOutput(
      RenderedFile(
        format: facts.format, width: facts.width, height: facts.height, frames: facts.frames,
        bytes: byteCount,
        digest: digest, placeholders: facts.placeholders), seconds: facts.seconds)
  }

  private static let longestSide = 1 << 24

  /// Whether placeholders can be what they say: they are written into pages.
  private static func isPlausible(_ placeholders: Placeholders) -> Bool {
    let color = placeholders.dominantColor.utf8
    let hashes = [placeholders.blurHash, placeholders.thumbHash]
    return color.count == 7 && color.first == UInt8(ascii: "#")
      && color.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
      && placeholders.dataURI.utf8.starts(with: "data:image/".utf8)
      && (hashes + [placeholders.dataURI]).allSatisfy { $0.utf8.allSatisfy { (0x21..<0x7f).contains($0) } }
  }

  private static func value(
    _ number: Int, in fields: [(number: Int, value: ProtobufFields.Value)]
  ) -> ProtobufFields.Value? {
    fields.last { $0.number == number }?.value
  }

  private static func message(
    _ number: Int, in fields: [(number: Int, value: ProtobufFields.Value)]
  ) -> [(number: Int, value: ProtobufFields.Value)]? {
    guard case .bytes(let bytes)? = value(number, in: fields) else { return nil }
    return ProtobufFields.parse(bytes)
  }
}
