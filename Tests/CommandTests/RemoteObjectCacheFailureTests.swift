import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Whatever the server does, each output is made, and the run is told once.
@Suite("A remote cache in a bucket that fails", .timeLimit(.minutes(8)))
struct RemoteObjectCacheFailureTests {
  private let bucket: RemoteBucket
  private var server: ObjectServer { bucket.server }

  init() throws { bucket = try RemoteBucket() }

  /// A server's answer, and what is told of it.
  struct Refusal: CustomTestStringConvertible, Sendable {
    var code = ""
    var status: Int
    var words: String
    var fields: [(name: String, value: String)] = []
    /// One if nothing more is asked, else one for lookups and one for uploads.
    var warnings = 1

    var testDescription: String { "\(status) \(code)" }
    var page: Page {
      code.isEmpty
        ? Page(status: status, fields: fields) : ObjectServer.error(code, status: status, fields: fields)
    }
  }

  static let answers = [
    Refusal(code: "NoSuchBucket", status: 404, words: "no bucket 'outputs'; check its name and the endpoint"),
    Refusal(
      code: "AccessDenied", status: 403, words: "allow the credentials s3:GetObject and s3:ListBucket"),
    Refusal(code: "InvalidAccessKeyId", status: 403, words: "doesn't know the access key; check the"),
    Refusal(code: "SignatureDoesNotMatch", status: 403, words: "check the secret access key"),
    Refusal(code: "ExpiredToken", status: 400, words: "the session token has expired; get new credentials"),
    Refusal(
      code: "RequestTimeTooSkewed", status: 403, words: "minutes ahead of the server's; set it",
      fields: [("Date", "Tue, 01 Jan 2019 00:00:00 GMT")]),
    Refusal(code: "PermanentRedirect", status: 301, words: "check the endpoint and AWS_REGION"),
    Refusal(
      status: 301, words: "is in the region 'eu-north-1'; set AWS_REGION to it",
      fields: [("x-amz-bucket-region", "eu-north-1")]),
    Refusal(status: 403, words: "check the credentials and what they allow", warnings: 2),
    Refusal(status: 507, words: "it is full", warnings: 2),
    Refusal(code: "Odd", status: 400, words: "returned 400 (Odd: Words.)", warnings: 2),
  ]

  @Test("a server that refuses fails nothing, and is named", arguments: answers)
  func refusals(refusal: Refusal) async throws {
    defer { server.stop() }
    server.inject { _ in refusal.page }
    let machine = try CommandRun()
    let (outcome, summary) = try await bucket.run(machine, "--verbose")
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 6, "\(outcome.errors)")
    #expect(machine.made.count == 6)
    #expect(outcome.warnings.count == refusal.warnings, "\(outcome.errors)")
    #expect(
      outcome.warnings.allSatisfy { $0.contains("the remote cache isn't") && $0.contains(refusal.words) },
      "\(outcome.errors)")
    // Lookups and uploads that have begun together; after a refusal nothing more is asked, and no retry waits.
    #expect(server.server.requests.count <= 6 + 4 * (refusal.warnings - 1))
    let signatures = server.server.requests.compactMap {
      $0.field("Authorization")?.split(separator: "Signature=").last
    }
    #expect(!outcome.tellsSecrets && !signatures.isEmpty)
    #expect(signatures.allSatisfy { !(outcome.errors + outcome.text).contains($0) })
  }

  @Test(
    "a server that takes no uploads is still read",
    arguments: [
      Refusal(
        code: "AccessDenied", status: 403, words: "allow the credentials s3:PutObject, or only read"),
      Refusal(status: 507, words: "it is full"),
      Refusal(code: "MethodNotAllowed", status: 405, words: "returned 405"),
    ])
  func readableOnly(refusal: Refusal) async throws {
    defer { server.stop() }
    _ = try await bucket.shared()
    server.inject { $0.method == "PUT" ? refusal.page : nil }
    let (found, summary) = try await bucket.run(try CommandRun())
    #expect(
      found.status == 0 && found.warnings.isEmpty && summary["remoteHits"] as? Int == 6, "\(found.errors)")
    // Nothing is found below another prefix.
    let (refused, rendered) = try await bucket.run(try CommandRun(), at: "s3://outputs/others")
    #expect(refused.status == 0 && rendered["renderings"] as? Int == 6)
    #expect(refused.warnings.count == 1, "\(refused.errors)")
    #expect(refused.warnings.allSatisfy { $0.contains("isn't written") && $0.contains(refusal.words) })
    #expect(server.count("PUT") <= 12 + 4, "after a refusal nothing is uploaded")
  }

  @Test("uploads that arrive damaged are named with their number and reason, and the others go on")
  func damagedUploads() async throws {
    defer { server.stop() }
    server.inject { request in
      guard request.method == "PUT", request.path.contains("/cas/"), request.body.starts(with: "RIFF".utf8)
      else { return nil }
      return ObjectServer.error("BadDigest", status: 400)
    }
    let (outcome, summary) = try await bucket.run(try CommandRun())
    #expect(outcome.status == 0 && summary["remoteUploads"] as? Int == 3, "\(outcome.errors)")
    #expect(outcome.warnings.count == 1, "\(outcome.errors)")
    let words = "3 outputs were not uploaded to the remote cache: "
    #expect(outcome.warnings.allSatisfy { $0.contains(words) && $0.contains("BadDigest") })
    #expect(!outcome.errors.contains("busy or took longer"))
    // The record of an output isn't uploaded without its bytes.
    #expect(server.objects.keys.count { $0.contains("/ac/") } == 3)
  }

  @Test("what a server repeats of the credentials isn't shown")
  func echo() async throws {
    defer { server.stop() }
    server.inject { request in
      let token = request.field("X-Amz-Security-Token") ?? ""
      return Page(
        Array("<Error><Code>Odd</Code><Message>No \(token)!</Message></Error>".utf8), status: 400)
    }
    let (outcome, _) = try await bucket.run(try CommandRun(), "--verbose")
    #expect(
      outcome.status == 0 && !outcome.tellsSecrets && outcome.errors.contains("Odd"), "\(outcome.errors)")
  }

  @Test("a busy server is asked again, with another signature")
  func busy() async throws {
    defer { server.stop() }
    _ = try await bucket.shared()
    let seen = Shared<Set<String>>([])
    // The first request for each path.
    server.inject { request in
      seen.change { $0.insert(request.method + request.path).inserted }
        ? ObjectServer.error("SlowDown", status: 503) : nil
    }
    let (outcome, summary) = try await bucket.run(try CommandRun())
    #expect(outcome.status == 0 && outcome.warnings.isEmpty, "\(outcome.errors)")
    #expect(summary["remoteHits"] as? Int == 6 && summary["renderings"] as? Int == 0)
  }

  @Test("a run comes back to a server after a burst of SlowDown")
  func burst() async throws {
    defer { server.stop() }
    let machine = try CommandRun()
    let count = 40
    var lines = ""
    for number in 0..<count {
      try machine.write(PNGImage.bytes(width: 20, height: 10, seed: number), to: "\(number).png")
      lines += "\(number).png\n"
    }
    // Refused until twice as many uploads as are tolerated in a row have failed with all their five attempts.
    let refusals = Shared<[String: Int]>([:])
    server.inject { request in
      guard request.method == "PUT" else { return nil }
      let isBusy = refusals.change { counts in
        guard counts.values.reduce(0, { $0 + $1 / 5 }) < 16 else { return false }
        counts[request.path, default: 0] += 1
        return true
      }
      return isBusy ? ObjectServer.error("SlowDown", status: 503) : nil
    }
    let outcome = try await machine.run(
      arguments: [
        "pipe", "--remote-cache", "s3://outputs", "--remote-timeout", "2m", "--report", "r.json", "-o",
        "{name}.webp",
      ], input: Data(lines.utf8), environment: bucket.environment)
    #expect(outcome.status == 0 && outcome.warnings.count == 1, "\(outcome.errors)")
    #expect(outcome.warnings.allSatisfy { $0.contains("asked again later") && $0.contains("SlowDown") })
    #expect(server.objects.keys.count { $0.contains("/ac/") } == count)
    #expect(server.count("PUT") >= refusals.value.values.reduce(2 * count, +))
  }

  @Test(
    "a server that never answers a kind of request costs its time limit once", arguments: ["GET", "PUT"])
  func silence(method: String) async throws {
    let gate = Gate()
    defer {
      gate.open()
      server.stop()
    }
    server.inject { $0.method == method ? Page(gate: gate) : nil }
    let (outcome, summary) = try await bucket.run(try CommandRun(), "--remote-timeout", "1s")
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 6)
    #expect(outcome.warnings.count == 1, "\(outcome.errors)")
    #expect(server.count(method) <= 6)
  }

  @Test("a server that stalls in the middle of an object costs its time limit once")
  func stall() async throws {
    defer { server.stop() }
    let first = try await bucket.shared()
    let objects = server.objects.mapValues(\.body)
    server.inject { request in
      guard request.method == "GET", request.path.contains("/cas/"), let body = objects[request.path]
      else { return nil }
      return Page(body, fault: .stall(after: body.count / 2))
    }
    let machine = try CommandRun()
    let (outcome, summary) = try await bucket.run(machine, "--remote-timeout", "1s")
    #expect(outcome.status == 0 && machine.made == first.made && summary["renderings"] as? Int == 6)
    #expect(outcome.warnings.count == 1, "\(outcome.errors)")
    #expect(server.count("GET") <= 6 + 6 + 6)
  }

  @Test("a server that isn't there costs one warning")
  func gone() async throws {
    server.stop()
    let (outcome, summary) = try await bucket.run(try CommandRun())
    #expect(outcome.status == 0 && summary["renderings"] as? Int == 6)
    #expect(outcome.warnings.count == 1, "\(outcome.errors)")
  }

  @Test("wrong bytes and wrong records are never used", arguments: ["bytes", "cut", "record"])
  func lies(lie: String) async throws {
    defer { server.stop() }
    let first = try await bucket.shared()
    for path in server.objects.keys {
      switch lie {
      case "bytes" where path.contains("/cas/"): server.objects[path]?.body[20] ^= 1
      case "cut" where path.contains("/cas/"): server.objects[path]?.body.removeLast()
      case "record" where path.contains("/ac/"): server.objects[path]?.body = Array("hello".utf8)
      default: break
      }
    }
    let machine = try CommandRun()
    let (outcome, summary) = try await bucket.run(machine)
    #expect(outcome.status == 0 && machine.made == first.made, "\(outcome.errors)")
    #expect(summary["remoteHits"] as? Int == 0 && summary["renderings"] as? Int == 6)
    #expect((1...2).contains(outcome.warnings.count), "\(outcome.errors)")
  }
}
