import Foundation
import Synchronization
import TestSupport
import Testing

/// The built command, run as a user runs it: in a directory of its own, with a cache of its own.
final class CommandRun: Sendable {
  /// What came of a run.
  struct Outcome: Sendable {
    let status: Int32
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  /// A place for one test's files; removed with it.
  let directory: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/command-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory + "/work", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// Options for a command whose server waits for the test: as long as a busy machine takes.
  static let patient = ["--timeout", "400s", "--stall-timeout", "400s"]

  /// Where the command runs.
  var work: String { directory + "/work" }

  /// The command that is tested.
  static let executable = BuiltCommand.tested

  /// The command for an environment: only debug builds can simulate failures.
  private static func executable(for environment: [String: String]) -> String {
    environment["IMAGEMILL_TEST_WORKER"] == nil ? executable : BuiltCommand.path
  }

  func write(_ text: String, to name: String) throws {
    try write(Array(text.utf8), to: name)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: work + "/" + name))
  }

  func read(_ name: String) -> Data? { FileManager.default.contents(atPath: work + "/" + name) }

  /// All files below the working directory, sorted.
  var files: [String] {
    let paths = FileManager.default.enumerator(atPath: work)?.allObjects.compactMap { $0 as? String } ?? []
    return paths.filter { path in
      var isDirectory: ObjCBool = false
      return FileManager.default.fileExists(atPath: work + "/" + path, isDirectory: &isDirectory)
        && !isDirectory.boolValue
    }.sorted()
  }

  /// A process that is about to start.
  func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.executable(for: environment))
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: work)
    var variables = ProcessInfo.processInfo.environment
    variables["IMAGEMILL_CACHE_DIR"] = directory + "/cache"
    // The settings of whoever runs the tests don't count.
    variables["XDG_CONFIG_HOME"] = directory + "/config"
    variables["NO_COLOR"] = "1"
    variables["GITHUB_ACTIONS"] = nil
    for name in variables.keys where name.hasPrefix("AWS_") { variables[name] = nil }
    variables.merge(environment) { $1 }
    process.environment = variables
    return process
  }

  /// Runs the command to its end.
  @discardableResult
  func run(
    _ arguments: String..., input: Data = Data(), environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run(arguments: arguments, input: input, environment: environment)
  }

  /// The same with a list of arguments.
  @discardableResult
  func run(
    arguments: [String], input: Data = Data(), environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run(arguments, input: input, environment: environment)
  }

  /// Runs the command to its end.
  @discardableResult
  func run(
    _ arguments: [String], input: Data = Data(), environment: [String: String] = [:],
    executable: String? = nil
  ) async throws -> Outcome {
    let process = process(arguments, environment: environment)
    if let executable { process.executableURL = URL(fileURLWithPath: executable) }
    let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    async let printed = Self.drain(output)
    async let complained = Self.drain(errors)
    Self.feed(input, to: standardInput)
    let outcome = await (printed, complained)
    await process.ended()
    return Outcome(
      status: process.terminationStatus, output: outcome.0, errors: String(decoding: outcome.1, as: UTF8.self)
    )
  }

  /// The most memory that a running process has had, in bytes.
  static func peakMemory(of process: Process) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
      * 1024
  }

  private static func feed(_ input: Data, to pipe: Pipe) {
    Thread.detachNewThread {
      // A command that doesn't read its input closes it.
      try? pipe.fileHandleForWriting.write(contentsOf: input)
      try? pipe.fileHandleForWriting.close()
    }
  }

  private static func drain(_ pipe: Pipe) async -> Data {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: pipe.fileHandleForReading.readDataToEndOfFile())
      }
    }
  }
}
