import ArgumentParser
import SystemIO

/// Writes a first manifest.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a commented manifest.",
    discussion: """
      With --from, the manifest makes an output of each line of a list or table, of each image below a directory, or of \
      each file that matches a pattern. It is checked before it is written, and an existing file is never replaced.

        imagemill init
        imagemill init --from urls.txt
        imagemill init --from photos
      """)

  @Option(
    help: ArgumentHelp(
      "A list of sources, a CSV, TSV or NDJSON file, a directory of images, or a pattern.",
      valueName: "list|dir"),
    completion: .file())
  var from: String?

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The manifest to write; '-' is standard output.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var output = "imagemill.yaml"

  func run() throws {
    if output.isEmpty { throw CommandError(.usage, "--output: the path is empty; name a file, or '-'") }
    let suffix = output.split(separator: "/").last?.split(separator: ".").last?.lowercased()
    if output != "-", suffix != "yaml", suffix != "yml" {
      let stem = output.lastIndex(of: ".").map { output[..<$0] } ?? output[...]
      throw CommandError(
        .usage, "init writes YAML, and '\(output)' doesn't end in .yaml; name it '\(stem).yaml'")
    }
    if output != "-", File.exists(output) {
      throw CommandError(.usage, "\(output) exists already; name another file with -o, or remove it first")
    }
    let manifest = try manifest()
    if output == "-" {
      try StandardOutput.write(manifest)
      return
    }
    do throws(AtomicFile.Failure) {
      try AtomicFile.write(Array(manifest.utf8), to: output, options: .init(replaces: false))
    } catch {
      throw CommandError(.failed, "can't write \(output): \(error.message)")
    }
    let name = output == "imagemill.yaml" ? "" : " \(ShellWord.quoted(output))"
    let first = from == nil ? "put your images in place of ./photo.jpg, then " : ""
    StandardError.say("imagemill: note: \(output) is written; \(first)run it with 'imagemill run\(name)'")
  }

  /// The manifest's text: the first draft that is right.
  private func manifest() throws -> String {
    guard let from else { return ManifestDraft.example }
    if from == "-" {
      throw CommandError(
        .usage,
        "--from: a manifest names its list, and standard input has no name; save the list to a file first")
    }
    let check = DraftCheck(manifest: output)
    var failure: (any Error)?
    let drafts = try DraftedInput(from, manifest: output).drafts(check.options)
    for draft in drafts.texts {
      do {
        try check(draft)
        return draft
      } catch {
        failure = failure ?? error
      }
    }
    if let remedy = drafts.remedy { throw CommandError(.usage, remedy) }
    throw failure ?? CommandError(.failed, "no manifest fits '\(from)'")
  }
}
