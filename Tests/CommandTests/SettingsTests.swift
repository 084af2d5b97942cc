import Foundation
import LoopbackServer
import Testing

@testable import imagemill

@Suite("Settings", .timeLimit(.minutes(8)))
struct SettingsTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  /// Writes the configuration file, and returns the environment that leads to it.
  private func configure(_ text: String) throws -> [String: String] {
    let directory = command.directory + "/config/imagemill"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: directory + "/config.toml"))
    return ["XDG_CONFIG_HOME": command.directory + "/config"]
  }

  private func manifest(_ settings: String = "") throws {
    try command.write(PNGImage.bytes(width: 8, height: 8), to: "a.png")
    try command.write(
      "imagemill: 1\n\(settings)jobs: [{source: ./a.png, output: b.png}]\n", to: "m.yaml")
  }

  /// The row of a setting in 'imagemill config'.
  private func row(
    _ name: String, _ arguments: [String] = [], _ environment: [String: String]
  ) async throws -> [String] {
    let outcome = try await command.run(["config"] + arguments, environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let line = try #require(outcome.lines.first { $0.split(separator: " ").first == Substring(name) })
    return line.split(separator: " ").dropFirst().map(String.init)
  }

  @Test(
    "the command line goes before the environment, the manifest, the file and the default, for every setting")
  func precedence() async throws {
    try manifest("settings: {per-host: 3}\n")
    var environment: [String: String] = [:]
    #expect(try await row("per-host", [], environment) == ["6", "default"])
    environment = try configure("per-host = 2\n")
    let file = "\(command.directory)/config/imagemill/config.toml:1:1"
    #expect(try await row("per-host", [], environment) == ["2", file])
    #expect(try await row("per-host", ["m.yaml"], environment) == ["3", "m.yaml:2:12"])
    environment["IMAGEMILL_PER_HOST"] = "4"
    #expect(try await row("per-host", ["m.yaml"], environment) == ["4", "IMAGEMILL_PER_HOST"])
    // An empty variable is unset.
    environment["IMAGEMILL_PER_HOST"] = ""
    #expect(try await row("per-host", ["m.yaml"], environment) == ["3", "m.yaml:2:12"])
  }

  @Test("a default that depends on the machine or the job is described")
  func describedDefault() async throws {
    #expect(try await row("jobs", [], [:]).joined(separator: " ") == "(the number of available CPUs) default")
    #expect(try await row("jobs", [], ["IMAGEMILL_JOBS": "2"]) == ["2", "IMAGEMILL_JOBS"])
  }

  @Test("a misspelled variable is named with the one that was meant, and others' variables aren't")
  func misspelledVariable() async throws {
    try manifest()
    let misspelled = try await command.run(
      ["validate", "m.yaml"],
      environment: ["IMAGEMILL_PERHOST": "2", "IMAGEMILL_TIMEOUTS": "2", "IMAGEMILL_INSTALLED_BY": "ci"])
    #expect(misspelled.status == 0)
    #expect(
      misspelled.errors == """
        imagemill: warning: the variable IMAGEMILL_PERHOST is not a setting (did you mean IMAGEMILL_PER_HOST?)
        imagemill: warning: the variable IMAGEMILL_TIMEOUTS is not a setting (did you mean IMAGEMILL_TIMEOUT?)

        """)
    let right = try await command.run(
      ["validate", "m.yaml"], environment: ["IMAGEMILL_PER_HOST": "2", "IMAGEMILL_PERHOST": ""])
    #expect(right.status == 0)
    #expect(right.errors.isEmpty)
  }

  @Test("'validate' reports wrong settings of the configuration file and the environment, as 'run' does")
  func validated() async throws {
    try manifest()
    let environment = try configure("per-host = \"many\"\n")
    for name in ["validate", "run"] {
      let outcome = try await command.run([name, "m.yaml"], environment: environment)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("config.toml:1:1: error: setting 'per-host'"), "\(outcome.errors)")
    }
    let variable = try await command.run(["validate", "m.yaml"], environment: ["IMAGEMILL_PER_HOST": "many"])
    #expect(variable.status == 2)
    #expect(variable.errors.contains("IMAGEMILL_PER_HOST"), "\(variable.errors)")
  }

  @Test("a setting has the effect of its option, from each place, and the command line overrides it")
  func effect() async throws {
    let server = try LoopbackServer { _ in Page([], type: "image/png", status: 404) }
    try command.write(
      "imagemill: 1\njobs: [{source: \"\(server.url("/a.png"))\", output: b.png}]\n", to: "m.yaml")
    func fails(_ arguments: [String] = [], _ environment: [String: String] = [:]) async throws -> Bool {
      let outcome = try await command.run(["run"] + arguments + ["m.yaml"], environment: environment)
      #expect(outcome.status == 1, "\(outcome.errors)")
      return outcome.errors.contains("not-allowed") || outcome.errors.contains("loopback")
    }
    #expect(try await fails())
    #expect(try await !fails([], ["IMAGEMILL_ALLOW_NET": "loopback"]))
    #expect(try await !fails([], try configure("allow-net = [\"10.0.0.0/8\", \"loopback\"]\n")))
    #expect(try await fails(["--allow-net", "10.0.0.0/8"], ["IMAGEMILL_ALLOW_NET": "loopback"]))
    // A switch can be turned off again by a higher place.
    let offline = try configure("allow-net = \"loopback\"\noffline = true\n")
    let before = server.requests.count
    #expect(try await command.run(["run", "m.yaml"], environment: offline).status != 0)
    #expect(server.requests.count == before)
    let online = offline.merging(["IMAGEMILL_OFFLINE": "no"]) { $1 }
    #expect(try await command.run(["run", "m.yaml"], environment: online).status == 1)
    #expect(server.requests.count > before)
  }

  @Test("a manifest's output-dir goes before the configuration file's, and the others before it")
  func outputDirectory() async throws {
    try manifest("output-dir: own\n")
    try command.write("imagemill: 1\njobs: [{source: ./a.png, output: c.png}]\n", to: "plain.yaml")
    var environment = try configure("output-dir = \"file\"\n")
    func expect(_ output: String, _ arguments: String...) async throws {
      #expect(command.read(output) == nil)
      let outcome = try await command.run(["run", "-q"] + arguments, environment: environment)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(command.read(output) != nil, "\(arguments)")
    }
    try await expect("own/b.png", "m.yaml")
    try await expect("file/c.png", "plain.yaml")
    try await expect("typed/b.png", "-qC", "typed", "m.yaml")
    environment["IMAGEMILL_OUTPUT_DIR"] = "variable"
    try await expect("variable/b.png", "m.yaml")
  }

  @Test("a manifest's settings have their effect in run and plan")
  func manifestSettings() async throws {
    try manifest("settings: {max-pixels: 4, offline: true}\n")
    let outcome = try await command.run("run", "m.yaml")
    #expect(outcome.status == 1 && outcome.errors.contains("max-pixels"), "\(outcome.errors)")
    #expect(try await command.run("run", "--max-pixels", "64", "m.yaml").status == 0)
    #expect(try await command.run("plan", "m.yaml").status == 0)
    #expect(try await command.run("validate", "m.yaml").status == 0)
  }

  @Test("of several manifests with the same setting, that of the last one applies to the whole run")
  func severalManifests() async throws {
    try manifest("settings: {max-pixels: 64, deny-host: [a.example, b.example]}\n")
    try command.write(
      "imagemill: 1\nsettings: {max-pixels: 4, deny-host: c.example}\njobs: [{source: ./a.png, output: c.png}]\n",
      to: "n.yaml")
    #expect(try await command.run("run", "n.yaml", "m.yaml").status == 0)
    let outcome = try await command.run("run", "--force", "m.yaml", "n.yaml")
    #expect(outcome.status == 1 && outcome.errors.contains("2 failed"), "\(outcome.errors)")
    #expect(try await row("max-pixels", ["m.yaml", "n.yaml"], [:]) == ["4", "n.yaml:2:12"])
    #expect(try await row("deny-host", ["n.yaml", "m.yaml"], [:]).dropLast() == ["a.example,", "b.example"])
  }

  @Test("the settings of a manifest are in its schema, which editors complete, and in its page")
  func listed() async throws {
    let schema = try await command.run("schema")
    let json = try #require(try JSONSerialization.jsonObject(with: schema.output) as? [String: Any])
    let definitions = try #require(json["$defs"] as? [String: [String: Any]])
    let properties = try #require(definitions["settings"]?["properties"] as? [String: [String: Any]])
    let names = Setting.all.filter { $0.scope == .manifest }.map(\.name)
    #expect(Set(properties.keys) == Set(names))
    #expect(definitions["settings"]?["additionalProperties"] as? Bool == false)
    #expect(properties.values.allSatisfy { ($0["description"] as? String)?.isEmpty == false })
    #expect(
      properties["per-host"]?["description"] as? String
        == "Maximum concurrent downloads per host (default: 6).")
    let page = try await command.run("help", "manifest").text.split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    let list = names.sorted().dropLast().joined(separator: ", ") + " and " + (names.sorted().last ?? "")
    #expect(page.contains("A manifest may have the settings \(list)."), "\(page)")
  }

  @Test(
    "a wrong setting is a usage error that names its place",
    arguments: [
      (
        "settings: {per-hosts: 2}\n",
        "m.yaml:2:12: error: unknown setting 'per-hosts' (did you mean 'per-host'?)"
      ),
      ("settings: {per-host: many}\n", "m.yaml:2:12: error: setting 'per-host': "),
      (
        "settings: {offline: perhaps}\n",
        "m.yaml:2:12: error: setting 'offline': 'perhaps' must be true or false"
      ),
      (
        "settings: {proxy: \"http://h\"}\n",
        "m.yaml:2:12: error: a manifest can't set 'proxy'; set it on the command line, as IMAGEMILL_PROXY or in config.toml"
      ),
      (
        "settings: {no-clobber: true}\n",
        "m.yaml:2:12: error: a manifest can't set 'no-clobber'; set it on the command line, as IMAGEMILL_NO_CLOBBER or in config.toml"
      ),
      ("settings: {quality: 80}\n", "m.yaml:2:12: error: a manifest sets 'quality' by 'defaults'"),
    ])
  func mistakes(settings: String, message: String) async throws {
    try manifest(settings)
    for name in ["run", "plan", "validate", "config"] {
      let outcome = try await command.run(name, "m.yaml")
      #expect(outcome.status == 2 && outcome.errors.contains(message), "\(name): \(outcome.errors)")
    }
  }

  @Test("wrong variables and configuration files are usage errors, but help works")
  func mistakesOfUsers() async throws {
    try manifest()
    let wrong = ["IMAGEMILL_TIMEOUT": "soon"]
    let outcome = try await command.run(["run", "m.yaml"], environment: wrong)
    #expect(
      outcome.status == 2 && outcome.errors.hasPrefix("imagemill: IMAGEMILL_TIMEOUT: the value 'soon' "))
    #expect(try await command.run(["run", "--timeout", "9s", "m.yaml"], environment: wrong).status == 0)
    #expect(try await command.run(["run", "--help"], environment: wrong).status == 0)
    let both = try await command.run(["run", "--jobs", "many", "m.yaml"], environment: wrong)
    #expect(both.errors.contains("--jobs") && !both.errors.contains("IMAGEMILL_TIMEOUT"), "\(both.errors)")
    let file = try await command.run(["run", "m.yaml"], environment: try configure("per-hots = 2\n"))
    #expect(
      file.status == 2 && file.errors.contains("config.toml:1:1: error: unknown setting"), "\(file.errors)")
    let secret = try await command.run(
      ["run", "m.yaml"], environment: try configure("user = \"ada:sesame\"\nuser = \"b\"\n"))
    #expect(secret.status == 2 && !secret.errors.contains("sesame"), "\(secret.errors)")
  }

  @Test("'config' shows every setting once, hides credentials, and has a version in its JSON")
  func listing() async throws {
    let environment = [
      "IMAGEMILL_USER": "ada:sesame", "IMAGEMILL_HEADER": "Cookie: sesame",
      "IMAGEMILL_PROXY": "http://ada:sesame@proxy.example:3128",
    ]
    let outcome = try await command.run(["config", "--json"], environment: environment)
    #expect(outcome.status == 0 && !outcome.text.contains("sesame"), "\(outcome.text)")
    let json = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
    #expect(json["version"] as? Int == 1)
    let rows = try #require(json["settings"] as? [[String: Any]])
    let options = try OptionTable(RunCommand.self)
    #expect(
      rows.map { $0["name"] as? String } == Setting.all.map(\.name).filter { options[$0] != nil })
    #expect(rows.first { $0["name"] as? String == "user" }?["origin"] as? String == "environment")
    #expect(try await row("proxy", [], environment) == ["http://***@proxy.example:3128", "IMAGEMILL_PROXY"])
  }

  @Test("every setting is an option of some command, and every option is a setting or says what to do")
  func complete() throws {
    let commands = Imagemill.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    var options: Set<String> = []
    for command in commands {
      let dump = try JSONDecoder().decode(HelpDump.self, from: Data(command._dumpHelp().utf8))
      for argument in dump.command.arguments ?? [] where argument.kind != "positional" {
        options.formUnion((argument.names ?? []).filter { $0.kind == "long" }.map(\.name))
      }
    }
    let settings = Set(Setting.all.map(\.name))
    #expect(settings.subtracting(options).isEmpty)
    #expect(settings.count == Setting.all.count)
    let tasks: Set = [
      "help", "version", "check", "dry-run", "why", "lock", "frozen", "prune", "failed", "shard", "force",
      "compare",
      "output",
      "filter",
      "source", "encode", "in-place", "emit", "input", "null", "ordered", "json", "dot", "tables",
      "no-redirect",
      "any-status", "body", "failures-are-results", "from", "placeholder", "names", "to",
    ]
    #expect(
      options.subtracting(settings).subtracting(tasks).isEmpty,
      "\(options.subtracting(settings).subtracting(tasks))")
  }

  @Test("a cache's limit belongs to the cache: no other command's option lowers it")
  func cacheLimit() async throws {
    try manifest()
    func limit() async throws -> String { try await command.run("cache", "limit").text }
    #expect(try await limit() == "\(2 << 30)\n")
    #expect(try await command.run("run", "m.yaml").status == 0)
    let before = try await command.run("cache", "list").text
    #expect(!before.isEmpty)
    #expect(try await command.run("convert", "--cache-size", "1kB", "a.png", "c.webp").status == 0)
    #expect(try await command.run("cache", "list").text.contains(before.prefix(16)))
    #expect(try await command.run("cache", "limit", "20GiB").status == 0)
    #expect(try await limit() == "\(20 << 30)\n")
    let statistics = try await command.run("cache", "stats").text
    #expect(
      statistics.contains(#/\nsize       [0-9.]+ k?B of 21\.5 GB; a purge keeps 12\.9 GB\n/#), "\(statistics)"
    )
    #expect(!statistics.contains("bytes"), "\(statistics)")
    // A lower limit purges at once.
    for tiny in [["cache", "limit", "2"], ["convert", "--cache-size", "2", "a.png", "c.webp"]] {
      let refused = try await command.run(arguments: tiny)
      #expect(refused.status == 2 && refused.errors.contains("as in 2GiB?"), "\(refused.errors)")
    }
    #expect(try await limit() == "\(20 << 30)\n")
    try command.write(PNGImage.bytes(width: 200, height: 200, seed: 3), to: "a.png")
    #expect(try await command.run("run", "m.yaml").status == 0)
    let objects = try await command.run("cache", "list").lines.count
    let lowered = try await command.run("cache", "limit", "1kB")
    #expect(lowered.status == 0 && lowered.errors.isEmpty, "\(lowered.errors)")
    #expect(lowered.text.wholeMatch(of: #/[1-9][0-9]* bytes freed\n/#) != nil, "\(lowered.text)")
    #expect(try await command.run("cache", "list").lines.count < objects)
    // The run that creates a cache gives it its limit.
    let fresh = ["IMAGEMILL_CACHE_DIR": command.directory + "/fresh"]
    #expect(try await command.run(["run", "--cache-size", "3MB", "m.yaml"], environment: fresh).status == 0)
    #expect(try await command.run(["cache", "limit"], environment: fresh).text == "3000000\n")
    #expect(try await command.run("cache", "limit", "many").status == 2)
  }
}
