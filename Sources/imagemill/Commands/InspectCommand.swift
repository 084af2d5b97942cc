import ArgumentParser
import FoundationEssentials
import ImageBatch
import ImageDownloads
import SystemIO
import ImageRendering
import TerminalText

/// Shows the properties of images.
struct InspectCommand: AsyncParsableCommand, TakesManyOperands {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show an image's size, format, orientation, profile, frames and digest.",
    discussion: """
      Sizes are shown with the orientation applied, as in a viewer.

        imagemill inspect photo.jpg
        imagemill inspect --json https://example.org/a.png
      """)

  @Argument(
    help: ArgumentHelp(
      "Paths, http(s), S3, file or data URLs, or '-' for standard input.", valueName: "source"),
    completion: .file())
  var operands: [OperandGroup]

  @Flag(help: "Print one JSON object per source.")
  var json = false

  @Flag(help: "Add placeholders: dominant color, BlurHash, ThumbHash and a tiny data URI.")
  var placeholders = false

  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Worker process") var worker: InspectionWorkerOptions
  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func validate() throws {
    if operands.words.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input has one image: give '-' once")
    }
  }

  func run() async throws {
    let parsed = try operands.words.map { try ImageSource(argument: $0) }
    let failures = try await CommandServices.with(
      downloads: downloads, cache: cache.settings, limits: limits, typedHosts: parsed.compactMap(\.host)
    ) { services in
      let rendering = worker.mode(limits).makeService()
      var failures = FailureCount()
      for source in parsed where !services.isStopped {
        let inspection: ImageInspection
        do throws(JobError) {
          inspection = try await inspect(source, services.downloader, rendering)
        } catch {
          if services.isStopped { break }
          failures.add(error.isTemporary ? .temporary : .failed)
          StandardError.say(
            "imagemill: \(source.displayText): \(error.stage.rawValue): \(error.withRemedy(ofSource: source.displayText).message)"
          )
          continue
        }
        try StandardOutput.write(
          json ? Self.object(inspection, of: source) : Self.text(inspection, of: source))
      }
      await rendering.stop()
      return failures
    }
    if let status = failures.status { throw status }
  }

  private func inspect(
    _ source: ImageSource, _ downloader: ImageDownloader, _ rendering: any RenderingService
  ) async throws(JobError) -> ImageInspection {
    let stored: StoredSource
    do throws(DownloadError) {
      stored = try await downloader.download(ImageRequest(source))
    } catch {
      throw JobError(error)
    }
    var request = RenderRequest(
      sourceName: stored.displayText, source: .path(stored.path), sourceDigest: stored.digest,
      limits: limits.limits(slots: 1), recipes: [], wantsPlaceholders: placeholders)
    request.wantsInspection = true
    switch await rendering.render({ [request] in request })?.inspection {
    case .success(let inspection)?:
      stored.confirmEnd(wasDecoded: false)
      return inspection
    case .failure(let error)?: throw JobError(error)
    case nil: throw JobError(code: .cancelled, stage: .decode, message: "the command was stopped")
    }
  }

  private static func text(_ image: ImageInspection, of source: ImageSource) -> String {
    var lines = [
      ("format", image.format),
      ("size", "\(image.width)x\(image.height)"),
      ("orientation", "\(image.orientation)"),
      ("frames", "\(image.frames)"),
      ("delays", image.delays.map { $0.map { "\($0)" }.joined(separator: " ") + " ms" } ?? ""),
      ("loop", image.loop.map { "\($0)" } ?? ""),
      ("profile", image.profile ?? ""),
      ("colors", "\(image.colorSpace), \(image.bands) bands of \(image.depth) bits"),
      ("alpha", image.hasAlpha ? (image.alphaUsed ? "used" : "opaque throughout") : "none"),
      ("progressive", image.progressive ? "yes" : "no"),
      ("memory", "\((image.memory + (1 << 20) - 1) >> 20) MiB to decode"),
      ("bytes", "\(image.bytes)"),
      ("sha256", image.digest.hex),
    ]
    lines += image.exif.sorted { $0.key < $1.key }.map { ("exif " + $0.key, $0.value) }
    if let placeholders = image.placeholders {
      lines += [
        ("dominant", placeholders.dominantColor), ("blurhash", placeholders.blurHash),
        ("thumbhash", placeholders.thumbHash), ("data uri", placeholders.dataURI),
      ]
    }
    lines += image.warnings.map { ("warning", $0) }
    let width = lines.map(\.0.count).max() ?? 0
    // Text in Exif and in a profile comes from the file.
    let rows = lines.filter { !$0.1.isEmpty }.map { "  \($0.0.padded(to: width))  \($0.1)" }
    return ([source.displayText] + rows).map { TerminalText.visible($0) + "\n" }.joined()
  }

  private static func object(_ image: ImageInspection, of source: ImageSource) -> String {
    struct Line: Encodable {
      let source: String
      let image: ImageInspection

      private enum Keys: String, CodingKey { case source }

      func encode(to encoder: any Encoder) throws {
        try image.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(source, forKey: .source)
      }
    }
    do {
      let line = Line(source: source.displayText, image: image)
      return String(decoding: try JSONText.document(line), as: UTF8.self) + "\n"
    } catch {
      // Encoding fails only for numbers that JSON lacks, and an inspection has none.
      return "{}\n"
    }
  }
}
