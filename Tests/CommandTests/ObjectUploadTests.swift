import Foundation
import LoopbackServer
import Glibc
import TestSupport
import Testing

/// Uploads that fail, that are stopped, and that have several parts, through the built command.
@Suite("Uploads to object storage", .timeLimit(.minutes(8)))
struct ObjectUploadTests: ObjectStorageSuite {
  let command: CommandRun
  let server: ObjectServer

  init() throws {
    command = try CommandRun()
    server = try ObjectServer()
  }

  @Test("failures of uploads are named, by code, stage and what to do")
  func failures() async throws {
    defer { server.stop() }
    addSources(1)
    for (code, status, words, exit) in [
      ("AccessDenied", 403, "the credentials don't allow it", 1),
      ("ExpiredToken", 400, "get new credentials", 1),
      ("RequestTimeTooSkewed", 403, "clock", 1), ("SlowDown", 503, "fewer requests", 75),
      ("NoSuchBucket", 404, "no bucket 'out'", 1),
    ] {
      server.inject { $0.method == "PUT" ? ObjectServer.error(code, status: status) : nil }
      let outcome = try await run(
        "pipe", "--json", "--retries", "1", "-o", "s3://out/{name}.png", input: "s3://in/0.png\n")
      #expect(outcome.status == exit, "\(code): \(outcome.errors)")
      #expect(
        outcome.text.contains(words) && outcome.text.contains("can't write s3://out/0.png"), "\(outcome.text)"
      )
      #expect(outcome.text.contains("\"stage\":\"write\""), "\(outcome.text)")
      for secret in [ObjectServer.environment["AWS_SECRET_ACCESS_KEY"] ?? "-", "t0k3n", "Signature="] {
        #expect(!outcome.text.contains(secret) && !outcome.errors.contains(secret))
      }
    }
    #expect(outputs.isEmpty)
  }

  @Test("an output above 64 MiB goes in parts; a signal aborts them, and the next run makes it whole")
  func longOutput() async throws {
    defer { server.stop() }
    addSources(1)
    let arguments = [
      "pipe", "-q", "-f", "scale:5000x4700", "--encode", "compression=none", "-o", "s3://out/{name}.tiff",
      "s3://in/0.png",
    ]
    let gate = Gate()
    server.inject { $0.target.contains("partNumber=") ? Page(gate: gate) : nil }
    let process = command.process(arguments + CommandRun.patient, environment: environment)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.restoreSignals()
    try process.run()
    // Four parts are in flight.
    while gate.arrivals < 4 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(server.uploads.count == 1)
    let clock = ContinuousClock()
    let signalled = clock.now
    kill(process.processIdentifier, SIGINT)
    await process.ended()
    #expect(process.terminationStatus == 130 && outputs.isEmpty)
    // An abort gets five seconds, which can pass on a busy machine. The next run aborts what is left then.
    #expect(server.uploads.isEmpty || clock.now - signalled > .seconds(4))
    gate.open()
    server.inject { _ in nil }
    let whole = try await command.run(arguments: arguments, environment: environment)
    #expect(whole.status == 0 && server.uploads.isEmpty, "\(whole.errors)")
    let made = try await command.run(
      arguments: arguments.dropLast(3) + ["-o", "{name}.tiff", "s3://in/0.png"], environment: environment)
    #expect(made.status == 0 && outputs["/out/0.tiff"].map { Data($0.body) } == command.read("0.tiff"))
    let puts = server.count("PUT")
    #expect(try await command.run(arguments: arguments, environment: environment).status == 0)
    #expect(server.count("PUT") == puts)
  }

  @Test("a run that is killed leaves only whole objects, and the next one makes the rest")
  func killed() async throws {
    defer { server.stop() }
    let count = 60
    addSources(count)
    let arguments = ["pipe", "-q", "-f", "limit:5x", "-o", "s3://out/{name}.png"]
    for limit in [3, 11, 24] {
      let before = server.count("PUT")
      let process = command.process(
        arguments + (0..<count).map { "s3://in/\($0).png" }, environment: environment)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      while server.count("PUT") < before + limit, process.isRunning {
        try await Task.sleep(for: .milliseconds(2))
      }
      kill(process.processIdentifier, SIGKILL)
      await process.ended()
      #expect(
        outputs.values.allSatisfy { $0.body.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82] })
    }
    let last = try await command.run(
      arguments: arguments, input: Data(sources(count).utf8), environment: environment)
    #expect(last.status == 0 && outputs.count == count && server.uploads.isEmpty, "\(last.errors)")
  }

  @Test("with one fault in twenty requests, every object is whole and right or a named failure")
  func faults() async throws {
    defer { server.stop() }
    let count = 300
    addSources(count)
    let turn = Shared(0)
    server.inject { request in
      let number = turn.change { turn in
        turn += 1
        return turn
      }
      guard number % 20 == 7 else { return nil }
      return switch number / 20 % 5 {
      case 0: ObjectServer.error("InternalError", status: 500)
      case 1: ObjectServer.error("SlowDown", status: 503)
      case 2: Page(Array("x".utf8), fault: .reset(after: -1))
      case 3: ObjectServer.error("RequestTimeout", status: 400)
      default: request.method == "PUT" ? ObjectServer.error("ExpiredToken", status: 400) : nil
      }
    }
    let arguments = [
      "pipe", "-q", "--json", "--failures-are-results", "-f", "limit:4x", "-o", "s3://out/{name}.png",
    ]
    let first = try await command.run(
      arguments: arguments, input: Data(sources(count).utf8), environment: environment)
    #expect(first.status == 0 && first.lines.count == count, "\(first.errors)")
    let failed = first.lines.filter { $0.contains("\"status\":\"failed\"") }
    #expect(
      failed.allSatisfy { $0.contains("ExpiredToken") || $0.contains("retur") || $0.contains("connection") })
    #expect(outputs.count == count - failed.count)
    server.inject { _ in nil }
    let wanted = try await command.run(
      arguments: ["pipe", "-q", "--no-cache", "-f", "limit:4x", "-o", "local/{name}.png"],
      input: Data(sources(count).utf8), environment: environment)
    #expect(wanted.status == 0)
    for (path, object) in outputs {
      #expect(command.read("local/" + path.dropFirst("/out/".count)) == Data(object.body), "\(path)")
    }
    _ = try await command.run(
      arguments: arguments, input: Data(sources(count).utf8), environment: environment)
    #expect(outputs.count == count)
    let requests = server.server.requests.count
    _ = try await command.run(
      arguments: arguments, input: Data(sources(count).utf8), environment: environment)
    let last = self.requests(after: requests)
    #expect(last.allSatisfy { $0.method == "HEAD" || $0.target.contains("list-type=2") })
    #expect(last.count { $0.target.contains("list-type=2") } <= 1 && last.count <= 21)
  }
}
