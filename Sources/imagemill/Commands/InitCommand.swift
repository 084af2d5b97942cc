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
    StandardError.say("imagemill: note: \(output) is written; run it with 'imagemill run\(name)'")
  }

  /// The manifest's text. Of several templates, the first is taken whose outputs have different paths.
  private func manifest() throws -> String {
    guard let from else { return ManifestDraft.example }
    let isDirectory = Directory.exists(at: from)
    guard isDirectory || File.exists(from) else {
      throw CommandError(.usage, "--from: there is no file or directory '\(from)'")
    }
    let path = try relative(from)
    let job = try isDirectory ? ManifestDraft.pattern(path, extensions: extensions(in: from)) : path
    var failure: (any Error)?
    for template in ManifestDraft.templates(isDirectory: isDirectory) {
      let draft = ManifestDraft.text(from: job, template: template)
      do {
        try check(draft)
        return draft
      } catch {
        failure = failure ?? error
      }
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
    options.outputTemplate = try OutputOptions.template("{index}.png")
    var found: Set<String> = []
    for case .success(let job) in try SourceOperands.jobs([directory], options, allowed: []) {
      guard case .file(let path) = job.sources[0], let dot = path.lastIndex(of: ".") else { continue }
      found.insert(String(path[path.index(after: dot)...]))
    }
    return found.sorted()
  }
}

/// The text of a first manifest.
enum ManifestDraft {
  private static let head = """
    # yaml-language-server: $schema=imagemill.schema.json
    # For completion in editors, write the schema: imagemill schema > imagemill.schema.json
    # The format: imagemill help manifest. The filters: imagemill help filters.
    imagemill: 1

    """

  private static let settings = """
    # Named filter chains. limit never enlarges; fill crops to exactly the size.
    filters:
      small: limit:1600x1600

    # Starting values of every output.
    defaults:
      quality: 80

    """

  /// A manifest that makes two outputs of one image.
  static let example = """
    \(head)
    \(settings)
    jobs:
      # A source is a path, an http(s) URL or a data URL. The extension of 'output' sets the format.
      - source: ./photo.jpg
        filter: small
        output: images/photo.webp

      # Several outputs of one source, which is downloaded and decoded once.
      # - source: https://example.com/hero.jpg
      #   outputs:
      #     - {output: "images/hero-{width}.{ext}", filter: "limit:{width}x", matrix: {width: [400, 800], format: [avif, jpeg]}}

      # A job for each row of a table, or for each file that matches a pattern.
      # - from: products.csv
      #   source: "{file}"
      #   output: "images/{sku}.webp"

    """

  /// A manifest with a job for each row or file.
  static func text(from: String, template: String) -> String {
    """
    \(head)
    \(settings)
    jobs:
      # One job for each line, row or file. Fields such as {name} and {index} make different paths.
      - from: \(JSONText.quoted(from))
        filter: small
        output: \(JSONText.quoted(template))

    """
  }

  /// Output templates, the plainest first. The next is for sources of one name.
  static func templates(isDirectory: Bool) -> [String] {
    isDirectory
      ? ["images/{dir}/{name}.webp", "images/{dir}/{name}-{index}.webp"]
      : ["images/{name}.webp", "images/{host}/{name}.webp", "images/{index:05}-{name}.webp"]
  }

  /// The pattern of a directory's images.
  /// - Parameter path: The directory, relative to the manifest's; empty for the same one, whose other directories, where
  ///   the outputs are, don't match.
  /// - Throws: `CommandError` if there are no images, or the name has characters that patterns use.
  static func pattern(_ path: String, extensions: [String]) throws -> String {
    guard !extensions.isEmpty else {
      throw CommandError(.usage, "--from: there are no images in the directory")
    }
    if path.contains(where: { "*?[]{}\\".contains($0) }) {
      throw CommandError(.usage, "--from: '\(path)' has characters that patterns use; rename the directory")
    }
    let suffix = extensions.count == 1 ? extensions[0] : "{\(extensions.joined(separator: ","))}"
    return path.isEmpty ? "*.\(suffix)" : "\(path)/**/*.\(suffix)"
  }
}
