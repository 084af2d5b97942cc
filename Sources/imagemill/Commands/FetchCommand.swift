import ArgumentParser
import FoundationEssentials
import Glibc
import ImageBatch
import ImageCaches
import ImageDownloads
import SystemIO

/// Downloads into the cache, without a look at the content.
struct FetchCommand: AsyncParsableCommand, TakesManyOperands {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Download into the cache; say what a client of the cache sees.",
    discussion: """
      An error status is a failure, whose response is printed all the same.

        imagemill fetch https://example.org/a.jpg
        imagemill fetch --json --no-redirect https://example.org/
        imagemill fetch --output page.html https://example.org/
      """)

  @Argument(help: ArgumentHelp("http or https URLs.", valueName: "url"))
  var operands: [OperandGroup]
  private var urls: [String] { operands.words }

  @Flag(help: "A redirecting answer is the answer; it isn't followed.")
  var noRedirect = false

  @Flag(help: "An error status is no failure.")
  var anyStatus = false

  @Flag(
    help:
      "One JSON object a URL: status, headers as the cache serves them, and what the cache had to do with it."
  )
  var json = false

  @Flag(help: "With --json: the body too, in base64.")
  var body = false

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Where one URL's body goes; '-' is standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(name: [.short, .long], help: "Print nothing but objects, bodies and failures.")
  var quiet = false

  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func validate() throws {
    if output != nil, urls.count != 1 {
      throw ValidationError("--output takes the body of one URL, not of \(urls.count)")
    }
    if output == "-", json { throw ValidationError("--json and --output - both want standard output") }
  }

  func run() async throws {
    let sources = try urls.map { url in
      let source = try ImageSource(argument: url)
      guard case .url = source else {
        throw Complaint(.usage, "fetch takes http and https URLs, not '\(source.displayText)'")
      }
      return source
    }
    let session = try Session(
      downloads: downloads, cache: cache.settings, typedHosts: sources.compactMap(\.host))
    // No task for each: the first transfers would have to wait until all of them have begun.
    let (outcomes, continuation) = AsyncStream.makeStream(of: (ImageSource, Outcome).self)
    for source in sources {
      session.downloader.fetch(ImageRequest(source), followsRedirects: !noRedirect) {
        continuation.yield((source, $0))
      }
    }
    var failures = FailureCount()
    do {
      for await (source, outcome) in outcomes.prefix(sources.count) {
        failures.add(try report(outcome, of: source))
      }
    } catch {
      session.downloader.cancelAll()
      await session.end()
      throw error
    }
    await session.end()
    if let status = failures.status { throw status }
  }

  private typealias Outcome = Result<FetchedResponse, DownloadError>

  /// Prints what has come of one URL. Throws where nothing more can be printed.
  private func report(_ outcome: Outcome, of source: ImageSource) throws -> ExitStatus {
    let response: FetchedResponse
    do throws(DownloadError) {
      response = try outcome.get()
    } catch {
      StandardError.write("imagemill: \(source.displayText): \(error.messageWithRemedy)\n")
      return error.isTemporary ? .temporary : .failed
    }
    if let output, output != "-" {
      do throws(AtomicFile.Failure) {
        try AtomicFile.copy(response.body.path, to: output)
      } catch {
        throw Complaint(.failed, "\(source.displayText): \(error.message)")
      }
    } else if output != nil {
      if StandardOutput.isTerminal, try File.start(of: response.body.path, count: 4096).contains(0) {
        try StandardOutput.refuseBinaryOnTerminal()
      }
      try StandardOutput.copy(fileAt: response.body.path)
    }
    if json {
      try StandardOutput.write(try FetchReport(source, response, withBody: body).line)
    } else if !quiet, output != "-" {
      try StandardOutput.write(
        "\(response.status) \(response.cache.rawValue) \(response.body.byteCount) \(source.displayText)\n")
    }
    guard response.isError, !anyStatus else { return .success }
    return response.isTemporaryError ? .temporary : .failed
  }
}

/// What `fetch --json` prints of one URL.
private struct FetchReport: Encodable {
  let url: String
  let status: Int
  let reason: String
  let headers: [[String]]
  let body: Data?
  let cache: String

  private enum CodingKeys: String, CodingKey {
    case url, status, reason, headers, cache
    case body = "body_base64"
  }

  init(_ source: ImageSource, _ response: FetchedResponse, withBody: Bool) throws {
    url = source.displayText
    status = response.status
    reason = response.reason
    headers = response.fields.map { [$0.name, $0.value] }
    body = withBody ? Data(try File.contents(of: response.body.path)) : nil
    cache = response.cache.rawValue
  }

  /// One line; `Data` is base64 in JSON.
  var line: String {
    get throws {
      String(decoding: try JSONText.encoded(self), as: UTF8.self) + "\n"
    }
  }
}
