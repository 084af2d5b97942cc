import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("fetch in many processes", .timeLimit(.minutes(8)))
struct FetchProcessesTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  /// What lies in a directory of the cache.
  private func names(in directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(command.directory)/cache/\(directory)")
  }

  private struct Printed: Decodable {
    let url: String
    let status: Int
    let body: Data

    enum CodingKeys: String, CodingKey {
      case url, status
      case body = "body_base64"
    }
  }

  @Test("sixty at once on one cache directory: each gets every body right, and the cache is whole afterwards")
  func sixty() async throws {
    let bodies = (0..<12).map { PNGImage.bytes(width: 30 + $0, height: 40, seed: $0) }
    let server = try LoopbackServer { request in
      guard let number = Int(request.path.dropFirst()), bodies.indices.contains(number) else {
        return .notFound
      }
      return Page(
        bodies[number], type: "image/png",
        fields: [("ETag", "\"\(number)\""), ("Cache-Control", number % 2 == 0 ? "max-age=600" : "no-cache")])
    }
    defer { server.stop() }
    let urls = (0..<12).map { server.url("/\($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for process in 0..<60 {
        group.addTask {
          let wanted = (0..<8).map { urls[(process + $0) % 12] }
          let outcome = try await command.run(
            arguments: ["fetch", "--json", "--body", "--allow-net", "loopback"] + wanted)
          #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
          let printed = try outcome.lines.map { try JSONDecoder().decode(Printed.self, from: Data($0.utf8)) }
          #expect(printed.map(\.url).sorted() == wanted.sorted())
          for answer in printed {
            let number = try #require(urls.firstIndex(of: answer.url))
            #expect(answer.status == 200 && answer.body == Data(bodies[number]), "\(answer.url)")
          }
        }
      }
      try await group.waitForAll()
    }
    for number in 0..<12 { #expect((1...60).contains(server.count(of: "/\(number)"))) }
    // Its own check reads every object, and has SQLite look over the index.
    let check = try await command.run("cache", "verify")
    #expect(
      check.status == 0 && check.text.contains("12") && check.errors.isEmpty, "\(check.text)\(check.errors)")
    #expect(try names(in: "tmp").isEmpty)
    #expect(try names(in: "partial").isEmpty)
    // Nobody is asked again for what is fresh.
    let before = server.requests.count
    let again = try await command.run(arguments: ["fetch", "--allow-net", "loopback"] + urls)
    #expect(again.status == 0)
    #expect(server.requests[before...].allSatisfy { Int($0.path.dropFirst()).map { $0 % 2 == 1 } ?? false })
    #expect(server.requests[before...].allSatisfy { $0.field("If-None-Match") != nil })
  }

  @Test(
    "killed at random moments and started again, it goes on where it was, to the last byte",
    .enabled(if: NginxServer.isWanted, "nginx-light and openssl are not installed"), arguments: [false, true])
  func killed(overTLS: Bool) async throws {
    let seed = SeededRandom.seed
    print("seed \(seed)")
    var generator = SeededRandom(seed: seed)
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
    let server = try NginxServer(server: "limit_rate_after 100k; limit_rate 1500k;")
    try server.put(body, at: "long.png")
    let url = overTLS ? server.secureURL("/long.png") : server.url("/long.png")
    let arguments = [
      "fetch", "--allow-net", "loopback", "--cacert", server.authority, "--output", "out", url,
    ]
    var kills = 0
    while kills < 5 {
      let process = command.process(arguments)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // The random moment is the point.
      try await Task.sleep(for: .milliseconds(Int.random(in: 60...500, using: &generator)))
      kill(process.processIdentifier, SIGKILL)
      await process.ended()
      kills += 1
      if command.read("out") != nil { break }
    }
    let outcome = try await command.run(arguments: arguments)
    #expect(outcome.status == 0, "seed \(seed): \(outcome.errors)")
    #expect(command.read("out") == Data(body), "seed \(seed)")
    let left = try names(in: "tmp") + names(in: "partial")
    #expect(left.isEmpty, "seed \(seed): \(left)")
    let starts = server.stop().compactMap { entry in
      entry.range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    }
    // What one run has is never asked for again by a later one.
    #expect(starts == starts.sorted() && !starts.contains(0), "seed \(seed): \(starts)")
  }
}
