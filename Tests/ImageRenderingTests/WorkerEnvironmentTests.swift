import Testing

@testable import ImageRendering

@Suite("A worker's environment", .timeLimit(.minutes(8)))
struct WorkerEnvironmentTests {
  @Test(
    "has nothing that isn't on its list",
    arguments: [
      "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "TOKEN", "http_proxy", "SSH_AUTH_SOCK", "PATH", "USER", "",
      "MY_VIPS_KEY", "HOME_SECRET", "LC_SECRET",
    ])
  func secrets(name: String) {
    #expect(
      WorkerEnvironment.variables(from: [name: "secret"]) == WorkerEnvironment.variables(from: [:]))
  }

  @Test(
    "has what changes its pixels",
    arguments: [
      "LD_LIBRARY_PATH", "HOME", "FONTCONFIG_FILE", "LANG", "TMPDIR", "VIPS_WARNING", "ASAN_OPTIONS",
    ])
  func passedOn(name: String) {
    #expect(WorkerEnvironment.variables(from: [name: "x"])[name] == "x")
  }

  @Test("has its own settings, whatever they are outside")
  func own() {
    let variables = WorkerEnvironment.variables(from: [
      "SWIFT_BACKTRACE": "enable=yes", "MALLOC_ARENA_MAX": "9",
    ])
    #expect(variables["SWIFT_BACKTRACE"] == "enable=no" && variables["MALLOC_ARENA_MAX"] == "1")
  }

  @Test("is what the process gets")
  func started() async throws {
    let fixture = try WorkerFixture()
    let path = fixture.directory["environment"]
    let pool = fixture.pool(
      try fixture.script(
        "env > '\(path)'; exec '\(WorkerFixture.command)' \"$@\""))
    let request = try fixture.request()
    let response = await pool.render { request }
    #expect(response?.codes == [nil])
    await pool.stop()
    let text = try #require(fixture.directory.text("environment"))
    let names = Set(text.split(separator: "\n").compactMap { WorkerEnvironment.split(String($0))?.name })
    #expect(names.contains("SWIFT_BACKTRACE") && !names.contains("PATH"))
  }

  @Test(
    "is split at the first equals sign",
    arguments: [("A=b", "A", "b"), ("A=", "A", ""), ("A=b=c", "A", "b=c"), ("=x", "", "x")])
  func splitting(entry: String, name: String, value: String) {
    #expect(WorkerEnvironment.split(entry)?.name == name && WorkerEnvironment.split(entry)?.value == value)
    #expect(WorkerEnvironment.split("AB") == nil)
  }
}
