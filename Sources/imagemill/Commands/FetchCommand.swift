import ArgumentParser
import FoundationEssentials
import Glibc
import ImageBatch
import ImageCaches
import ImageDownloads
import SystemIO

/// Downloads sources of any content into the cache.
struct FetchCommand: AsyncParsableCommand, TakesManyOperands {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Download URLs into the cache and show the responses.",
    discussion: """
      Each line has the HTTP status, the cache status (hit, miss, revalidated, stale or bypass), the size in bytes and \
      the URL. An error status is a failure. Its line is still printed, but -o doesn't write the body unless \
      --any-status is given.

        imagemill fetch https://example.org/a.jpg
        imagemill fetch --json --no-redirect https://example.org/
        imagemill fetch --output page.html https://example.org/
      """)

  @Argument(help: ArgumentHelp("http, https or S3 URLs.", valueName: "url"))
  var operands: [OperandGroup]
  private var urls: [String] { operands.words }

  @Flag(help: "Don't follow redirects; show the redirect response.")
  var noRedirect = false

  @Flag(help: "Don't treat an error status as a failure.")
  var anyStatus = false

  @Flag(
    help: """
      Print one JSON object per URL: status, headers (with Age) and cache status, or the error if there is no \
      response.
      """)
  var json = false

  @Flag(help: "With --json: include the body, in base64.")
  var body = false

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write the body of one URL to this file; '-' is standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(name: [.short, .long], help: "Print only JSON objects, bodies and failures.")
  var quiet = false

  @OptionGroup(title: "Downloads") var downloads: DownloadOptions
  @OptionGroup(title: "Cache") var cache: CacheOptions

  func validate() throws {
    if output != nil, urls.count != 1 {
      throw ValidationError("--output writes the body of one URL, but \(urls.count) are given")
    }
    if body, !json { throw ValidationError("--body needs --json") }
    if let output, StandardOutput.names.contains(output) {
      throw ValidationError(
        "can't replace \(output), which isn't a regular file; for standard output write '-'")
    }
    if let output, output.hasSuffix("/") || Directory.exists(at: output) {
      throw ValidationError("--output: '\(output)' is a directory; name a file in it")
    }
    if output == "-", json { throw ValidationError("--json and --output - both write to standard output") }
  }

  func run() async throws {
    let sources = try urls.map { url in
      let source = try ImageSource(argument: url)
      guard case .url = source else {
        throw CommandError(
          .usage, "fetch takes http, https and S3 URLs, not '\(url)'" + Remedies.hint(forURL: url))
      }
      return source
    }
    let failures = try await CommandServices.with(
      downloads: downloads, cache: cache.settings, typedHosts: sources.compactMap(\.host)
    ) { services in
      // Callbacks, not a task for each URL: the first transfers would wait until all tasks have started.
      let (outcomes, continuation) = AsyncStream.makeStream(of: (ImageSource, Outcome).self)
      for source in sources {
        services.downloader.fetch(ImageRequest(source), followsRedirects: !noRedirect) {
          continuation.yield((source, $0))
        }
      }
      var failures = FailureCount()
      for await (source, outcome) in outcomes.prefix(sources.count) where !services.isStopped {
        failures.add(try report(outcome, of: source))
      }
      return failures
    }
    if let status = failures.status { throw status }
  }

  private typealias Outcome = Result<FetchedResponse, DownloadError>

  /// Prints the outcome of one URL.
  /// - Throws: `CommandError` if it can't be written.
  private func report(_ outcome: Outcome, of source: ImageSource) throws -> ExitStatus {
    let response: FetchedResponse
    do throws(DownloadError) {
      response = try outcome.get()
    } catch {
      if json { try StandardOutput.write(try FetchFailure(source, error).line) }
      StandardError.say("imagemill: \(source.displayText): \(error.messageWithRemedy)")
      return error.isTemporary ? .temporary : .failed
    }
    let isFailure = response.isError && !anyStatus
    // An error's page isn't what was asked for: a file with the name of an image would hold HTML.
    if isFailure, output != nil {
      StandardError.say(
        "imagemill: \(source.displayText): the server returned \(response.status) \(response.reason), and its body isn't "
          + "written; write it with --any-status")
    } else if let output, output != "-" {
      let directory = DirectoryEntry(output).directory
      do throws(SystemError) {
        try Directory.create(directory)
      } catch {
        throw CommandError(.failed, "can't create the directory \(directory): \(error.text)")
      }
      do throws(AtomicFile.Failure) {
        try AtomicFile.copy(response.body.path, to: output)
      } catch {
        throw CommandError(.failed, "\(source.displayText): \(error.message)")
      }
    } else if output != nil {
      try refuseBinaryOnTerminal(response.body.path)
      try StandardOutput.copy(fileAt: response.body.path)
    }
    if json {
      try StandardOutput.write(try FetchReport(source, response, withBody: body).line)
    } else if quiet {
      // With --output the error has been named above.
      if isFailure, output == nil {
        StandardError.say(
          "imagemill: \(source.displayText): the server returned \(response.status) \(response.reason)")
      }
    } else if output != "-" {
      try StandardOutput.write(
        "\(response.status) \(response.cache.rawValue) \(response.body.byteCount) \(source.displayText)\n")
    }
    guard isFailure else { return .success }
    return response.isTemporaryError ? .temporary : .failed
  }

  private func refuseBinaryOnTerminal(_ path: String) throws(CommandError) {
    guard StandardOutput.isTerminal else { return }
    let start: [UInt8]
    do throws(SystemError) { start = try File.start(of: path, count: 4096) } catch {
      throw CommandError(unreadable: path, error)
    }
    if start.contains(0) { try StandardOutput.refuseBinaryOnTerminal() }
  }
}

/// The JSON object that `fetch --json` prints for a URL without a response.
private struct FetchFailure: Encodable {
  /// The members of an error, as in a result.
  struct Cause: Encodable {
    let code: String
    let stage: String
    let message: String
    let temporary: Bool
  }

  let url: String
  let error: Cause

  init(_ source: ImageSource, _ error: DownloadError) {
    url = source.displayText
    let cause = JobError(error).withRemedy
    self.error = Cause(
      code: cause.code.rawValue, stage: cause.stage.rawValue, message: cause.message,
      temporary: cause.isTemporary)
  }

  /// One line of JSON.
  var line: String {
    get throws {
      String(decoding: try JSONText.document(self), as: UTF8.self) + "\n"
    }
  }
}

/// The JSON object that `fetch --json` prints for a response.
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
    do throws(SystemError) {
      body = withBody ? Data(try File.contents(of: response.body.path)) : nil
    } catch {
      throw CommandError(unreadable: response.body.path, error)
    }
    cache = response.cache.rawValue
  }

  /// One line of JSON, in which `Data` is base64.
  var line: String {
    get throws {
      String(decoding: try JSONText.document(self), as: UTF8.self) + "\n"
    }
  }
}
