import Foundation
import ImageCaches
import ImageFilters
import SystemIO
import Testing
import Vips

@testable import ImageRendering

/// What a worker does without opening the files of its jobs.
@Suite(
  "A worker that opens no files of a job", .timeLimit(.minutes(8)), .enabled(if: WorkerSandbox.isComplete))
struct WorkerFilesTests {
  private let fixture: RenderingFixture
  /// A worker without restrictions. In this process, other tests' images would add their warnings.
  private let unrestricted = Self.pool(.off)

  init() throws { fixture = try RenderingFixture() }

  private func pool() -> WorkerPool { Self.pool(.strict) }

  private static func pool(_ sandbox: WorkerSandbox) -> WorkerPool {
    WorkerPool(
      WorkerConfiguration(
        slots: 1, executable: WorkerFixture.command, timeout: .seconds(100), memory: 1 << 30,
        sandbox: sandbox))
  }

  private func rendered(_ request: RenderRequest, in pool: WorkerPool) async throws -> RenderResponse {
    try #require(await pool.render { request })
  }

  /// Checks that a worker makes the bytes that one without restrictions makes.
  private func compare(_ request: RenderRequest, _ what: String, in pool: WorkerPool) async throws {
    let expected = try await rendered(request, in: unrestricted)
    let made = try await rendered(request, in: pool)
    #expect(made.warnings == expected.warnings, "\(what)")
    for (recipe, (output, other)) in zip(request.recipes, zip(made.outputs, expected.outputs)) {
      guard case .success(let file) = output.result else {
        // Both must fail alike.
        if case .failure(let error) = output.result, case .failure(let same) = other.result,
          error.code == same.code
        {
          continue
        }
        Issue.record("\(what): \(output.result) instead of \(other.result)")
        continue
      }
      guard case .success(let same) = other.result else {
        Issue.record("\(what): \(output.result) instead of \(other.result)")
        continue
      }
      #expect(file.digest == same.digest, "\(what)")
      let bytes = try Data(contentsOf: URL(filePath: recipe.temporaryPath))
      #expect(ContentDigest(hashing: bytes) == file.digest, "\(what)")
    }
    #expect(try leftovers() == [], "\(what)")
  }

  /// What is left in the directories of the workers.
  private func leftovers() throws -> [String] {
    try Directory.entries(of: fixture.directory).map(\.name).filter { $0.hasPrefix("worker-") }.flatMap {
      name in
      try Directory.entries(of: "\(fixture.directory)/\(name)/out").map(\.name)
    }
  }

  private static let text = """
    <svg xmlns="http://www.w3.org/2000/svg" width="90" height="40"><rect width="90" height="40" fill="#aab"/>
    <text x="5" y="25" font-family="sans" font-size="18">Text</text></svg>
    """

  private func sources() throws -> [String] {
    let (waves, clear) = (try RenderingFixture.waves(90, 70), try RenderingFixture.waves(90, 70, alpha: true))
    let flat = try VipsOperation("flatten", ["in": .image(clear)]).image()
    let frames = try VipsOperation("arrayjoin", ["in": .images([waves, flat]), "across": 1]).image()
    let animation = try frames.editingMetadata {
      $0.set("page-height", 70)
      $0.set("delay", [100, 50])
    }
    var paths = [
      try fixture.save(waves, "jpegsave", "a.jpg"),
      try fixture.save(waves, "jpegsave", "b.jpg", ["interlace": true]),
      try fixture.save(clear, "pngsave", "a.png"),
      try fixture.save(clear, "pngsave", "b.png", ["interlace": true]),
      try fixture.save(clear, "webpsave", "a.webp"), try fixture.save(animation, "webpsave", "b.webp"),
      try fixture.save(animation, "gifsave", "a.gif"), try fixture.save(clear, "tiffsave", "a.tif"),
      try fixture.save(waves, "tiffsave", "b.tif", ["tile": true, "pyramid": true, "compression": "jpeg"]),
      try fixture.save(waves, "heifsave", "a.avif", ["compression": "av1"]),
      try fixture.write(Array(Self.text.utf8), "a.svg"),
    ]
    for (saver, type, name) in [
      ("jxlsave", "Jxl", "a.jxl"), ("jp2ksave", "Jp2k", "a.jp2"), ("ppmsave", "Ppm", "a.ppm"),
      ("radsave", "Rad", "a.hdr"), ("fitssave", "Fits", "a.fits"),
    ] where try VipsRuntime.hasOperation(saver) {
      try VipsRuntime.setBlocked(false, operation: "VipsForeignSave\(type)")
      paths.append(try fixture.save(waves, saver, name))
    }
    for (name, bytes) in RenderingSmallFormatTests.files {
      paths.append(try fixture.write(bytes, "a.\(name)"))
    }
    // Damaged ones fail or warn as they do here.
    let whole = try Data(contentsOf: URL(filePath: paths[0]))
    paths.append(try fixture.write(Array(whole.prefix(whole.count / 2)), "cut.jpg"))
    paths.append(try fixture.write([], "empty.png"))
    paths.append(fixture.path("absent.png"))
    return paths
  }

  @Test("reads every format with the same result, alone and with several outputs")
  func sourceFormats() async throws {
    let pool = pool()
    for source in try sources() {
      let recipes = [
        try fixture.recipe(1, "fit:40x40", "png"), try fixture.recipe(2, "rotate:90,blur:2", "webp"),
        try fixture.recipe(3, "", "jpg"), try fixture.recipe(4, "fit:30x30", "jpg"),
      ]
      for onCorrupt in [CorruptPolicy.fail, .warn] {
        var request = RenderRequest(
          source: .path(source), sourceDigest: ContentDigest(hashing: source.utf8), recipes: recipes)
        request.onCorrupt = onCorrupt
        request.limits.allowedFormats = ["svg", "jxl", "jp2k", "ppm", "hdr", "fits"]
        try await compare(request, source, in: pool)
      }
    }
    #expect(await pool.workersStarted == 1)
    await pool.stop()
    #expect(try Directory.entries(of: fixture.directory).allSatisfy { !$0.name.hasPrefix("worker-") })
  }

  @Test(
    "writes every format with the same bytes",
    arguments: ["jpg", "png", "webp", "gif", "tif", "avif"], [WorkerSandbox.strict, .auto, .off])
  func outputFormats(pathExtension: String, sandbox: WorkerSandbox) async throws {
    let pool = Self.pool(sandbox)
    let profile = fixture.path("p3.icc")
    let bytes = try VipsOperation("profile_load", ["name": "p3"]).bytes("profile")
    try Data(bytes).write(to: URL(filePath: profile))
    let source = try fixture.save(RenderingFixture.waves(400, 300, alpha: true), "pngsave", "a.png")
    let recipes = [
      try fixture.recipe(1, "fit:40x40", pathExtension), try fixture.recipe(2, "fit:40x40", pathExtension),
      try fixture.recipe(3, "", pathExtension) { $0.metadata = "all" },
      try fixture.recipe(4, "fit:50x50", pathExtension) {
        // GIF holds no profile.
        $0.profile = pathExtension == "gif" ? nil : profile
      },
    ]
    try await compare(try fixture.request(source, recipes), pathExtension, in: pool)
    if pathExtension == "tif" {
      let pyramid = try fixture.recipe(1, "", "tif") { $0.options = ["pyramid": "true", "tile": "true"] }
      try await compare(try fixture.request(source, [pyramid]), "pyramid", in: pool)
    }
    await pool.stop()
  }

  @Test("uses overlays, masks, text and fonts")
  func otherFiles() async throws {
    let pool = pool()
    let source = try fixture.save(RenderingFixture.waves(120, 90), "jpegsave", "a.jpg")
    let logo = try fixture.save(RenderingFixture.waves(30, 30, alpha: true), "pngsave", "logo.png")
    var chains = ["overlay:logo", "mask:logo", "text:Hello", "text:'Hello, font=serif bold'"]
    let installed = try #require(FontFile.path(for: "sans"))
    let font = fixture.path("own.ttf")
    try FileManager.default.copyItem(atPath: installed, toPath: font)
    chains += ["text:'Hello',font='\(font)'", "text:'Hello',font='\(fixture.path("absent.ttf"))'"]
    // FreeType would unpack it.
    let packed = try fixture.write([0x1f, 0x8b] + [UInt8](repeating: 0, count: 30), "packed.ttf")
    chains.append("text:'Hello',font='\(packed)'")
    // The second time, the font is there already.
    for chain in chains + chains {
      guard let parsed = try? FilterChain(parsing: chain) else { continue }
      var request = try fixture.request(source, [])
      request.recipes = [
        RenderRecipe(
          id: 1, chain: parsed, encoding: try Encoding(resolving: EncodingSettings(), pathExtension: "png"),
          temporaryPath: fixture.path("out.png"))
      ]
      request.auxiliary["logo"] = AuxiliarySource(.path(logo), digest: ContentDigest(of: "logo"))
      try await compare(request, chain, in: pool)
    }
    await pool.stop()
  }

  @Test("stores and uses renditions")
  func renditions() async throws {
    let pool = pool()
    let source = try fixture.save(RenderingFixture.waves(120, 90), "jpegsave", "a.jpg")
    let recipe = try fixture.recipe(1, "fit:60x60,blur:2", "png")
    let expected = try #require(Renderer().render(try fixture.request(source, [recipe])).file(1)?.digest)
    var keeping = try fixture.request(source, [recipe])
    keeping.renditions.policy = .always
    keeping.renditions.files = (0..<4).map { _ in fixture.path("rendition") }
    let kept = try await rendered(keeping, in: pool)
    #expect(kept.file(1)?.digest == expected && !kept.renditions.isEmpty)
    #expect(try leftovers() == [])
    await pool.stop()
    // Another worker, which doesn't have them in memory.
    let other = self.pool()
    var reusing = try fixture.request(source, [recipe])
    for rendition in kept.renditions {
      #expect(keeping.renditions.files.contains(rendition.path))
      let (bytes, digest) = try FileReading.digest(of: rendition.path)
      #expect(bytes == rendition.bytes && digest == rendition.digest)
      reusing.renditions.stored[rendition.key] = rendition.path
    }
    let reused = try await rendered(reusing, in: other)
    #expect(reused.file(1)?.digest == expected && reused.counts.renditionsReused > 0, "\(reused)")
    await other.stop()
  }

  @Test("gets more sources than one message can carry")
  func manyImages() async throws {
    let pool = pool()
    let source = try fixture.save(RenderingFixture.waves(40, 30), "pngsave", "a.png")
    let logo = try fixture.save(RenderingFixture.waves(4, 4), "pngsave", "logo.png")
    var request = try fixture.request(source, [try fixture.recipe(1, "overlay:n599", "png")])
    for number in 0..<600 {
      request.auxiliary["n\(number)"] = AuxiliarySource(.path(logo), digest: ContentDigest(of: "logo"))
    }
    try await compare(request, "600 images", in: pool)
    await pool.stop()
  }
}
