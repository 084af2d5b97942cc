import ArgumentParser
import FoundationEssentials
import ImageBatch
import ImageDownloads
import SystemIO

/// What a picture is.
struct InspectCommand: AsyncParsableCommand, TakesManyOperands {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Say what a picture is: size, format, orientation, profile, frames, digest.",
    discussion: """
      Sizes are as a viewer sees them, with the orientation applied.

        imagemill inspect photo.jpg
        imagemill inspect --json https://example.org/a.png
      """)

  @Argument(
    help: ArgumentHelp(
      "Paths, http(s), file or data URLs, or '-' for standard input.", valueName: "sources"),
    completion: .file())
  var operands: [OperandGroup]

  @Flag(help: "One JSON object a source.")
  var json = false

  @Flag(help: "Dominant colour, BlurHash, ThumbHash and a tiny data URI too.")
  var placeholders = false

  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func run() async throws {
    let parsed = try operands.words.map { try ImageSource(argument: $0) }
    let session = try Session(
      downloads: downloads, cache: cache.settings, limits: limits, typedHosts: parsed.compactMap(\.host))
    var failures = FailureCount()
    var broken: Complaint?
    for source in parsed where broken == nil {
      let inspection: ImageInspection
      do throws(JobError) {
        inspection = try await inspect(source, with: session.downloader)
      } catch {
        failures.add(error.isTemporary ? .temporary : .failed)
        StandardError.write(
          "imagemill: error: \(source.displayText): \(error.stage.rawValue): \(error.withRemedy.message)\n")
        continue
      }
      do throws(Complaint) {
        try StandardOutput.write(
          json ? Self.object(inspection, of: source) : Self.text(inspection, of: source))
      } catch {
        broken = error
      }
    }
    await session.end()
    if let broken { throw broken }
    if let status = failures.status { throw status }
  }

  private func inspect(
    _ source: ImageSource, with downloader: ImageDownloader
  ) async throws(JobError) -> ImageInspection {
    let stored: StoredSource
    do throws(DownloadError) {
      stored = try await downloader.download(ImageRequest(source))
    } catch {
      throw JobError(error)
    }
    return try ImageInspection(path: stored.path, limits: limits.limits(slots: 1), placeholders: placeholders)
  }

  private static func text(_ picture: ImageInspection, of source: ImageSource) -> String {
    var lines = [
      ("format", picture.format),
      ("size", "\(picture.width)x\(picture.height)"),
      ("orientation", "\(picture.orientation)"),
      ("frames", "\(picture.frames)"),
      ("delays", picture.delays.map { $0.map { "\($0)" }.joined(separator: " ") + " ms" } ?? ""),
      ("loop", picture.loop.map { "\($0)" } ?? ""),
      ("profile", picture.profile ?? ""),
      ("colours", "\(picture.colourSpace), \(picture.bands) bands of \(picture.depth) bits"),
      ("alpha", picture.hasAlpha ? (picture.alphaUsed ? "used" : "opaque throughout") : "none"),
      ("progressive", picture.progressive ? "yes" : "no"),
      ("memory", "\((picture.memory + (1 << 20) - 1) >> 20) MiB to decode"),
      ("bytes", "\(picture.bytes)"),
      ("sha256", picture.digest.hex),
    ]
    lines += picture.exif.sorted { $0.key < $1.key }.map { ("exif " + $0.key, $0.value) }
    if let placeholders = picture.placeholders {
      lines += [
        ("dominant", placeholders.dominantColour), ("blurhash", placeholders.blurHash),
        ("thumbhash", placeholders.thumbHash), ("data uri", placeholders.dataURI),
      ]
    }
    lines += picture.warnings.map { ("warning", $0) }
    let width = lines.map(\.0.count).max() ?? 0
    return source.displayText + "\n"
      + lines.filter { !$0.1.isEmpty }.map { "  \($0.0.padded(to: width))  \($0.1)\n" }.joined()
  }

  private static func object(_ picture: ImageInspection, of source: ImageSource) -> String {
    struct Line: Encodable {
      let source: String
      let picture: ImageInspection

      private enum Keys: String, CodingKey { case source }

      func encode(to encoder: any Encoder) throws {
        try picture.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(source, forKey: .source)
      }
    }
    do {
      let line = Line(source: source.displayText, picture: picture)
      return String(decoding: try JSONText.encoded(line), as: UTF8.self) + "\n"
    } catch {
      // Only numbers that JSON hasn't got could fail, and an inspection has none.
      return "{}\n"
    }
  }
}
