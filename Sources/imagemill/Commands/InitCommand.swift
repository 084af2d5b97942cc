import ArgumentParser
import ImageBatch
import Manifests
import SystemIO

/// Writes a first manifest.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a commented manifest.",
    discussion: """
      With --from, the manifest makes an output of each line of a list or table, or of each image below a directory. \
      It is checked before it is written, and an existing file is never replaced.

        imagemill init
        imagemill init --from urls.txt
        imagemill init --from photos
      """)

  @Option(
    help: ArgumentHelp(
      "A list of sources, a CSV, TSV or NDJSON file, or a directory of images.", valueName: "list|dir"),
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

  /// The manifest's text: the first draft whose outputs have different paths.
  private func manifest() throws -> String {
    guard let from else { return ManifestDraft.example }
    if from == "-" {
      throw CommandError(
        .usage,
        "--from: a manifest names its list, and standard input has no name; save the list to a file first")
    }
    let isDirectory = Directory.exists(at: from)
    guard isDirectory || File.exists(from) else {
      throw CommandError(.usage, "--from: there is no file or directory '\(from)'")
    }
    let path = try relative(from)
    let drafts =
      try isDirectory
      ? ManifestDraft.drafts(ofDirectory: path, extensions: extensions(in: from))
      : ManifestDraft.drafts(ofList: path)
    var failure: (any Error)?
    for draft in drafts {
      do {
        try check(draft)
        return draft
      } catch {
        failure = failure ?? error
      }
    }
    if isDirectory, drafts.count == 1 {
      throw CommandError(
        .usage,
        "--from: images have one name in several formats, and WebP is one of them, as for the outputs; move the images into a "
          + "directory, and name that")
    }
    throw failure ?? CommandError(.failed, "no manifest fits '\(from)'")
  }

  private func check(_ draft: String) throws {
    var options = ManifestOptions()
    options.hints = Remedies.hints
    options.settings = Setting.known
    options.directory = output == "-" ? "" : DirectoryEntry(output).directory
    do throws(ManifestErrors) {
      _ = try ManifestReader(options).read(Array(draft.utf8), name: output, form: .yaml)
    } catch {
      throw ManifestCommandError(error)
    }
  }

  /// The path relative to the manifest's directory, which it must lie inside.
  private func relative(_ path: String) throws -> String {
    let working = Paths.workingDirectory
    let directory = output == "-" ? working : DirectoryEntry(output).directory
    let components = Paths.relative(
      Paths.absoluteComponents(path, from: working), to: Paths.absoluteComponents(directory, from: working))
    guard components.first != ".." else {
      throw CommandError(
        .usage,
        "--from: '\(path)' is outside the manifest's directory; write the manifest beside it with -o, or move it"
      )
    }
    return components.joined(separator: "/")
  }

  /// The file name extensions of the images below a directory, in the order of the alphabet.
  private func extensions(in directory: String) throws -> [String] {
    var options = ManifestOptions()
    options.outputTemplate = try OutputOptions.template("{source-hash}.png")
    var found: Set<String> = []
    for result in try SourceOperands.jobs([directory], options, allowed: []) {
      switch result {
      case .success(let job):
        guard case .file(let path) = job.sources[0], let dot = path.lastIndex(of: ".") else { continue }
        found.insert(String(path[path.index(after: dot)...]))
      // A part of the images would be left out.
      case .failure(let diagnostic):
        throw CommandError(.usage, "--from: '\(diagnostic.file)' \(diagnostic.message)")
      }
    }
    return found.sorted()
  }
}
