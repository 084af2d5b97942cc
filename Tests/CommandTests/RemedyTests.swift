import Foundation
import ImageBatch
import ImageCaches
import ImageDownloads
import ImageRendering
import LoopbackServer
import Testing

@testable import imagemill

@Suite("What to do about a failure", .timeLimit(.minutes(8)))
struct RemedyTests {
  /// A failure, words of its remedy, and the commands that can fail so: each has the options that the remedy names.
  struct Case: CustomTestStringConvertible, Sendable {
    var error: JobError
    var words: String
    var commands: [String]

    init(
      _ code: JobError.Code, _ stage: JobError.Stage, _ reason: JobError.Reason?, _ words: String,
      in commands: String
    ) {
      error = JobError(code: code, stage: stage, reason, message: "it failed")
      self.words = words
      self.commands = commands.split(separator: " ").map(String.init)
    }

    init(_ code: JobError.Code, _ stage: JobError.Stage, _ words: String, in commands: String) {
      self.init(code, stage, nil, words, in: commands)
    }

    var testDescription: String { "\(error.code.rawValue): \(words)" }
  }

  private static let downloading = "run pipe convert inspect fetch"
  private static let decoding = "run pipe convert inspect"

  static let cases: [Case] = [
    Case(
      .notAllowed, .download, .download(.deniedHost(pattern: "*.example")), "--deny-host '*.example'",
      in: downloading),
    Case(
      .notAllowed, .download, .download(.unlistedHost("a.example")), "--allow-host 'a.example'",
      in: downloading),
    Case(
      .notAllowed, .download, .download(.metadataService(address: "169.254.169.254")),
      "--allow-net 169.254.169.254 allows it and exposes its credentials", in: downloading),
    Case(
      .notAllowed, .download, .download(.specialAddress(address: "::1", .loopback)), "--allow-net loopback",
      in: downloading),
    Case(
      .notAllowed, .download, .download(.specialAddress(address: "10.1.2.3", .privateUse)),
      "--allow-net private or --allow-net 10.1.2.3", in: downloading),
    Case(
      .notAllowed, .download, .download(.specialAddress(address: "169.254.1.1", .linkLocal)),
      "--allow-net link-local or --allow-net 169.254.1.1", in: downloading),
    Case(
      .notAllowed, .download, .download(.specialAddress(address: "0.0.0.0", .reserved)),
      "--allow-net 0.0.0.0",
      in: downloading),
    Case(
      .notAnImage, .download, .download(.unreadFormat("svg")), "--allow-format svg",
      in: decoding),
    Case(.tooLarge, .download, .download(.byteLimit(5)), "--max-bytes", in: downloading),
    Case(.tooManyRedirects, .download, .download(.redirectLimit(5)), "--max-redirects", in: downloading),
    Case(.hostNotFound, .download, .download(.proxyName), "--proxy", in: downloading),
    Case(.tlsFailed, .download, .download(.untrustedCertificate), "--cacert", in: downloading),
    Case(.tlsFailed, .download, .download(.unreadableCertificates), "--cacert", in: downloading),
    Case(.cacheFailed, .download, .download(.cache(.noSpace)), "--cache-dir", in: downloading),
    Case(.cacheFailed, .write, .cache(.notPermitted), "check the permissions", in: downloading),
    Case(.cacheFailed, .write, .cache(.unusable), "--no-cache", in: downloading),
    Case(.cacheFailed, .write, .cache(.index), "--no-cache", in: downloading),
    Case(.httpStatus, .download, .status(401), "--user and --netrc", in: downloading),
    Case(.httpStatus, .download, .status(403), "--header", in: downloading),
    Case(.httpStatus, .download, .status(404), "check the URL", in: downloading),
    Case(.httpStatus, .download, .status(407), "--proxy", in: downloading),
    Case(.httpStatus, .download, .status(429), "--rate and --per-host", in: downloading),
    Case(.throttled, .download, "--rate", in: downloading),
    Case(.timedOut, .download, "--timeout, --connect-timeout and --stall-timeout", in: downloading),
    Case(.notCached, .download, "--offline", in: downloading),
    Case(.hostDown, .download, "try again later", in: downloading),
    Case(
      .tooManyPixels, .decode, .rendering(.sourcePixels(9, frames: 1, limit: 8)), "raise --max-pixels",
      in: decoding),
    Case(
      .tooManyPixels, .decode, .rendering(.sourcePixels(9, frames: 3, limit: 8)),
      "--max-pixels, or set frames: first",
      in: "run pipe convert"),
    Case(.tooManyFrames, .decode, .rendering(.frames(9, limit: 8)), "--max-frames", in: "run pipe convert"),
    Case(
      .filterFailed, .filter, .rendering(.filterPixels(9, limit: 8)), "--max-pixels", in: "run pipe convert"),
    Case(.tooMuchMemory, .decode, .rendering(.memory(9, limit: 8)), "--memory", in: decoding),
    Case(.outOfMemory, .decode, "--memory", in: "run pipe"),
    Case(.processorTime, .decode, .rendering(.time(limit: .seconds(60))), "--job-timeout", in: "run pipe"),
    Case(.workerKilled, .decode, "--memory or --jobs", in: "run pipe"),
    Case(.systemCallRefused, .decode, "--sandbox off", in: "run pipe"),
    Case(.timedOut, .decode, .rendering(.time(limit: .seconds(60))), "--job-timeout", in: "run pipe"),
    Case(.unsupportedFormat, .decode, .rendering(.unreadFormat("svg")), "--allow-format svg", in: decoding),
    Case(.truncated, .decode, "with --refresh, or try --on-corrupt warn", in: decoding),
    Case(.corrupt, .decode, "--on-corrupt warn", in: decoding),
    Case(.truncated, .decode, .rendering(.nothingDecoded), "download it again with --refresh", in: decoding),
    Case(.corrupt, .decode, .rendering(.nothingDecoded), "replace it", in: decoding),
    Case(.outsideOutputDirectory, .write, "-C, or allow it with --allow-outside", in: "run pipe"),
    Case(.overwritesSource, .write, "--in-place", in: "run pipe convert"),
  ]

  private static func options(of command: String) throws -> Set<String> {
    let found = try #require(try HelpDump.root().subcommands?.first { $0.commandName == command })
    let names = (found.arguments ?? []).flatMap { $0.names ?? [] }
    return Set(names.map { ($0.kind == "short" ? "-" : "--") + $0.name })
  }

  /// The options that a text names, long and short.
  private static func options(in text: String) -> [String] {
    text.matches(of: #/(?:^|[\s('])(--[a-z][a-z-]*|-[A-Za-z])\b/#).map { String($0.output.1) }
  }

  @Test("is said with options that each command has that can fail so", arguments: cases)
  func fits(example: Case) throws {
    let message = example.error.withRemedy.message
    #expect(message.hasPrefix("it failed; ") && message.contains(example.words), "\(message)")
    for command in example.commands {
      let known = try Self.options(of: command)
      for option in Self.options(in: message) {
        #expect(known.contains(option), "imagemill \(command) has no \(option)")
      }
    }
  }

  @Test("never names an option that no command has, whatever the code, the stage and the reason")
  func everyCode() throws {
    let commands = try #require(try HelpDump.root().subcommands?.map(\.commandName))
    let known = try commands.reduce(into: Set<String>()) { $0.formUnion(try Self.options(of: $1)) }
    let stages: [JobError.Stage] = [.manifest, .download, .read, .decode, .filter, .encode, .write]
    var remedies: Set<String> = []
    let reasons = Set(Self.cases.map(\.error.reason)).union([nil])
    for code in JobError.Code.allCases {
      for stage in stages {
        for reason in reasons {
          var error = JobError(code: code, stage: stage, reason, message: "it failed")
          remedies.insert(Remedies.remedy(for: error) ?? "")
          error.isRecorded = true
          remedies.insert(Remedies.remedy(for: error) ?? "")
        }
      }
    }
    #expect(remedies.count > 30)
    let hints = Remedies.hints
    remedies.formUnion([
      hints.outside, hints.variable, hints.chain, hints.template, hints.noTemplate, hints.image,
      Remedies.removal,
      Remedies.wantedReport,
    ])
    for code in [EncodingSettingsError.Code.noFormat, .singleFormat, .badValue, .unknownSetting] {
      remedies.insert(hints.encoding(EncodingSettingsError(setting: "format", code: code, "it is wrong")))
    }
    for option in remedies.flatMap(Self.options(in:)) { #expect(known.contains(option), "\(option)") }
  }

  @Test("is not that of another failure: a body that ends early is no file to be read with --on-corrupt")
  func byStage() {
    func remedy(_ code: JobError.Code, _ stage: JobError.Stage) -> String? {
      Remedies.remedy(for: JobError(code: code, stage: stage, message: ""))
    }
    #expect(remedy(.truncated, .download) == nil)
    #expect(remedy(.timedOut, .decode) != remedy(.timedOut, .download))
    for code in [JobError.Code.unreadable, .fileUnreadable, .badSource, .unsupportedFormat, .cancelled] {
      #expect(remedy(code, .read) == nil && remedy(code, .decode) == nil, "\(code)")
    }
    #expect(Remedies.remedy(for: CacheError.Reason.index, canDoWithout: false)?.contains("--") == false)
  }

  @Test("offers --on-corrupt warn where it isn't given, and not where nothing could be decoded with it")
  func damaged() async throws {
    let command = try CommandRun()
    try command.write(PNGImage.bytes(width: 64, height: 48), to: "a.png")
    #expect(try await command.run("convert", "a.png", "whole.tiff").status == 0)
    try command.write(Array((command.read("whole.tiff") ?? Data()).prefix(40)), to: "cut.tiff")
    let refused = try await command.run("convert", "cut.tiff", "b.png")
    #expect(refused.status == 1 && refused.errors.contains("; "), "\(refused.errors)")
    #expect(
      refused.errors.contains("; replace it, or try --on-corrupt warn, which uses the"), "\(refused.errors)")
    let warned = try await command.run("convert", "--on-corrupt", "warn", "cut.tiff", "b.png")
    #expect(warned.status == 1 && !warned.errors.contains("--on-corrupt"), "\(warned.errors)")
    #expect(warned.errors.contains("; replace it"), "\(warned.errors)")
    // As a worker tells it.
    let several = try await command.run("pipe", "--on-corrupt", "warn", "-o", "{name}.png", "cut.tiff")
    #expect(several.status == 1 && !several.errors.contains("try --on-corrupt"), "\(several.errors)")
  }

  @Test("repeats failed jobs with the command that failed", arguments: ["run", "pipe"])
  func repeating(name: String) throws {
    let error = JobError(code: .hostDown, stage: .download, message: "it failed")
    let message = Remedies.$repeatingCommand.withValue(name) { error.withRemedy.message }
    #expect(message == "it failed; try again later; '\(name) --failed REPORT' repeats only the failed jobs")
    #expect(try Self.options(of: name).contains("--failed"))
  }

  @Test("is in every event that tells of a failure, once")
  func events() {
    let error = JobError(
      code: .timedOut, stage: .decode, .rendering(.time(limit: .seconds(60))), message: "too slow")
    var result = OutputResult(
      index: 1, outputIndex: 0, source: "a.png", status: .failed, filter: "", format: "png")
    result.error = error
    let said = "too slow; raise --job-timeout"
    guard case .outputFinished(let output) = BatchEvent.outputFinished(result).withRemedies,
      case .jobFinished(let job) = BatchEvent.jobFinished(
        JobResult(index: 1, source: "a.png", outputs: [result], location: nil)
      ).withRemedies,
      case .warning(let warning) = BatchEvent.warning(
        BatchWarning(message: "b.png is used: too slow", error: error)
      ).withRemedies
    else {
      Issue.record("an event became another")
      return
    }
    #expect(output.error?.message == said && job.outputs.first?.error?.message == said)
    #expect(warning.message == "b.png is used: \(said)")
    var recorded = error
    recorded.isRecorded = true
    #expect(
      recorded.withRemedy.message
        == "\(said); an earlier run recorded this failure; --force retries")
  }

  @Test("is said for each of several sources that failed")
  func alternatives() {
    var second = JobError(
      code: .httpStatus, stage: .download, .status(401), message: "the server returned 401")
    second.source = "https://b.example/"
    let first = JobError(
      code: .notAllowed, stage: .download, .download(.specialAddress(address: "::1", .loopback)),
      message: "the address is ::1"
    )
    #expect(
      JobError(allOf: [first, second]).withRemedy.message
        == "the address is ::1; --allow-net loopback allows it; then https://b.example/: download: the server "
        + "returned 401; credentials are required: see --user and --netrc")
  }

  /// The lines with two hyphens before a letter, which no Swift has outside of a text.
  private static func linesThatNameOptions(_ bytes: [UInt8]) -> [String] {
    let hyphen = UInt8(ascii: "-")
    let letters: ClosedRange<UInt8> = 97...122
    var found: [String] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      var hyphens = 0
      for byte in line {
        if hyphens >= 2, letters.contains(byte) {
          found.append(String(decoding: line, as: UTF8.self))
          break
        }
        hyphens = byte == hyphen ? hyphens + 1 : 0
      }
    }
    return found
  }

  /// The lines of code below the command that aren't comments, each with its file.
  private static func libraryLines(_ lines: ([UInt8]) -> [String]) throws -> [(
    file: String, text: String
  )] {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Sources"
    let files = try #require(FileManager.default.enumerator(atPath: sources))
    var read = 0
    var found: [(String, String)] = []
    for case let file as String in files where file.hasSuffix(".swift") && !file.hasPrefix("imagemill/") {
      // A style sheet's properties begin with two hyphens too, and a script sets one.
      if file.hasSuffix("ContactSheetStyle.swift") || file.hasSuffix("ContactSheetScript.swift") { continue }
      read += 1
      for line in lines(try Array(Data(contentsOf: URL(filePath: sources + "/" + file)))) {
        let text = line.drop { $0 == " " }
        if !text.hasPrefix("//") { found.append((file, String(text))) }
      }
    }
    #expect(read > 200)
    return found
  }

  @Test("is not said by a library: no text below the command names an option of it")
  func libraries() throws {
    for (file, text) in try Self.libraryLines(Self.linesThatNameOptions)
    where !text.contains("argument = \"--render-worker\"") {
      Issue.record("\(file): \(text)")
    }
  }

  /// The lines with a short option in a text, such as `-o TEMPLATE` or `'-f'`, or with a command line.
  private static func linesThatNameShortOptions(_ bytes: [UInt8]) -> [String] {
    let (before, after) = (Set(" ('\":".utf8), Set(" '\":".utf8))
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let line = Array(line)
      var isText = false
      var found =
        line.contains(UInt8(ascii: "\"")) && String(decoding: line, as: UTF8.self).contains("'imagemill ")
      for index in line.indices.dropFirst() where !found {
        if line[index - 1] == UInt8(ascii: "\"") { isText.toggle() }
        let next = index + 1 < line.count ? line[index + 1] | 0x20 : 0
        found =
          isText && line[index] == UInt8(ascii: "-") && before.contains(line[index - 1])
          && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next)
          && (index + 2 == line.count || after.contains(line[index + 2]))
      }
      return found ? String(decoding: line, as: UTF8.self) : nil
    }
  }

  @Test("is not said by a library: no text below the command names a short option, or a command")
  func shortOptions() throws {
    for (file, text) in try Self.libraryLines(Self.linesThatNameShortOptions) {
      Issue.record("\(file): \(text)")
    }
    #expect(
      Self.linesThatNameShortOptions(Array("x\n  \"set -o TEMPLATE\"\n\"-f: no\"\n a -b \n".utf8)).count == 2)
  }
}
