import Foundation
import Glibc
import ImageCaches
import ImageFilters
import SystemIO
import TestSupport
import Testing

@testable import ImageBatch
@testable import ImageDownloads
@testable import ImageRendering

@Suite("Lock files", .timeLimit(.minutes(8)))
struct LockFileTests {
  private let directory: TestDirectory
  private let seed = SeededRandom.seed

  init() throws { directory = try TestDirectory("lock") }

  private func stored(_ values: inout RandomValues, _ name: String) -> StoredSource {
    var stored = StoredSource(
      digest: values.digest(), path: "/x", byteCount: values.number(), disposition: .downloaded,
      displayText: name)
    stored.etag = values.optional { $0.text() }
    stored.lastModified = values.optional { $0.text() }
    stored.contentType = values.optional { $0.text() }
    stored.finalURL = values.optional { $0.text() }
    return stored
  }

  private func lock(_ values: inout RandomValues) -> LockFile {
    var lock = LockFile()
    for _ in 0..<values.int(0...4) {
      lock.manifests[values.text()] = values.digest().hex
      let name = values.text()
      lock.sources[name] =
        values.chance(4)
        ? LockFile.Source()
        : LockFile.Source(
          SourceRecord(
            stored: stored(&values, name), format: values.optional { $0.text() },
            width: values.optional { $0.number() },
            height: values.optional { $0.number() }))
      lock.outputs[values.text()] = LockFile.Output(
        sha256: values.digest().hex, bytes: values.number(), recipe: values.text())
    }
    return lock
  }

  @Test("read back as they were, are the same each time, and have a member a line")
  func roundTrip() throws {
    var values = RandomValues(seed: seed)
    for _ in 0..<60 {
      let lock = lock(&values)
      try lock.write(to: directory["a.lock"])
      let other = try LockFile(path: directory["a.lock"])
      #expect(other == lock, "seed \(seed)")
      #expect(try other.encoded() == lock.encoded())
      let text = try #require(directory.text("a.lock"))
      #expect(text.hasSuffix("}\n") && text.hasPrefix("{\n"))
    }
    #expect(directory.names == ["a.lock"])
  }

  @Test("one more output changes only its own lines")
  func smallChanges() throws {
    var values = RandomValues(seed: seed)
    var lock = LockFile()
    for index in 0..<20 {
      lock.outputs["\(index).png"] = .init(sha256: values.digest().hex, bytes: index, recipe: "r")
    }
    let before = Set(String(decoding: try lock.encoded(), as: UTF8.self).split(separator: "\n"))
    lock.outputs["10a.png"] = .init(sha256: values.digest().hex, bytes: 1, recipe: "r")
    let after = String(decoding: try lock.encoded(), as: UTF8.self).split(separator: "\n")
    #expect(after.filter { !before.contains($0) }.count <= 5)
  }

  @Test("what is no lock file is refused, and one of a version to come says which")
  func refused() throws {
    for text in [
      "", "{}", "[]", "{\"imagemill-lock\": 2}", "{\"imagemill-lock\": \"2\", \"sources\": {}}", "\u{0}",
    ] {
      let path = try directory.write(text, to: "bad.lock")
      let error = #expect(throws: LockFile.Failure.self) { try LockFile(path: path) }
      guard case .unreadable(let reason)? = error, reason == "it isn't a lock file" else {
        Issue.record("\(text): \(String(describing: error))")
        continue
      }
    }
    let path = try directory.write("{\"imagemill-lock\": 99, \"sources\": {}}", to: "new.lock")
    guard
      case .version(99)? = #expect(throws: LockFile.Failure.self, performing: { try LockFile(path: path) })
    else {
      Issue.record("a version to come")
      return
    }
    guard
      case .unreadable(let reason)? = #expect(
        throws: LockFile.Failure.self, performing: { try LockFile(path: directory["none"]) }),
      reason.contains(SystemError(code: ENOENT).text)
    else {
      Issue.record("a missing file")
      return
    }
    // Missing directories are made; a file in a directory's place stays.
    try LockFile().write(to: directory["none/a.lock"])
    #expect(directory.text("none/a.lock")?.isEmpty == false)
    #expect(throws: LockFile.Failure.self) { try LockFile().write(to: directory["none/a.lock/b.lock"]) }
  }

  @Test("one of version 1 has sources alone, and is written as the present version")
  func versionOne() throws {
    let path = try directory.write(
      "{\"imagemill-lock\": 1, \"sources\": {\"a.png\": {\"sha256\": \"00\"}}}", to: "old.lock")
    let lock = try LockFile(path: path)
    #expect(!lock.hasOutputs && lock.sources["a.png"]?.sha256 == "00" && lock.outputs.isEmpty)
    try lock.write(to: path)
    #expect(try LockFile(path: path).hasOutputs)
  }

  @Test("paths are relative to the lock file's directory, wherever they are, and lead back")
  func paths() throws {
    for name in ["a/b/c.png", "a/x.png", "d/e.png", "f.png"] { try directory.write("", to: name) }
    #expect(symlink("a", directory["link"]) == 0)
    let paths = try #require(LockPaths(lockFile: directory["a/m.lock"]))
    for (name, expected) in [
      ("a/x.png", "x.png"), ("a/b/c.png", "b/c.png"), ("d/e.png", "../d/e.png"), ("f.png", "../f.png"),
      ("link/x.png", "x.png"),
      ("a/../f.png", "../f.png"), ("a/new.png", "new.png"),
    ] {
      let relative = try #require(paths.relative(directory[name]))
      #expect(relative == expected)
      let back = URL(filePath: paths.absolute(relative)).standardizedFileURL.path
      #expect(back == URL(filePath: directory[name]).resolvingSymlinksInPath().standardizedFileURL.path)
    }
    #expect(paths.relative(directory["none/x.png"]) == nil)
    #expect(LockPaths(lockFile: directory["none/m.lock"]) == nil)
  }

  @Test("a recipe's hash changes with all that an output is made of, and with nothing else")
  func recipes() throws {
    func output(_ chain: String = "flip", _ path: String = "x.png") throws -> JobOutput {
      JobOutput(
        template: try OutputTemplate(parsing: path), chain: try .init(parsing: chain),
        encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"),
        variables: ["a": "1", "b": "2"])
    }
    let job = Job(index: 1, sources: [.file("a.png")], outputs: [])
    let base = LockFile.recipe(try output(), of: job)
    var same = job
    (same.index, same.priority, same.isProgressive) = (9, 9, true)
    #expect(LockFile.recipe(try output(), of: same) == base)
    var recipes = [
      base, LockFile.recipe(try output("flop"), of: job),
      LockFile.recipe(try output("flip", "y.png"), of: job),
    ]
    var other = job
    other.sources = [.file("b.png")]
    recipes.append(LockFile.recipe(try output(), of: other))
    other.sources = [.file("a.png"), .file("b.png")]
    recipes.append(LockFile.recipe(try output(), of: other))
    other = job
    other.placeholder = .file("p.png")
    recipes.append(LockFile.recipe(try output(), of: other))
    var changed = try output()
    changed.variables = ["a": "12", "b": ""]
    recipes.append(LockFile.recipe(changed, of: job))
    changed = try output("overlay:logo")
    recipes.append(LockFile.recipe(changed, of: job))
    changed.namedSources = ["logo": .file("l.png")]
    recipes.append(LockFile.recipe(changed, of: job))
    #expect(Set(recipes).count == recipes.count)
  }

  @Test("a recorder keeps what was used and made, and the present digests of what was refused")
  func recorder() throws {
    var values = RandomValues(seed: seed)
    let manifest = try directory.write("jobs", to: "m.yaml")
    let recorder = LockRecorder(path: directory["m.lock"])
    let encoding = try Encoding(resolving: EncodingSettings(), pathExtension: "png")
    let job = Job(
      index: 1, sources: [.file("a.png"), .file("b.png")],
      outputs: [JobOutput(template: try OutputTemplate(parsing: "x.png"), chain: .init(), encoding: encoding)]
    )
    recorder.note(job)
    recorder.note(SourceRecord(stored: stored(&values, "b.png"), format: "png", width: 1, height: 2))
    for (name, status) in [
      ("x.png", OutputResult.Status.written), ("kept.png", .kept), ("failed.png", .failed),
    ] {
      var result = OutputResult(
        index: 1, outputIndex: 0, source: "a.png", status: status, filter: "", format: "png")
      (result.path, result.sha256, result.bytes) = (directory[name], values.digest().hex, 7)
      recorder.note(result)
    }
    var mismatch = OutputResult(
      index: 2, outputIndex: 0, source: "c.png", status: .failed, filter: "", format: "png")
    var error = JobError("digest-mismatch", .download)
    error.foundDigest = ContentDigest(of: "now")
    mismatch.error = error
    // The manifest's own digest.
    recorder.note(mismatch)
    #expect(recorder.mismatches.isEmpty)
    error.reason = .lockFile
    mismatch.error = error
    recorder.note(mismatch)
    let lock = try recorder.lock(manifests: [manifest, "-", directory["none.yaml"]])
    #expect(lock.manifests == ["m.yaml": ContentDigest(of: "jobs").hex])
    #expect(lock.sources.keys.sorted() == ["a.png", "b.png"])
    #expect(lock.sources["a.png"] == LockFile.Source() && lock.sources["b.png"]?.width == 1)
    #expect(lock.outputs.keys.sorted() == ["x.png"])
    #expect(lock.outputs["x.png"]?.recipe == LockFile.recipe(job.outputs[0], of: job))
    #expect(recorder.mismatches == ["c.png": ContentDigest(of: "now").hex])
    let none = LockRecorder(path: nil)
    none.note(job)
    none.note(SourceRecord(stored: stored(&values, "b.png"), format: "png", width: 1, height: 2))
    none.note(mismatch)
    #expect(none.mismatches.count == 1)
    #expect(try none.lock(manifests: [manifest]).sources.isEmpty)
  }

  @Test("a recipe doesn't depend on passwords and tokens, so that nobody can guess at them with the file")
  func secrets() throws {
    func recipe(_ user: String, _ token: String, _ path: String = "a.png") throws -> String {
      let url = "https://me:\(user)@h.example/\(path)?token=\(token)"
      let reference = url.replacing(":", with: "%3A").replacing("=", with: "%3D")
      let output = JobOutput(
        template: try OutputTemplate(parsing: "x.png"),
        chain: try FilterChain(parsing: "overlay:\(reference)"),
        encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"))
      let job = Job(index: 1, sources: [try ImageSource(parsing: url)], outputs: [output])
      return LockFile.recipe(output, of: job)
    }
    #expect(try recipe("secret", "s3cr3t") == recipe("other", "t0ken"))
    #expect(try recipe("secret", "s3cr3t") != recipe("secret", "s3cr3t", "b.png"))
  }
}
