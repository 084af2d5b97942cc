import ImageBatch
import TestSupport
import Testing

@testable import Manifests

/// One manifest in every form: each must mean the same.
@Suite("The same manifest in every form", .timeLimit(.minutes(8)))
struct SameManifestTests {
  private let seed = SeededRandom.seed

  /// A manifest without the places of its parts, which differ from form to form.
  private func placeless(_ manifest: Manifest) -> Manifest {
    var manifest = manifest
    for index in manifest.jobs.indices {
      manifest.jobs[index].location = nil
      for output in manifest.jobs[index].outputs.indices {
        manifest.jobs[index].outputs[output].location = nil
      }
    }
    return manifest
  }

  private func read(_ text: String, _ form: ManifestReader.Form) -> Result<Manifest, ManifestErrors> {
    do throws(ManifestErrors) {
      return .success(placeless(try ManifestFixture.read(text, form: form)))
    } catch {
      return .failure(error)
    }
  }

  private func expectEqual(_ one: Manifest, _ other: Manifest, _ text: String) {
    #expect(one.jobs == other.jobs, "seed \(seed):\n\(text)")
    #expect(one.outputDirectory == other.outputDirectory && one.namedSources == other.namedSources)
    #expect(Set(one.origins) == Set(other.origins), "seed \(seed)")
  }

  @Test("random manifests in YAML, JSON and TOML, each in a random spelling, give equal jobs")
  func forms() throws {
    var manifests = RandomManifest(seed: seed)
    var printer = ManifestPrinter(seed: seed &+ 1)
    var outputs = 0
    for _ in 0..<150 {
      let model = manifests.manifest()
      let json = printer.json(model)
      let expected: Manifest
      switch read(json, .json) {
      case .success(let manifest): expected = manifest
      case .failure(let errors):
        Issue.record("seed \(seed): \(errors)\n\(json)")
        continue
      }
      outputs += expected.jobs.reduce(0) { $0 + $1.outputs.count }
      for (text, form) in [(printer.yaml(model), ManifestReader.Form.yaml), (printer.toml(model), .toml)] {
        switch read(text, form) {
        case .success(let manifest): expectEqual(manifest, expected, text)
        case .failure(let errors): Issue.record("seed \(seed), \(form): \(errors)\n\(text)")
        }
      }
    }
    #expect(outputs > 300)
  }

  @Test("the order of keys says nothing")
  func order() throws {
    var manifests = RandomManifest(seed: seed)
    var printer = ManifestPrinter(seed: seed)
    for _ in 0..<60 {
      let model = manifests.manifest()
      let shuffled = ModelValue.mapping(model.members.shuffled(using: &manifests.random))
      let texts = [model, shuffled].map { printer.json($0) }
      guard case .success(let one) = read(texts[0], .json), case .success(let other) = read(texts[1], .json)
      else {
        Issue.record("seed \(seed): \(texts)")
        continue
      }
      expectEqual(one, other, texts[1])
    }
  }

  /// A manifest of one line, of several, and one that ends in a text.
  static let samples: [(form: ManifestReader.Form, text: String)] = [
    (.yaml, "imagemill: 1\njobs:\n  - source: é.png\n    output: 'x{name}.png'\n"),
    (.json, "{\"imagemill\": 1,\n \"jobs\": [{\"source\": \"é.png\", \"output\": \"x{name}.png\"}]}\n"),
    (.toml, "imagemill = 1\n[[jobs]]\nsource = \"é.png\"\noutput = \"x{name}.png\"\n"),
  ]

  @Test("a byte order mark, CR LF and a missing last line end change nothing", arguments: samples.indices)
  func lineEnds(index: Int) throws {
    let (form, text) = Self.samples[index]
    let expected = try read(text, form).get()
    #expect(expected.jobs.count == 1)
    let crlf = text.replacing("\n", with: "\r\n")
    for variant in [
      "\u{feff}" + text, crlf, "\u{feff}" + crlf, String(text.dropLast()), String(crlf.dropLast(1)),
      text + "\n\n", text + "  \n", "\n\n" + text, text + "\n   \n",
    ] {
      expectEqual(try read(variant, form).get(), expected, variant)
    }
  }

  @Test("what isn't UTF-8 text is refused at its line and column", arguments: samples.indices)
  func encodings(index: Int) {
    let (form, text) = Self.samples[index]
    func errors(_ bytes: [UInt8]) -> [ManifestDiagnostic] {
      do throws(ManifestErrors) {
        _ = try ManifestReader(ManifestFixture.options()).read(bytes, name: "m", form: form)
        return []
      } catch {
        return error.diagnostics
      }
    }
    // Latin-1: the é is one byte.
    let latin = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = lines.firstIndex { $0.contains("é") } ?? 0
    let column = lines[line].unicodeScalars.prefix { $0 != "é" }.count
    #expect(errors(latin).map { [$0.line, $0.column] } == [[line + 1, column + 1]])
    let units = Array(text.utf16)
    let little: [UInt8] = units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let big: [UInt8] = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    for bytes in [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
      #expect(errors(bytes).first?.message.contains("UTF-16") == true)
    }
    #expect(!errors([]).isEmpty)
    #expect(!errors(Array(text.utf8) + [0]).isEmpty)
    #expect(!errors([0] + Array(text.utf8)).isEmpty)
    // Overlong forms, surrogates, and a sequence that is cut off.
    let malformed: [[UInt8]] = [
      [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80], [0xF8, 0x88, 0x80, 0x80],
    ]
    for bytes in malformed {
      #expect(errors(Array(text.utf8) + Array("# ".utf8) + bytes).first?.line == lines.count)
    }
  }
}
