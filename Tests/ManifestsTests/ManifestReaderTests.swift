import ImageBatch
import ImageDownloads
import ImageFilters
import Testing

@testable import Manifests

@Suite("Reading a manifest", .timeLimit(.minutes(8)))
struct ManifestReaderTests {
  static let example = """
    imagemill: 1                         # the format's version
    base: https://cdn.example.com/
    output-dir: public
    filters:
      avatar: fill:100x100,circle
      card:
        - fit: {width: 800, height: 600}
        - rounded: {radius: 12}
    sources:
      logo: ./assets/logo.png
    defaults:
      format: webp
      quality: 80
      metadata: copyright
    origins:
      https://cdn.example.com:
        headers: {Authorization: "Bearer ${CDN_TOKEN}"}
        user: "${CDN_USER}:${CDN_PASSWORD}"
        max-active: 2
    jobs:
      - source: team/ada.jpg
        sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
        variables: {slug: ada}
        filter: avatar
        output: team/{slug}.png
      - source: [https://a.example.com/hero.jpg, https://b.example.com/hero.jpg]
        placeholder: ./assets/missing.png
        priority: 10
        outputs:
          - {output: "hero-{width}.{ext}", filter: "limit:{width}x", matrix: {width: [400, 800, 1600], format: [avif, webp, jpeg]}}
          - {output: hero-card.jpg, filter: card, quality: 85, encode: {progressive: true}}
    """

  static let options = ManifestFixture.options {
    $0.environment = ["CDN_TOKEN": "t0ken", "CDN_USER": "bob", "CDN_PASSWORD": "pass"]
  }

  @Test func `the manual's example is read into its jobs`() throws {
    let manifest = try ManifestFixture.read(Self.example, Self.options)
    #expect(manifest.outputDirectory == "public")
    #expect(manifest.namedSources == ["logo": .file("./assets/logo.png")])
    let jobs = manifest.jobs
    #expect(jobs.map(\.index) == [1, 2])
    #expect(jobs[0].sources == [.url("https://cdn.example.com/team/ada.jpg")])
    #expect(jobs[0].pinnedDigest?.hex.hasPrefix("9f86d081") == true)
    #expect(jobs[0].outputs.count == 1)
    #expect(jobs[0].outputs[0].encoding.format == .png)
    #expect(jobs[0].outputs[0].variables == ["slug": "ada"])
    #expect(try jobs[0].outputs[0].chain == FilterChain(parsing: "fill:100x100,circle"))
    #expect(jobs[0].location == ManifestLocation(file: "images.yaml", line: 21, column: 5))
    #expect(jobs[1].priority == 10)
    #expect(jobs[1].placeholder == .file("./assets/missing.png"))
    #expect(jobs[1].sources.count == 2)
    #expect(jobs[1].outputs.count == 10)
    #expect(jobs[1].outputs[9].location?.line == 31)
    #expect(try jobs[1].outputs[9].chain == FilterChain(parsing: "fit:800x600,rounded:12"))
  }

  @Test func `a matrix makes an output of every combination`() throws {
    let outputs = try ManifestFixture.read(Self.example, Self.options).jobs[1].outputs.prefix(9)
    let made = outputs.map { "\($0.variables["width"] ?? "") \($0.encoding.format)" }
    #expect(
      made == [
        "400 avif", "400 webp", "400 jpeg", "800 avif", "800 webp", "800 jpeg", "1600 avif", "1600 webp",
        "1600 jpeg",
      ])
    #expect(try outputs.last?.chain == FilterChain(parsing: "limit:1600x"))
  }

  @Test func `credentials come from the allowed variables, for their origin only`() throws {
    let origins = try ManifestFixture.read(Self.example, Self.options).origins
    #expect(origins.count == 1)
    #expect(origins[0].origin == "https://cdn.example.com")
    #expect(origins[0].headers.map(\.name) == ["Authorization"])
    #expect(origins[0].headers.map(\.value) == ["Bearer t0ken"])
    #expect(origins[0].user == "bob:pass")
    #expect(origins[0].maxActive == 2)
  }

  @Test func `JSON and TOML say the same as YAML`() throws {
    let yaml = """
      imagemill: 1
      filters: {small: "fit:10x10"}
      jobs:
        - source: a.png
          variables: {n: 7}
          outputs: [{output: "{n}.png", filter: [small, {blur: 2}]}, {output: b.jpg, quality: 40}]
      """
    let json = """
      {"imagemill": 1, "filters": {"small": "fit:10x10"}, "jobs": [{"source": "a.png", "variables": {"n": 7},
       "outputs": [{"output": "{n}.png", "filter": ["small", {"blur": 2}]}, {"output": "b.jpg", "quality": 40}]}]}
      """
    let toml = """
      imagemill = 1
      filters.small = "fit:10x10"
      [[jobs]]
      source = 'a.png'
      variables.n = 7
      [[jobs.outputs]]
      output = "{n}.png"
      filter = ["small", {blur = 2}]
      [[jobs.outputs]]
      output = "b.jpg"   # a comment
      quality = 40
      """
    let manifests = [
      try ManifestFixture.read(yaml), try ManifestFixture.read(json, form: .json),
      try ManifestFixture.read(toml, form: .toml),
    ]
    func placeless(_ manifest: Manifest) -> Manifest {
      var result = manifest
      for job in result.jobs.indices {
        result.jobs[job].location = nil
        for output in result.jobs[job].outputs.indices { result.jobs[job].outputs[output].location = nil }
      }
      return result
    }
    #expect(manifests[0].jobs[0].outputs.count == 2)
    let read = manifests.map(placeless)
    #expect(Set(read.map(\.jobs)).count == 1)
    #expect(Set(read.map(\.origins)).count == 1)
    #expect(Set(read.map(\.namedSources)).count == 1)
    #expect(Set(read.map(\.outputDirectory)).count == 1)
  }

  @Test func `a plain 'no' or '12:30' is a text, as YAML 1.2 says`() throws {
    let manifest = try ManifestFixture.read(
      """
      imagemill: 1
      jobs:
        - source: no
          variables: {country: no, at: 12:30, on: off, mode: 0o17, blank: "true"}
          output: "{country}-{at}-{on}-{mode}.png"
      """)
    #expect(manifest.jobs[0].sources == [.file("no")])
    #expect(
      manifest.jobs[0].outputs[0].variables
        == ["country": "no", "at": "12:30", "on": "off", "mode": "0o17", "blank": "true"])
  }

  @Test func `an extension beats the default format, and an output's own settings beat its job's`() throws {
    let manifest = try ManifestFixture.read(
      """
      imagemill: 1
      defaults: {format: webp, quality: 10, filter: circle}
      jobs:
        - source: a.png
          quality: 20
          outputs:
            - {output: a.jpg}
            - {output: "{name}.{ext}", quality: 30, filter: flip}
      """)
    let outputs = manifest.jobs[0].outputs
    #expect(outputs.map(\.encoding.format) == [.jpeg, .webp])
    #expect(outputs.map(\.encoding.identifier).map { $0.contains("quality=20") } == [true, false])
    #expect(outputs[1].encoding.identifier.contains("quality=30"))
    #expect(try outputs.map(\.chain) == [FilterChain(parsing: "circle"), FilterChain(parsing: "flip")])
  }

  @Test func `the command line's chain is appended and its template fills in`() throws {
    let options = ManifestFixture.options {
      $0.appendedChain = try? ChainTemplate(parsing: "circle")
      $0.outputTemplate = try? OutputTemplate(parsing: "{name}.png")
    }
    let manifest = try ManifestFixture.read("imagemill: 1\njobs: [{source: a.gif, filter: flip}]", options)
    #expect(try manifest.jobs[0].outputs[0].chain == FilterChain(parsing: "flip,circle"))
    #expect(manifest.jobs[0].outputs[0].template.text == "{name}.png")
  }

  @Test func `a matrix may hold whole filters`() throws {
    let manifest = try ManifestFixture.read(
      """
      imagemill: 1
      jobs:
        - {source: a.png, output: "{shape}.png", filter: "flip,{shape}", matrix: {shape: [circle, "rounded:3"]}}
      """)
    let expected = ["flip,circle", "flip,rounded:3"]
    #expect(try manifest.jobs[0].outputs.map(\.chain) == expected.map { try FilterChain(parsing: $0) })
  }

  @Test func `a variable in a chain can't add filters`() throws {
    let fields = FieldSubstitution(matrix: ["shape": "rounded:3"], variables: ["title": "a, b: 5% = c"])
    #expect(
      try fields.applied(to: "text:{title},{shape},{{}}", inChain: true)
        == "text:a%2C b%3A 5%25 %3D c,rounded:3,{}")
  }
}
