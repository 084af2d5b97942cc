import ImageCaches
import ImageRendering
import TestSupport
import Testing

@testable import ImageBatch

@Suite("Records of a remote cache", .timeLimit(.minutes(2)))
struct RemoteRecordTests {
  private func output(placeholders: Bool = false) -> StoredOutput {
    var image = RenderedFile(
      format: .webp, width: 640, height: 480, frames: 3, bytes: 300, digest: ContentDigest(hashing: [1]))
    if placeholders {
      image.placeholders = Placeholders(
        dominantColor: "#a0b1c2", blurHash: "LEHV6nWB2yk8pyo0adR*", thumbHash: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
        dataURI: "data:image/png;base64,AAAA")
    }
    return StoredOutput(image, seconds: 0.25)
  }

  @Test("are read as they were written", arguments: [false, true])
  func roundTrip(placeholders: Bool) throws {
    let record = RemoteRecord(output(placeholders: placeholders))
    #expect(RemoteRecord(try record.bytes) == record)
  }

  @Test(
    "are ActionResults of the Remote Execution API: a file with its digest, and the facts as standard output")
  func wireFormat() throws {
    let bytes = try RemoteRecord(output()).bytes
    let fields = try #require(ProtobufFields.parse(bytes))
    #expect(fields.map(\.number) == [2, 5])
    let hex = ContentDigest(hashing: [1]).hex
    // OutputFile { path = 1, digest = 2 }, Digest { hash = 1, size_bytes = 2 }; 300 is the varint AC 02.
    let digest: [UInt8] = [0x0a, 64] + Array(hex.utf8) + [0x10, 0xac, 0x02]
    let file: [UInt8] = [0x0a, 11] + Array("output.webp".utf8) + [0x12, UInt8(digest.count)] + digest
    #expect(fields[0].value == .bytes(file))
    #expect(bytes.starts(with: [0x12, UInt8(file.count)] + file))
  }

  @Test("that are cut, changed or from a stranger are refused, and never trap")
  func damage() throws {
    let whole = try RemoteRecord(output(placeholders: true)).bytes
    for count in 0..<whole.count { #expect(RemoteRecord(Array(whole.prefix(count))) == nil, "\(count)") }
    var random = SeededRandom(seed: SeededRandom.seed)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let record = RemoteRecord(bytes) else { continue }
      #expect(record.output.width > 0 && record.output.height > 0 && record.output.bytes > 0)
    }
    for text in ["", "\u{a}", "<!doctype html><p>Sign in", "{}"] {
      #expect(RemoteRecord(Array(text.utf8)) == nil)
    }
  }

  @Test("with placeholders that aren't any are refused: they are written into pages")
  func placeholders() throws {
    var changed = output(placeholders: true)
    for (color, uri) in [
      ("#12345\"", "data:image/png;base64,AA"), ("#123456", "javascript:alert(1)"), ("", ""),
    ] {
      changed.placeholders?.dominantColor = color
      changed.placeholders?.dataURI = uri
      #expect(RemoteRecord(try RemoteRecord(changed).bytes) == nil, "\(color) \(uri)")
    }
  }

  @Test("numbers of any size are read and written")
  func numbers() throws {
    for value in [0, 1, 127, 128, 300, 1 << 35, UInt64.max] {
      let bytes = ProtobufFields.field(7, value)
      let fields = try #require(ProtobufFields.parse(bytes))
      #expect(fields.count == 1 && fields[0].number == 7 && fields[0].value == .number(value))
    }
    // Eleven bytes, and a tenth byte of more than one bit.
    #expect(ProtobufFields.parse([8] + Array(repeating: 0xff, count: 10) + [1]) == nil)
    #expect(ProtobufFields.parse([8] + Array(repeating: 0xff, count: 9) + [2]) == nil)
    // Fixed-width values are skipped.
    #expect(ProtobufFields.parse([9, 1, 2, 3, 4, 5, 6, 7, 8, 13, 1, 2, 3, 4])?.count == 0)
    #expect(ProtobufFields.parse([9, 1]) == nil)
  }
}

@Suite("The health of a remote cache", .timeLimit(.minutes(2)))
struct RemoteHealthTests {
  private var health = RemoteHealth(patience: 10, concurrency: 16)

  @Test("misses are no failures, however many")
  mutating func misses() {
    for _ in 0..<1000 {
      #expect(health.failed(.lookup, RemoteFailure(status: 404), now: 0) == RemoteHealth.Verdict())
    }
    #expect(health.allows(.lookup) && health.allows(.upload))
  }

  @Test(
    "a refusal ends its own kind of request, with one warning",
    arguments: [401, 403, 405, 413, 500, 507, 301])
  func refusals(status: Int) {
    for operation in [RemoteHealth.Operation.lookup, .upload] {
      var health = RemoteHealth(patience: 10, concurrency: 16)
      #expect(health.failed(operation, RemoteFailure(status: status), now: 0).warning != nil)
      #expect(health.failed(operation, RemoteFailure(status: status), now: 0).warning == nil)
      #expect(!health.allows(operation))
      #expect(health.allows(operation == .lookup ? .upload : .lookup))
    }
  }

  @Test(
    "a server that takes no uploads is told apart from one that lacks an object",
    arguments: [404, 405, 409, 501])
  mutating func noUploads(status: Int) {
    let warning = health.failed(.upload, RemoteFailure(status: status, to: .upload), now: 0).warning
    #expect(
      warning?.contains("it doesn't accept uploads (HTTP status \(status))") == true, "\(warning ?? "")")
    #expect(health.allows(.lookup) && !health.allows(.upload))
  }

  @Test("a server that rejects whatever it is asked isn't asked again, with one warning")
  mutating func rejected() {
    let verdict = health.failed(.lookup, RemoteFailure(.rejected, "no bucket"), now: 0)
    #expect(!verdict.endsTransfers && verdict.warning?.contains("isn't used") == true)
    #expect(!health.allows(.lookup) && !health.allows(.upload))
    #expect(health.failed(.upload, RemoteFailure(.rejected, "no bucket"), now: 0) == RemoteHealth.Verdict())
  }

  @Test("a server that is gone ends everything, with one warning")
  mutating func gone() {
    let verdict = health.failed(.upload, RemoteFailure(.unreachable, "no route"), now: 0)
    #expect(verdict.endsTransfers && verdict.warning?.contains("no route") == true)
    #expect(!health.allows(.lookup) && !health.allows(.upload))
    #expect(health.failed(.lookup, RemoteFailure(.unreachable, "no route"), now: 0) == RemoteHealth.Verdict())
  }

  @Test("a busy server is left alone after eight failures in a row, not before")
  mutating func busy() {
    for round in 0..<3 {
      for _ in 0..<7 {
        #expect(health.failed(.lookup, RemoteFailure(status: 503), now: 0).warning == nil, "\(round)")
      }
      health.succeeded(.lookup)
    }
    for _ in 0..<7 { #expect(health.failed(.lookup, RemoteFailure(status: 429), now: 0).warning == nil) }
    #expect(health.failed(.lookup, RemoteFailure(status: 429), now: 0).warning != nil)
    #expect(health.allows(.lookup) && health.pause(of: .lookup, now: 0) == 2)
    #expect(health.pause(of: .upload, now: 0) == 0)
  }

  @Test("after each pause one failure makes the next one, twice as long, up to a minute; a success ends that")
  mutating func pauses() {
    var now = 100.0
    for _ in 0..<8 { _ = health.failed(.upload, RemoteFailure(status: 503), now: now) }
    var pauses: [Double] = []
    for _ in 0..<8 {
      let pause = health.pause(of: .upload, now: now)
      pauses.append(pause)
      // What was in flight counts no more.
      for _ in 0..<20 { _ = health.failed(.upload, RemoteFailure(status: 503), now: now + pause / 2) }
      now += pause
      #expect(health.pause(of: .upload, now: now) == 0)
      let verdict = health.failed(.upload, RemoteFailure(status: 503), now: now)
      #expect(verdict.warning == nil, "it is told once")
    }
    #expect(pauses == [2, 4, 8, 16, 32, 60, 60, 60])
    now += 60
    health.succeeded(.upload)
    for _ in 0..<7 { _ = health.failed(.upload, RemoteFailure(status: 503), now: now) }
    #expect(health.pause(of: .upload, now: now) == 0)
    _ = health.failed(.upload, RemoteFailure(status: 503), now: now)
    #expect(health.pause(of: .upload, now: now) == 2)
  }

  @Test("a damaged entry is named once; after three nothing more is read")
  mutating func damage() {
    let failure = RemoteFailure(.wrong, "other bytes")
    #expect(health.failed(.lookup, failure, now: 0).warning != nil)
    #expect(health.failed(.lookup, failure, now: 0).warning == nil && health.allows(.lookup))
    #expect(health.failed(.lookup, failure, now: 0).warning != nil && !health.allows(.lookup))
  }

  @Test("slow lookups delay a run by the timeout at most, and quick ones not at all")
  mutating func slowness() {
    for _ in 0..<100_000 { #expect(health.took(0.4) == RemoteHealth.Verdict()) }
    var waited = 0.0
    while health.allows(.lookup), waited < 1000 {
      _ = health.took(2)
      waited += 2 / 16
    }
    #expect(waited > 10 && waited < 15, "\(waited) s")
  }
}
