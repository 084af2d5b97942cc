import Foundation
import ImageCaches
import ImageDownloads
import ImageFilters
import LoopbackServer
import TestSupport
import Testing
import Vips

@testable import ImageBatch
@testable import ImageRendering

@Suite("Jobs in Swift", .timeLimit(.minutes(8)))
struct TypedJobTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory("typed") }

  private func batch(
    slots: Int = 2, _ change: (inout BatchConfiguration) -> Void = { _ in }
  ) throws -> Batch {
    var configuration = BatchConfiguration()
    configuration.outputPath = directory["out"]
    change(&configuration)
    var downloads = ImageDownloader.Configuration()
    _ = downloads.addressPolicy.allow("loopback")
    return try Batch(
      configuration, cacheDirectory: URL(filePath: directory["cache"]), downloads: downloads,
      rendering: .threads(slots))
  }

  private func page(_ seed: Int = 0, gate: Gate? = nil) -> Page {
    Page(PNGImage.bytes(width: 40, height: 30, seed: seed), type: "image/png", gate: gate)
  }

  private func url(_ server: LoopbackServer, _ path: String) throws -> URL {
    try #require(URL(string: server.url(path)))
  }

  @Test("each job has one result; outputs are where they belong")
  func results() async throws {
    let server = try LoopbackServer { request in
      request.path == "/3.png" ? Page(text: "none", status: 404) : page(request.path.utf8.count)
    }
    defer { server.stop() }
    let jobs = try (0..<20).map { number in
      Job(
        source: try url(server, "/\(number).png"), output: "thumbs/\(number)-{width}.webp",
        filters: .fill(width: 12, height: 8), .circle, encoding: .webp(quality: 70))
    }
    let batch = try batch()
    var results: [Int: JobResult] = [:]
    for await result in batch.results(of: jobs) { results[result.index] = result }
    #expect(Set(results.keys) == Set(1...20))
    #expect(results.values.filter(\.failed).map(\.index) == [4])
    #expect(results[4]?.outputs.first?.error?.code == .httpStatus)
    #expect(results[1]?.outputs.first?.output == "thumbs/0-8.webp")
    #expect(try VipsImage(contentsOf: URL(filePath: directory["out/thumbs/0-8.webp"])).size.width == 8)
    let summary = await batch.summary
    #expect((summary.jobs, summary.jobsDone, summary.jobsFailed, summary.jobsNotStarted) == (20, 19, 1, 0))
    #expect(server.requests.count == 20)
  }

  @Test("one source, several outputs, one download; the encoding is that of the path")
  func outputs() async throws {
    let server = try LoopbackServer { _ in page() }
    defer { server.stop() }
    let job = Job(
      source: try url(server, "/a.png"),
      outputs: [
        JobOutput("a.jpg", filters: .limit(width: 10)), JobOutput("a.png"),
        JobOutput("a.bin", filters: Darker(), encoding: .png()),
      ])
    let batch = try batch()
    for await result in batch.results(of: [job]) { #expect(!result.failed && result.outputs.count == 3) }
    let files = ["out/a.bin", "out/a.jpg", "out/a.png"]
    #expect(directory.names.filter { $0.hasPrefix("out/") } == files)
    let types = files.map { [UInt8](FileManager.default.contents(atPath: directory[$0]) ?? Data()).prefix(3) }
    #expect(types == [[0x89, 0x50, 0x4e], [0xff, 0xd8, 0xff], [0x89, 0x50, 0x4e]])
    #expect(server.requests.count == 1)
    #expect(try VipsImage(contentsOf: URL(filePath: directory["out/a.bin"])).pixels().allSatisfy { $0 < 128 })
    #expect(await batch.summary.decodes == 1)
  }

  private struct Darker: ImageFilter {
    var identifier: String { "darker" }
    func apply(to image: VipsImage) throws(FilterError) -> VipsImage {
      do { return try image.linear([0.5], [0]).cast(to: image.format) } catch {
        throw FilterError(.failed, "\(error)")
      }
    }
  }

  @Test("arguments that are invalid fail their job and no other, before anything is downloaded")
  func invalid() async throws {
    let server = try LoopbackServer { _ in page() }
    defer { server.stop() }
    let source = try url(server, "/a.png")
    let jobs = [
      Job(source: source, output: "a{.webp"), Job(source: source, output: ""),
      Job(source: source, output: "{nope}.webp"), Job(source: source, output: "a.xyz"),
      Job(source: source, output: "b.webp", filters: .fill(width: 0, height: 1)),
      Job(source: source, outputs: []),
      Job(source: URL(filePath: "/etc/hostname"), output: "c.png"),
      Job(source: source, output: "../../../outside.png"),
      Job(file: URL(filePath: try directory.write(page().body, to: "in.png")), output: "good.png"),
    ]
    let batch = try batch()
    var codes: [Int: String] = [:]
    for await result in batch.results(of: jobs) {
      codes[result.index] = result.outputs.first?.error?.codeText ?? (result.failed ? "?" : "")
    }
    #expect(codes[9] == "" && codes.count == jobs.count, "\(codes)")
    #expect((1...5).allSatisfy { codes[$0] == (($0 == 5) ? "filter-failed" : "bad-output") }, "\(codes)")
    #expect(codes[7] == "bad-source" && codes[8] != "", "\(codes)")
    #expect(directory.names.filter { $0.hasPrefix("out/") } == ["out/good.png"])
    #expect(await batch.summary.jobsFailed == 7)
  }

  @Test("a value in a template is taken literally, a brace of the literal is a field")
  func template() throws {
    let name = "{width}/{a"
    let template: OutputTemplate = "x/\(name)-{index}.\("web")p"
    #expect(template.text == "x/{{width}}/{{a-{index}.webp" && template.fields.map(\.name) == ["index"])
    #expect(template == (try OutputTemplate(parsing: template.text)))
    #expect(OutputTemplate(path: "{}").fields.isEmpty && OutputTemplate(path: "{}").problem == nil)
    #expect(("{" as OutputTemplate).problem != nil)
  }

  @Test("leaving the loop cancels the batch with what is in flight", arguments: [true, false])
  func leaving(byTask: Bool) async throws {
    let gate = Gate()
    let server = try LoopbackServer { request in
      page(request.path.utf8.count, gate: request.path == "/0.png" ? nil : gate)
    }
    defer { server.stop() }
    let jobs = try (0..<100).map { number in
      Job(source: try url(server, "/\(number).png"), output: "\(number).webp")
    }
    let batch = try batch()
    let seen = Shared(0)
    let loop = Task {
      for await _ in batch.results(of: jobs) {
        seen.change { $0 += 1 }
        if !byTask { break }
      }
    }
    while seen.value == 0 { try await Task.sleep(for: .milliseconds(2)) }
    if byTask { loop.cancel() }
    await loop.value
    // The gate is still shut: the transfers in flight were aborted, not awaited.
    let summary = await batch.summary
    gate.open()
    #expect(seen.value == 1 && summary.jobsDone == 1 && summary.jobsFailed == 0)
    #expect(summary.jobsNotStarted == 99 && summary.jobs == 100)
    #expect(server.requests.count < 50)
    #expect(directory.names.filter { $0.hasPrefix("out/") } == ["out/0.webp"])
  }

  @Test("a thousand jobs and a slow reader: every result arrives once")
  func many() async throws {
    let server = try LoopbackServer { _ in page() }
    defer { server.stop() }
    let jobs = try (0..<1000).map { number in
      Job(source: try url(server, "/\(number % 10).png"), output: "\(number).png", filters: .invert)
    }
    let batch = try batch()
    var seen: Set<Int> = []
    for await result in batch.results(of: jobs) {
      #expect(seen.insert(result.index).inserted && !result.failed)
      if seen.count < 5 { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(seen.count == 1000 && server.requests.count == 10)
    #expect(await batch.summary.renderings == 1)
  }
}
