import Foundation
import ImageCaches
import Testing

@testable import ImageBatch
@testable import Reports

@Suite("A plan and an explanation as text", .timeLimit(.minutes(8)))
struct PlanTextTests {
  private static func digest(_ byte: String) throws -> ContentDigest {
    try #require(ContentDigest(hex: String(repeating: byte, count: 32)))
  }

  private static func recipe(filter: String) throws -> OutputRecipe {
    let content = try String(decoding: JSONEncoder().encode(digest("ab")), as: UTF8.self)
    let json = """
      {"source": "a.png", "content": \(content), "filter": "\(filter)", "encoding": "png", "engine": "1",
       "auxiliary": {}}
      """
    return try #require(OutputRecipe(json: json))
  }

  private static func entry(_ action: BatchPlan.Action, _ reason: String) -> BatchPlan.Entry {
    BatchPlan.Entry(
      index: 1, source: "a.png", path: "out/a.png", action: action, reason: reason, filter: "flip",
      format: "png")
  }

  private static func plan() -> BatchPlan {
    var plan = BatchPlan()
    var unnamed = entry(.download, "the source isn't cached")
    unnamed.path = nil
    plan.entries = [entry(.render, "never made"), unnamed]
    plan.stale = ["/out/old.png"]
    plan.totals.jobs = 1
    plan.totals.outputs = 2
    plan.totals.sources = 1
    plan.totals.decodes = 1
    plan.totals.renderings = 2
    plan.totals.isExact = false
    plan.totals.actions = ["render": 1, "download": 1]
    return plan
  }

  @Test("a plan has a line for each output and each stale file, then the totals")
  func lines() {
    let lines = PlanText.lines(Self.plan()).split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "render      out/a.png  (a.png: never made)",
        "download    ?  (a.png: the source isn't cached)",
        "remove      /out/old.png  (the manifest no longer makes it)",
        "jobs 1; outputs 2: 1 render, 1 download; sources 1; at least 1 to decode; 2 to render",
      ])
  }

  @Test("zeros are left out of a plan's totals")
  func zeros() {
    var plan = BatchPlan()
    (plan.totals.jobs, plan.totals.outputs, plan.totals.actions) = (1, 2, ["keep": 2])
    #expect(PlanText.lines(plan) == "jobs 1; outputs 2: 2 keep\n")
    plan.totals.sources = 3
    #expect(PlanText.lines(plan) == "jobs 1; outputs 2: 2 keep; sources 3\n")
    (plan.totals.downloads, plan.totals.revalidations) = (1, 2)
    #expect(PlanText.lines(plan) == "jobs 1; outputs 2: 2 keep; sources 3: 1 to download, 2 to revalidate\n")
  }

  @Test("a source whose outputs take longer than the limit has a line and an object")
  func longRenderings() throws {
    var plan = Self.plan()
    plan.longRenderings = [BatchPlan.LongRendering(source: "big.tif", seconds: 95, limit: 60)]
    let text = PlanText.lines(plan, timeRemedy: "; do this")
    #expect(
      text.contains(
        "warning     big.tif: rendering its outputs takes about 95.0 s, more than the limit of 60.0 s; do this\n"
      ))
    let object = try JSONSerialization.jsonObject(with: Data(PlanText.json(plan).utf8))
    let found = try #require((object as? [String: Any])?["longRenderings"] as? [[String: Any]])
    #expect(found.count == 1 && found[0]["source"] as? String == "big.tif")
    #expect(found[0]["seconds"] as? Double == 95 && found[0]["limit"] as? Double == 60)
  }

  @Test("a plan is JSON with the same totals and outputs")
  func json() throws {
    let object = try JSONSerialization.jsonObject(with: Data(PlanText.json(Self.plan()).utf8))
    let document = try #require(object as? [String: Any])
    let outputs = try #require(document["outputs"] as? [[String: Any]])
    #expect(outputs.map { $0["action"] as? String } == ["render", "download"])
    #expect(outputs[0]["output"] as? String == "out/a.png" && outputs[1]["output"] == nil)
    #expect((document["totals"] as? [String: Any])?["renderings"] as? Int == 2)
  }

  @Test("a graph that was not asked for is no text")
  func graph() {
    #expect(PlanText.dot(Self.plan()) == "")
  }

  private func explanation(_ today: Explanation.Today) throws -> Explanation {
    let recipe = try Self.recipe(filter: "flip")
    let json = try String(decoding: JSONEncoder().encode(recipe), as: UTF8.self)
    let entry = RegistryEntry(
      path: "/out/a.png", scope: OutputScope(manifest: "/m.yaml", directory: "/out", template: ""),
      digest: try Self.digest("cd"), key: try Self.digest("ef"), recipe: json)
    return Explanation(entry, today: today, state: .inPlace, removal: "a broom removes it")
  }

  @Test("an explanation says what a run would do, and which parts of the key differ")
  func explanations() throws {
    #expect(try explanation(.noManifest).verdict == "the manifest no longer exists")
    #expect(
      try explanation(.unreadable("bad")).verdict == "the manifest is invalid: bad")
    #expect(try explanation(.notMade).verdict == "the manifest no longer makes it; a broom removes it")
    #expect(
      try explanation(.made(Self.entry(.keep, "in place"))).verdict
        == "nothing differs: a run would keep it")
    var changed = Self.entry(.render, "never made")
    #expect(try explanation(.made(changed)).verdict == "a run would render: never made")
    changed.recipe = try Self.recipe(filter: "flop")
    let explained = try explanation(.made(changed))
    #expect(explained.verdict == "a run would render: filter differs from the last run")
    #expect(explained.text.hasSuffix("filter\n  was flip\n  is  flop\n"))
    #expect(explained.text.hasPrefix("output    /out/a.png\nstate     in place\nmanifest  /m.yaml\n"))
    let json = try JSONSerialization.jsonObject(with: Data(explained.json.utf8)) as? [String: Any]
    #expect((json?["differences"] as? [[String: String]])?.first?["part"] == "filter")
  }
}
