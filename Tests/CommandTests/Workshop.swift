import Foundation
import LoopbackServer
import Synchronization

/// A place in which the commands of the manuals and of the README run as they are written.
///
/// The hosts `example.com` and `*.example.com` are a loopback server: their addresses are replaced in whatever is run
/// or written to a file, and `imagemill` is a function of the shell that lets the built command reach loopback and changes nothing
/// else. The same server is the one of `s3:` addresses, and has a bucket `photos`. `images.example.com/private/` wants `Authorization: Bearer` with the token of the variable TOKEN.
final class Workshop: Sendable {
  let command: CommandRun
  let server: LoopbackServer
  /// The path that the server lacks.
  let missing = MissingPath()
  private static let repository =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../.."

  init() throws {
    command = try CommandRun()
    func image(_ name: String) throws -> Data {
      try Data(contentsOf: URL(fileURLWithPath: Self.repository + "/Examples/images/" + name))
    }
    let (photo, logo, spinner) = (
      try image("sunset.jpg"), try image("logo.png"), try image("spinner.gif")
    )
    server = try LoopbackServer { [missing] request in
      if missing.isPath(request.path) { return .notFound }
      if request.path.contains("/private/"), request.field("Authorization") != "Bearer open-sesame" {
        return Page(text: "no", type: "text/plain", status: 401)
      }
      if request.method == "PUT" { return Page(fields: [("ETag", "\"1\"")]) }
      if request.target.contains("list-type=2") {
        let keys = ["2026/a.jpg", "2026/b.png"].map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }
        return Page(text: "<ListBucketResult>\(keys.joined())</ListBucketResult>", type: "application/xml")
      }
      switch request.path.split(separator: ".").last {
      case "jpg": return Page(Array(photo), type: "image/jpeg")
      case "png": return Page(Array(logo), type: "image/png")
      case "gif": return Page(Array(spinner), type: "image/gif")
      default: return .notFound
      }
    }
    let home = command.directory + "/home"
    for directory in [
      home + "/.zfunc", home + "/.config/fish/completions",
      home + "/.local/share/bash-completion/completions", home + "/.aws",
      command.work + "/photos/2026",
    ] { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }
    let profiles = ["default", "work"].map {
      "[\($0)]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = secret\n"
    }
    try profiles.joined().write(toFile: home + "/.aws/credentials", atomically: true, encoding: .utf8)
    try command.write(Array(photo), to: "photos/2026/a.jpg")
    try command.write(Array(photo), to: "photo.jpg")
    try command.write(Array(photo), to: "in.jpg")
    for name in ["logo", "stencil", "before"] { try command.write(Array(logo), to: name + ".png") }
    try command.write(Array(spinner), to: "spinner.gif")
    try write("https://example.com/a.jpg\nhttps://example.com/b.jpg\n", to: "urls.txt")
    try command.write(Array(logo), to: "photos/2026/b.png")
    try write(
      "source,id,w,h\nhttps://example.com/a.jpg,1815,30,20\nphoto.jpg,1906,20,30\n", to: "sizes.csv")
    try write("source,id\nhttps://example.com/a.jpg,1815\nphoto.jpg,1906\n", to: "people.csv")
    for name in ["imagemill.yaml", "images.yaml"] {
      let directory = name == "images.yaml" ? "images/" : ""
      try write(
        """
        imagemill: 1
        base: https://example.com/
        jobs:
          - {source: team/ada.jpg, filter: "fill:64x64,circle", output: \(directory)team/ada.png}
          - {source: team/grace.jpg, filter: "fill:64x64", output: \(directory)team/grace.jpg}

        """, to: name)
    }
    try write(
      """
      imagemill: 1
      jobs:
        - source: https://example.com/hero.jpg
          outputs:
            - output: "hero-{width}.{ext}"
              filter: "limit:{width}x"
              matrix: {width: [200, 400], format: [webp, jpeg]}

      """, to: "responsive.yaml")
  }

  /// Writes a file of an example.
  func write(_ text: String, to name: String) throws {
    try command.write(local(text), to: name)
  }

  /// Runs lines of a shell, which must all succeed: a pipe's first part too.
  func run(_ lines: String) async throws -> CommandRun.Outcome {
    try await command.run(
      ["-euo", "pipefail", "-c", Self.function + local(lines)],
      environment: [
        "HOME": command.directory + "/home", "TOKEN": "open-sesame", "AWS_ENDPOINT_URL_S3": server.url(""),
      ], executable: "/bin/bash")
  }

  private static let function = """
    imagemill() {
      local -a loopback=()
      case ${1-} in run | pipe | convert | fetch | inspect | plan | ls) loopback=(--allow-net loopback) ;; esac
      '\(CommandRun.executable)' "${1-}" "${loopback[@]}" "${@:2}"
    }

    """

  /// With the examples' hosts on loopback.
  private func local(_ text: String) -> String {
    text.replacing(#/https://([a-z]+\.)?example\.com/#, with: server.url(""))
      .replacing("http://127.0.0.1:9000", with: server.url(""))
  }
}

/// A path that a server lacks for a while.
final class MissingPath: Sendable {
  private let path = Mutex<String?>(nil)

  func set(_ path: String?) { self.path.withLock { $0 = path } }

  func isPath(_ path: String) -> Bool { self.path.withLock { $0 == path } }
}
