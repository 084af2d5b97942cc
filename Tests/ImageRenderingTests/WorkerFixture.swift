import Foundation
import ImageCaches
import ImageFilters
import LoopbackServer
import Testing

@testable import ImageRendering
import TestSupport

/// Programs that stand for workers, and requests for them.
///
/// A program is a shell script that misbehaves when it is started for the first time, or ever, and is the
/// built command otherwise.
final class WorkerFixture: Sendable {
  let directory: TestDirectory
  private let source: String

  init() throws {
    directory = try TestDirectory("workers")
    source = directory["source.png"]
    try directory.write(PNGImage.bytes(width: 12, height: 9), to: "source.png")
  }

  /// The command beside the tests that were built with it.
  static let command = BuiltCommand.path

  /// A worker that does `first` instead of its work when it is started for the first time, as often as
  /// `times` says.
  func worker(_ first: String, times: Int = 1) throws -> String {
    try script(
      """
      count=$(cat '\(directory.path)/starts' 2>/dev/null | wc -l)
      echo start >> '\(directory.path)/starts'
      if [ "$count" -lt \(times) ]; then
      \(first)
      fi
      exec '\(Self.command)' "$@"
      """)
  }

  /// A worker that only ever does what the script says.
  func script(_ text: String) throws -> String {
    let path = try directory.write("#!/bin/bash\n\(text)\n", to: "worker-\(UUID().uuidString)")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    try waitForWriters(of: path)
    return path
  }

  /// Returns when no process can write to a file. A process that another test starts while the file is written holds its
  /// descriptor until it executes its program, and a file that is open for writing can't be executed.
  private func waitForWriters(of path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    // A lease for reading is refused while there is a writer. Swift can't import the macro F_SETLEASE.
    let setLease: Int32 = 1024
    while fcntl(file, setLease, F_RDLCK) != 0 {
      try #require(errno == EAGAIN)
      usleep(1000)
    }
    try #require(fcntl(file, setLease, F_UNLCK) == 0)
  }

  /// How often a worker was started.
  var starts: Int { directory.text("starts")?.split(separator: "\n").count ?? 0 }

  func pool(
    _ executable: String = WorkerFixture.command, slots: Int = 1, timeout: Duration = .seconds(100),
    memory: Int = 1 << 30
  ) -> WorkerPool {
    WorkerPool(WorkerConfiguration(slots: slots, executable: executable, timeout: timeout, memory: memory))
  }

  /// A request of one or more outputs that are all different.
  func request(_ name: String = "one", outputs: Int = 1) throws -> RenderRequest {
    let bytes = try Data(contentsOf: URL(filePath: source))
    let encoding = try Encoding(resolving: EncodingSettings(), pathExtension: "png")
    return RenderRequest(
      sourceName: name, source: .path(source), sourceDigest: ContentDigest(hashing: bytes),
      recipes: try (0..<outputs).map {
        RenderRecipe(
          id: $0, chain: try FilterChain(parsing: "crop:\($0 + 1)x2"), encoding: encoding,
          temporaryPath: directory["\(name)-\($0).png"])
      })
  }
}

extension RenderResponse {
  /// The outputs' failures.
  var errors: [RenderError] {
    outputs.compactMap { if case .failure(let error) = $0.result { error } else { nil } }
  }

  /// The codes of the outputs' failures; nil for one that was made.
  var codes: [String?] {
    outputs.map {
      if case .failure(let error) = $0.result { error.codeText } else { nil }
    }
  }
}
