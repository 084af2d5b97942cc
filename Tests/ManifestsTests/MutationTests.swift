import Testing

@testable import Manifests

@Suite("Damaged manifests", .timeLimit(.minutes(8)))
struct MutationTests {
  /// A small generator whose seed can be written down (SplitMix64).
  struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  static let json = """
    {"imagemill": 1, "base": "https://a.example/x/", "filters": {"f": ["flip", {"fit": {"width": 8, "height": 6}}]},
     "jobs": [{"source": ["a.png", "\\u00e9\\ud83d\\ude00.png"], "outputs": [{"output": "{n}.{ext}", "filter": "f,circle",
     "matrix": {"n": [1, 2], "format": ["webp", "png"]}}], "variables": {"a": true, "b": -1.5e3}}]}
    """
  static let toml = """
    imagemill = 1
    filters.f = ["flip", {fit = {width = 8, height = 6}}]
    [[jobs]]
    source = ['a.png', "\\u00e9.png"]   # a comment
    [[jobs.outputs]]
    output = \"\"\"{name}.png\"\"\"
    filter = "f"
    [jobs.variables]
    when = 2024-01-02T03:04:05Z
    "a b" = +1_000.5
    """

  @Test(arguments: [ManifestReader.Form.yaml, .json, .toml])
  func `never crash the reader, and every complaint has its place`(_ form: ManifestReader.Form) {
    let original = Array(
      (form == .yaml ? ManifestReaderTests.example : form == .json ? Self.json : Self.toml).utf8)
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the damaged \(form.rawValue): \(seed)")
    var generator = Seeded(state: seed)
    let pieces = [
      "*", "&a ", "{", "}", "[", "]", ": ", "? ", "- ", "\"", "'", "\n", "\t", "!", "|", ">", "%", "\0", "é",
      "😀", "=", ",",
    ]
    for _ in 0..<600 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.remove(at: place)
        case 1:
          bytes.insert(contentsOf: Array(pieces.randomElement(using: &generator)?.utf8 ?? "".utf8), at: place)
        case 2: bytes[place] = .random(in: 0...255, using: &generator)
        default:
          bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...40, using: &generator)))
        }
        if bytes.isEmpty { bytes = [0x20] }
      }
      let lines = bytes.count { $0 == 0x0A } + 2
      do {
        _ = try ManifestReader(ManifestReaderTests.options).read(bytes, name: "m", form: form)
      } catch {
        #expect(!error.diagnostics.isEmpty)
        #expect(
          error.diagnostics.allSatisfy { (1...lines).contains($0.line) && $0.column >= 1 }, "seed \(seed)")
        #expect(error.diagnostics.allSatisfy { !$0.description.contains("t0ken") }, "seed \(seed)")
      }
    }
  }
}
