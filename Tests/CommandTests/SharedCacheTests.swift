import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("one cache directory", .timeLimit(.minutes(8)))
struct SharedCacheTests {
  /// As often as `IMAGEMILL_SHARED_CACHE_ROUNDS` says; 20 before a release.
  private static let rounds =
    ProcessInfo.processInfo.environment["IMAGEMILL_SHARED_CACHE_ROUNDS"].flatMap { Int($0) } ?? 3

  @Test("eight processes run overlapping manifests on it at once, and every output is right")
  func eightProcesses() async throws {
    let processes = 8
    let server = try LoopbackServer { request in
      let number = Int(request.path.filter(\.isNumber)) ?? 0
      return Page(
        PNGImage.bytes(width: 60, height: 40, seed: number), type: "image/png",
        fields: [("Cache-Control", "max-age=600")])
    }
    let chains = ["fit:20x20", "fill:16x16,circle", "fit:20x20,blur:1"]
    func manifest(_ sources: [Int]) -> String {
      "imagemill: 1\njobs:\n"
        + sources.map { source in
          "  - source: \"\(server.url("/\(source).png"))\"\n    outputs:\n"
            + chains.enumerated().map { "      - {filter: \"\($1)\", output: \"\(source)-\($0).png\"}\n" }
            .joined()
        }.joined()
    }
    let reference = try CommandRun()
    try reference.write(manifest(Array(0..<12)), to: "m.yaml")
    #expect(
      try await reference.run("run", "--allow-net", "loopback", "--no-cache", "-C", "out", "m.yaml").status
        == 0)
    for round in 0..<Self.rounds {
      let command = try CommandRun()
      let before = server.requests.count
      try await withThrowingTaskGroup(of: Void.self) { group in
        for process in 0..<processes {
          // Each has eight of the twelve sources: any two of them share at least four.
          let sources = (0..<8).map { (process + $0) % 12 }
          try command.write(manifest(sources), to: "m\(process).yaml")
          group.addTask {
            let outcome = try await command.run(
              "run", "--allow-net", "loopback", "--cache-intermediates", "always", "-C", "out\(process)",
              "m\(process).yaml")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(!outcome.errors.contains("warning"), "\(outcome.errors)")
            for source in sources {
              for chain in chains.indices {
                let name = "\(source)-\(chain).png"
                #expect(command.read("out\(process)/\(name)") == reference.read("out/\(name)"), "\(name)")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      // At worst no process knows of another: 64 downloads of 12 sources.
      let requests = server.requests.count - before
      #expect((12...64).contains(requests), "round \(round)")
      try await expectSound(command)
      // Now all is known: one more run asks for nothing.
      try command.write(manifest(Array(0..<12)), to: "all.yaml")
      let after = server.requests.count
      #expect(try await command.run("run", "--allow-net", "loopback", "-C", "all", "all.yaml").status == 0)
      #expect(server.requests.count == after)
    }
  }

  @Test(
    "processes whose jobs need more than its capacity fail none, whatever is purged, checked and cleared between",
    arguments: [("20kB", 4), ("100kB", 2), ("100kB", 6), ("500kB", 4), ("2MB", 2)])
  func smallCapacity(_ size: String, _ processes: Int) async throws {
    let server = try LoopbackServer { request in
      let number = Int(request.path.filter(\.isNumber)) ?? 0
      return Page(
        PNGImage.bytes(width: 90, height: 60, seed: number), type: "image/png",
        fields: [("Cache-Control", "max-age=600")])
    }
    func manifest(_ sources: [Int]) -> String {
      "imagemill: 1\njobs:\n"
        + sources.map {
          """
            - source: "\(server.url("/\($0).png"))"
              outputs: [{filter: "fit:40x40,blur:1", output: "\($0)-a.png"}, {filter: flip, output: "\($0)-b.png"}]

          """
        }.joined()
    }
    let command = try CommandRun()
    try command.write(manifest(Array(0..<30)), to: "all.yaml")
    #expect(
      try await command.run("run", "--allow-net", "loopback", "--no-cache", "-C", "right", "all.yaml").status
        == 0)
    let isDone = Shared(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !isDone.value, !Task.isCancelled {
          for step in ["purge", "verify", "clear"] {
            let outcome = try await command.run("cache", step)
            #expect(
              outcome.status == 0 && outcome.errors.isEmpty, "\(step): \(outcome.text)\(outcome.errors)")
          }
        }
      }
      // Also if a run throws: the task above would go on until the suite's time is over.
      defer { isDone.change { $0 = true } }
      try await withThrowingTaskGroup(of: Void.self) { runs in
        for process in 0..<processes {
          let sources = (0..<20).map { (process * 7 + $0) % 30 }
          try command.write(manifest(sources), to: "m\(process).yaml")
          runs.addTask {
            for round in 0..<2 {
              let outcome = try await command.run(
                "run", "--allow-net", "loopback", "--cache-intermediates", "always", "--cache-size", size,
                "-C", "out\(process)-\(round)", "m\(process).yaml")
              #expect(outcome.status == 0 && !outcome.errors.contains("warning"), "\(outcome.errors)")
              for source in sources {
                for name in ["\(source)-a.png", "\(source)-b.png"] {
                  #expect(
                    command.read("out\(process)-\(round)/\(name)") == command.read("right/\(name)"), "\(name)"
                  )
                }
              }
            }
          }
        }
        try await runs.waitForAll()
      }
      isDone.change { $0 = true }
      try await group.waitForAll()
    }
    try await expectSound(command)
  }

  /// The index passes SQLite's own check, and nothing is left over.
  private func expectSound(_ command: CommandRun) async throws {
    let temporaries = try FileManager.default.contentsOfDirectory(atPath: command.directory + "/cache/tmp")
    #expect(temporaries.isEmpty, "\(temporaries)")
    let check = try await command.run("cache", "verify")
    #expect(check.status == 0 && check.text.contains(" 0 damaged"), "\(check.text)\(check.errors)")
  }

  @Test(
    "any byte flipped, any file removed or cut: the next run makes right outputs, and says what it mended")
  func damage() async throws {
    let seed = SeededRandom.seed
    var generator = SeededRandom(seed: seed)
    print("damage seed: \(seed)")
    func random(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &generator) }
    let server = try LoopbackServer { request in
      let number = Int(request.path.filter(\.isNumber)) ?? 0
      return Page(
        PNGImage.bytes(width: 60, height: 40, seed: number), type: "image/png",
        fields: [("Cache-Control", "max-age=600"), ("ETag", "\"\(number)\"")])
    }
    let command = try CommandRun()
    let lines = (0..<4).map {
      "  - {source: \"\(server.url("/\($0).png"))\", filter: \"fit:20x20,blur:1\", output: \"o/\($0).png\"}\n"
    }
    try command.write("imagemill: 1\njobs:\n" + lines.joined(), to: "m.yaml")
    func run() async throws -> CommandRun.Outcome {
      // What is left there would be kept, and nothing rendered.
      let made = command.work + "/o"
      if FileManager.default.fileExists(atPath: made) { try FileManager.default.removeItem(atPath: made) }
      return try await command.run(
        "run", "--allow-net", "loopback", "--cache-intermediates", "always", "m.yaml")
    }
    #expect(try await run().status == 0)
    let right = (0..<4).map { command.read("o/\($0).png") }
    #expect(right.allSatisfy { $0 != nil })
    for round in 0..<24 {
      let cache = command.directory + "/cache"
      let files = try #require(FileManager.default.enumerator(atPath: cache)).allObjects
        .compactMap { $0 as? String }
        .filter { path in
          var isDirectory: ObjCBool = false
          return FileManager.default.fileExists(atPath: cache + "/" + path, isDirectory: &isDirectory)
            && !isDirectory.boolValue
        }.sorted()
      // The index is one file of many: every third time it is its turn.
      let file = round % 3 == 0 ? "index.sqlite" : files[random(files.count)]
      let path = cache + "/" + file
      var bytes = FileManager.default.contents(atPath: path) ?? Data()
      let kind = bytes.isEmpty ? 2 : random(3)
      switch kind {
      case 0: bytes[random(bytes.count)] ^= UInt8(1 << random(8))
      case 1: bytes = bytes.prefix(random(bytes.count))
      default: try FileManager.default.removeItem(atPath: path)
      }
      if kind < 2 { try bytes.write(to: URL(fileURLWithPath: path)) }
      let what = "round \(round): \(file) \(["flipped", "cut to \(bytes.count)", "removed"][kind])"
      let outcome = try await run()
      #expect(outcome.status == 0, "\(what): \(outcome.errors)")
      for index in right.indices { #expect(command.read("o/\(index).png") == right[index], "\(what)") }
      let check = try await command.run("cache", "verify")
      #expect(check.text.hasSuffix(" damaged\n"), "\(what): \(check.errors)")
      // An object that a run needed is told of; what it didn't need, verify finds.
      if file.hasPrefix("objects/"), kind < 2, !check.text.contains(" 0 damaged") {
        #expect(check.errors.contains("was damaged"), "\(what): \(check.errors)")
      }
    }
  }

  @Test("an object that a run needs and finds damaged is told of")
  func mendedObject() async throws {
    let command = try CommandRun()
    let server = try LoopbackServer(pages: [
      "/a.png": Page(
        PNGImage.bytes(width: 60, height: 40), type: "image/png", fields: [("Cache-Control", "max-age=600")]
      )
    ])
    let job = Data("{\"source\":\"\(server.url("/a.png"))\",\"output\":\"a.png\"}".utf8)
    func run() async throws -> CommandRun.Outcome {
      try await command.run("run", "--allow-net", "loopback", "-", input: job)
    }
    #expect(try await run().status == 0)
    let right = command.read("a.png")
    let objects = command.directory + "/cache/objects"
    for case let file as String in try #require(FileManager.default.enumerator(atPath: objects))
    where file.contains("/") {
      let path = objects + "/" + file
      var bytes = try #require(FileManager.default.contents(atPath: path))
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
    }
    try FileManager.default.removeItem(atPath: command.work + "/a.png")
    let outcome = try await run()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("was damaged and will be recreated"), "\(outcome.errors)")
    #expect(command.read("a.png") == right)
    #expect(server.count(of: "/a.png") == 2)
  }

  @Test("it never takes more than its capacity and one object, and keeps what a run is using")
  func capacity() async throws {
    let command = try CommandRun()
    let images = (0..<30).map { PNGImage.bytes(width: 120, height: 90, seed: $0) }
    let largest = images.map(\.count).max() ?? 0
    let server = try LoopbackServer { request in
      Page(
        images[Int(request.path.filter(\.isNumber)) ?? 0], type: "image/png",
        fields: [("Cache-Control", "max-age=600")])
    }
    let lines = images.indices.map {
      "  - {source: \"\(server.url("/\($0).png"))\", filter: \"fit:100x100\", output: \"o/\($0).png\"}\n"
    }
    try command.write("imagemill: 1\njobs:\n" + lines.joined(), to: "m.yaml")
    let capacity = 5 * largest
    let outcome = try await command.run(
      "run", "--allow-net", "loopback", "-d", "2", "-j", "1", "--cache-size", "\(capacity)", "m.yaml")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(command.files.filter { $0.hasPrefix("o/") }.count == 30)
    let objects = command.directory + "/cache/objects"
    var total = 0
    for case let file as String in try #require(FileManager.default.enumerator(atPath: objects))
    where file.contains("/") {
      total += FileManager.default.contents(atPath: objects + "/" + file)?.count ?? 0
    }
    #expect(total <= capacity + largest)
    #expect(total > 0)
  }
}
