import Foundation
import SystemIO
import Testing

@testable import imagemill

@Suite("imagemill doctor", .timeLimit(.minutes(8)))
struct DoctorTests {
  private let command: CommandRun

  init() throws { command = try CommandRun() }

  @Test("tells versions, formats, limits and the cache, and makes nothing")
  func healthy() async throws {
    let outcome = try await command.run("doctor", "--json")
    #expect(outcome.status == 0, "\(outcome.text)")
    let found = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
    #expect(found["imagemill"] as? String == Version.number)
    let libvips = try #require(found["libvips"] as? [String: Any])
    #expect((libvips["version"] as? String)?.hasPrefix("8.") == true)
    #expect((libvips["libraries"] as? [String])?.contains { $0.hasPrefix("libjpeg.so.") } == true)
    let libcurl = try #require(found["libcurl"] as? [String: Any])
    #expect(libcurl["tls"] is String && libcurl["http2"] is Bool)
    let formats = try #require(found["formats"] as? [String: [String]])
    #expect(formats["read"]?.contains("jpeg") == true && formats["written"]?.contains("webp") == true)
    let slots = (found["processors"] as? [String: Any])?["slots"] as? Int
    #expect(slots == Machine.availableProcessors)
    let cache = try #require(found["cache"] as? [String: Any])
    #expect(cache["index"] as? String == "absent" && cache["exists"] as? Bool == false)
    #expect(!FileManager.default.fileExists(atPath: command.directory + "/cache"))
  }

  @Test("counts what the cache holds")
  func used() async throws {
    _ = try await command.run("cache", "clear")
    let outcome = try await command.run("doctor")
    #expect(outcome.status == 0)
    #expect(outcome.text.contains("writable, index sound") && outcome.text.contains("0 objects"))
    #expect(outcome.text.hasSuffix("No problems found.\n") || outcome.text.contains("note "))
  }

  @Test("a broken index is told with its remedy, ends with 1, and is not touched; the remedy works")
  func brokenIndex() async throws {
    _ = try await command.run("cache", "clear")
    let index = command.directory + "/cache/index.sqlite"
    for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: index + suffix) {
      try FileManager.default.removeItem(atPath: index + suffix)
    }
    let damage = Data(repeating: 0x5a, count: 8192)
    try damage.write(to: URL(fileURLWithPath: index))
    let outcome = try await command.run("doctor")
    #expect(outcome.status == 1)
    #expect(outcome.text.contains("BROKEN") && outcome.text.contains("imagemill cache verify"))
    #expect(FileManager.default.contents(atPath: index) == damage)
    _ = try await command.run("cache", "verify")
    #expect(try await command.run("doctor").status == 0)
  }

  @Test("a damaged limit of the cache is told with its remedy, breaks nothing, and the remedy works")
  func damagedLimit() async throws {
    _ = try await command.run("cache", "clear")
    try Data("much".utf8).write(to: URL(fileURLWithPath: command.directory + "/cache/limit"))
    let outcome = try await command.run("doctor")
    #expect(
      outcome.status == 0 && outcome.text.contains("doesn't contain a number of bytes"), "\(outcome.text)")
    #expect(outcome.text.contains("imagemill cache limit 2GiB"), "\(outcome.text)")
    #expect(try await command.run("cache", "limit", "2GiB").status == 0)
    #expect(try await !command.run("doctor").text.contains("doesn't contain a number of bytes"))
  }

  @Test("no home, no cache: said with the remedy")
  func noCache() async throws {
    let outcome = try await command.run(
      "doctor", environment: ["IMAGEMILL_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": ""])
    #expect(outcome.status == 1)
    #expect(outcome.text.contains("no cache directory is known"))
    #expect(outcome.text.contains("--cache-dir"))
  }

  @Test("a cache directory that can't be made is told, though its parent seems writable to root")
  func impossibleCache() async throws {
    let outcome = try await command.run(
      ["doctor"], environment: ["IMAGEMILL_CACHE_DIR": "/proc/imagemill-none/cache"])
    #expect(outcome.status == 1)
    #expect(
      outcome.text.contains(
        "the cache directory /proc/imagemill-none/cache isn't writable: it can't be created"),
      "\(outcome.text)")
    #expect(outcome.text.contains("read-only, index absent"), "\(outcome.text)")
  }

  @Test("wrong settings of the environment and of the configuration file are problems")
  func wrongSettings() async throws {
    let variable = try await command.run(
      ["doctor"], environment: ["IMAGEMILL_PER_HOST": "x", "IMAGEMILL_FAIL_FAST": "maybe"])
    #expect(variable.status == 1)
    #expect(
      variable.text.contains(
        "BROKEN       IMAGEMILL_PER_HOST: the value 'x' is invalid for '--per-host <n>'; the value is a number, such as 4\n"
      ),
      "\(variable.text)")
    #expect(
      variable.text.contains("BROKEN       IMAGEMILL_FAIL_FAST: 'maybe' must be true or false\n"),
      "\(variable.text)")
    let directory = command.directory + "/config/imagemill"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data("per-host = \"x\"\n".utf8).write(to: URL(filePath: directory + "/config.toml"))
    let file = try await command.run(["doctor", "--json"])
    #expect(file.status == 1)
    let found = try #require(try JSONSerialization.jsonObject(with: file.output) as? [String: Any])
    let findings = try #require(found["findings"] as? [[String: Any]])
    let problems = findings.compactMap { $0["problem"] as? String }
    #expect(
      problems.contains {
        $0.hasPrefix("\(directory)/config.toml:1:1: setting 'per-host': the value 'x' is invalid")
      }, "\(problems)")
    // Settings that are wrong only together.
    let both = try await command.run(
      ["doctor"],
      environment: [
        "XDG_CONFIG_HOME": command.directory + "/none", "IMAGEMILL_QUIET": "1", "IMAGEMILL_VERBOSE": "1",
      ])
    #expect(both.status == 1)
    #expect(both.text.contains("--quiet and --verbose can't be used together; "), "\(both.text)")
  }

  @Test("shows no password")
  func secrets() async throws {
    for arguments in [["doctor"], ["doctor", "--json"]] {
      let outcome = try await command.run(
        arguments,
        environment: ["https_proxy": "http://ada:s3cret@proxy.test:8080", "all_proxy": "eve:s3cret@p:1"])
      #expect(!(outcome.text + outcome.errors).contains("s3cret"))
      #expect(outcome.text.contains("http://***@proxy.test:8080"))
    }
    #expect(Diagnosis.masked("socks5h://a:b@c@host:1", of: "all_proxy") == "socks5h://***@host:1")
    #expect(Diagnosis.masked("http://proxy:3128", of: "http_proxy") == "http://proxy:3128")
  }

  @Test("variables are shown as they are, but for the credentials of a proxy")
  func variables() async throws {
    let plain = [
      "LANG": "de_DE@euro", "LC_ALL": "C.UTF-8@x", "TMPDIR": "/tmp", "IMAGEMILL_CACHE_DIR": "/srv/a@b/cache",
      "no_proxy": "a@b",
    ]
    let secret = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    var environment = plain
    for name in secret { environment[name] = "http://me:secret@proxy:3128" }
    let text = try await CommandRun().run("doctor", "--json", environment: environment).text
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let shown = try #require(object["environment"] as? [String: String])
    for (name, value) in plain { #expect(shown[name] == value) }
    for name in secret { #expect(shown[name] == "http://***@proxy:3128") }
    #expect(!text.contains("secret"))
  }

  @Test("a directory of certificates that can't be read is told with the reason")
  func certificates() throws {
    let command = try CommandRun()
    try command.write("x", to: "file.pem")
    try command.write("", to: "empty.pem")
    let (file, empty, none) = (
      command.work + "/file.pem", command.work + "/empty.pem", command.work + "/none"
    )
    #expect(Diagnosis.lackOfCertificates(in: [none, command.work]) == nil)
    #expect(Diagnosis.lackOfCertificates(in: [none, file]) == nil)
    #expect(
      Diagnosis.lackOfCertificates(in: [none, empty]) == "no certificate authorities in \(none) or \(empty)")
  }
}
