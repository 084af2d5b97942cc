import ImageFilters
import Testing

@testable import Manifests

@Suite("Transitions in manifests", .timeLimit(.minutes(8)))
struct TransitionTests {
  private func manifest(_ job: String) -> String {
    "imagemill: 1\nsources: {before: ./before.png}\njobs:\n  - \(job)\n"
  }

  @Test func `from the placeholder, after the chain and what the command line appends to it`() throws {
    let options = ManifestFixture.options { $0.appendedChain = try? ChainTemplate(parsing: "flip") }
    let text = manifest(
      """
      {source: a.png, placeholder: p.png, output: a.webp, filter: "fit:10x10",
          transition: {from: placeholder, kind: flip-left, duration: 0.2s, fps: 25}}
      """)
    let output = try ManifestFixture.read(text, options).jobs[0].outputs[0]
    #expect(
      try output.chain == FilterChain(parsing: "fit:10x10,flip,transition:placeholder:flip-left:200ms:25"))
    #expect(output.namedSources == ["placeholder": .file("p.png")])
  }

  @Test func `from a named source or a path, with the filter's defaults`() throws {
    let text = manifest(
      """
      {source: a.png, outputs: [{output: a.webp, transition: {from: before}},
          {output: "{k}.gif", transition: {from: ./b.png, kind: "{k}"}, matrix: {k: [flip-top, crossdissolve]}}]}
      """)
    let outputs = try ManifestFixture.read(text).jobs[0].outputs
    #expect(outputs[0].namedSources == ["before": .file("./before.png")])
    #expect(try outputs[0].chain == FilterChain(parsing: "transition:before:crossdissolve:400ms:30"))
    #expect(outputs[1].namedSources == ["./b.png": .file("./b.png")])
    #expect(try outputs[1].chain == FilterChain(parsing: "transition:from=./b.png:kind=flip-top"))
    #expect(outputs.count == 3)
  }

  @Test(
    "what is wrong is told of before anything starts",
    arguments: [
      (
        "output: a.png, transition: {from: before}",
        "a transition is an animation, which png can't hold; write webp or gif"
      ),
      (
        "output: a.webp, transition: {from: placeholder}",
        "the transition begins with 'placeholder', but the job has none"
      ),
      ("output: a.webp, transition: {kind: flip-left}", "'transition' needs 'from'"),
      ("output: a.webp, transition: {from: before, kind: flip}", "not 'flip'"),
      ("output: a.webp, transition: {from: before, fsp: 3}", "did you mean 'fps'?"),
      (
        "output: a.webp, transition: {from: before, fps: 0}",
        "'0' is not a valid fps for transition; expected 1…60"
      ),
      (
        "output: a.webp, transition: {from: before, duration: soon}",
        "'soon' is not a valid duration for transition"
      ),
      ("output: a.webp, transition: {from: ../b.png}", "outside"),
      ("output: a.webp, transition: before", "'transition' must be a mapping"),
      (
        "output: a.webp, filter: \"transition:before\", transition: {from: before}", "can have one transition"
      ),
      ("output: a.tif, filter: \"transition:before\"", "which tiff can't hold"),
    ])
  func wrong(settings: String, words: String) {
    let complaint = ManifestFixture.complaints(manifest("{source: a.png, \(settings)}"))
    #expect(complaint.contains(words), "\(complaint)")
    #expect(complaint.contains("images.yaml:4:"), "\(complaint)")
  }

  @Test func `two things called placeholder are one too many`() {
    let text = """
      imagemill: 1
      sources: {placeholder: a.png}
      jobs: [{source: a.png, placeholder: b.png, output: c.webp, transition: {from: placeholder}}]
      """
    #expect(ManifestFixture.complaints(text).contains("rename the named source"))
  }
}
