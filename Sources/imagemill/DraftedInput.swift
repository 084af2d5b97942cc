import Manifests
import SystemIO

/// What a drafted manifest makes its outputs of: a list, a directory or a pattern.
struct DraftedInput {
  /// The manifests to choose from.
  struct Drafts {
    /// The texts, the plainest first.
    var texts: [String]
    /// What to do if all of them are wrong; nil to report what is wrong with the first.
    var remedy: String?
  }

  private enum Kind {
    case list
    case directory
    case pattern(SourcePattern)
  }

  /// The names of columns that can hold nothing but sources.
  private static let sourceColumns: Set<String> = ["source", "url", "href", "src", "image", "file", "path"]

  private let given: String
  private let kind: Kind
  /// The input, relative to the manifest's directory.
  private let path: String
  private let manifest: String

  /// Finds the input.
  /// - Parameters:
  ///   - given: The operand of `--from`.
  ///   - manifest: The manifest that will name it; `-` is standard output.
  /// - Throws: `CommandError` if there is none, or it is outside the manifest's directory.
  init(_ given: String, manifest: String) throws {
    (self.given, self.manifest) = (given, manifest)
    kind = try Self.kind(given, manifest)
    path = Self.relative(given, manifest)
    guard Paths.components(path).first != ".." else {
      throw CommandError(
        .usage,
        "--from: '\(given)' is outside the manifest's directory; write the manifest beside it with -o, or move it"
      )
    }
  }

  private static func kind(_ given: String, _ manifest: String) throws -> Kind {
    if Directory.exists(at: given) { return .directory }
    if File.exists(given) { return .list }
    do throws(SourcePattern.Failure) {
      if let pattern = try SourcePattern(relative(given, manifest)) { return .pattern(pattern) }
    } catch {
      throw CommandError(.usage, "--from: \(error.message)")
    }
    throw CommandError(.usage, "--from: there is no file or directory '\(given)'")
  }

  /// The path relative to the manifest's directory.
  private static func relative(_ path: String, _ manifest: String) -> String {
    let working = Paths.workingDirectory
    let directory = ManifestArguments.directory(of: manifest)
    let components = Paths.relative(
      Paths.absoluteComponents(path, from: working), to: Paths.absoluteComponents(directory, from: working))
    return components.joined(separator: "/")
  }

  /// The manifests to choose from.
  /// - Parameter options: The settings that they are read with.
  /// - Throws: `CommandError` or `ManifestCommandError` if none can be right.
  func drafts(_ options: ManifestOptions) throws -> Drafts {
    switch kind {
    case .list:
      let source = try source(options)
      return Drafts(
        texts: ManifestDraft.drafts(
          ofList: path, source: source, outputs: outputDirectories(besides: nil)))
    case .directory:
      let extensions = try extensions()
      let drafts = try outputDirectories(besides: path).map {
        try ManifestDraft.drafts(ofDirectory: path, extensions: extensions, outputs: $0)
      }
      let isAmbiguous = extensions.count > 1 && drafts.allSatisfy { $0.count == 1 }
      return Drafts(
        texts: drafts.flatMap(\.self),
        remedy: isAmbiguous
          ? "--from: images have one name in several formats, and WebP is one of them, as for the outputs; move the images "
            + "into a directory, and name that" : nil)
    case .pattern(let pattern):
      let name = DirectoryEntry(manifest).name
      if manifest != "-", pattern.matches(name) {
        throw CommandError(
          .usage, "--from: '\(given)' matches the manifest \(manifest) too; use a narrower pattern")
      }
      return Drafts(
        texts: ManifestDraft.drafts(ofPattern: path, outputs: outputDirectories(besides: pattern.root)))
    }
  }

  // MARK: Outputs

  /// The directories that outputs may go to, the plainest first. The last one is new.
  /// - Parameter sources: The directory of the sources, in which outputs would match like them; nil for a list.
  private func outputDirectories(besides sources: String?) -> [String] {
    let directory = ManifestArguments.directory(of: manifest)
    func isInTheWay(_ name: String) -> Bool {
      guard let sources else { return false }
      guard let first = Paths.components(sources).first(where: { $0 != "." }) else {
        return File.exists(Paths.joined(directory, name))
      }
      return first == name
    }
    let others = ["converted"] + (2...99).map { "converted-\($0)" }
    let new = others.first { !isInTheWay($0) && !File.exists(Paths.joined(directory, $0)) }
    return (isInTheWay("images") ? [] : ["images"]) + (new.map { [$0] } ?? [])
  }

  // MARK: Inputs

  /// The template of a list's sources; nil if it has a column of that name, or none.
  /// - Throws: `ManifestCommandError` if it isn't clear which column has the sources.
  private func source(_ options: ManifestOptions) throws -> String? {
    guard let header = TableHeader(of: path, options), !header.hasSources else { return nil }
    let names = header.columns.filter { Self.sourceColumns.contains($0.lowercased()) }
    if names.count == 1 { return "{\(names[0])}" }
    let example = names.first ?? header.columns.first ?? "url"
    throw ManifestCommandError(
      ManifestErrors([
        header.mistake(
          "no column is named 'source': rename the one with the URLs or paths, or write a manifest with "
            + "source: \"{\(example)}\"")
      ]))
  }

  /// The file name extensions of the images below a directory, in the order of the alphabet.
  private func extensions() throws -> [String] {
    var options = ManifestOptions()
    options.outputTemplate = try OutputOptions.template("{source-hash}.png")
    var found: Set<String> = []
    let jobs: OperandJobs
    do {
      jobs = try SourceOperands.jobs([given], options, allowed: [])
    } catch let error as CommandError {
      throw CommandError(error.status, "--from: \(error.message)")
    }
    for result in jobs {
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
