import Glibc
package import ImageBatch
import ImageCaches
import ImageDownloads
import SystemIO

/// The jobs of sources named on the command line: paths, URLs, and the images of directories and of patterns such as
/// `photos/**/*.heic`. Directories are read during the iteration.
package struct OperandJobs: Sequence, Sendable {
  /// A job, or an error for a directory that can't be read.
  package typealias Element = Result<Job, ManifestDiagnostic>

  /// An error in an operand.
  package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for the user.
    package let description: String
  }

  private enum Operand {
    case source(ImageSource)
    /// The images below a directory.
    case directory(GlobPattern)
    case pattern(GlobPattern)
  }

  private let operands: [Operand]
  private let parser: RecordParser
  private let isImage: @Sendable (String) -> Bool
  private var own = OwnOutputs()
  /// The files that are outputs of other operands, and no sources.
  package private(set) var leftOut: [String] = []
  /// Those of them that are named, not found in a directory or by a pattern.
  package var namedAndLeftOut: [String] {
    operands.compactMap { operand in
      if case .source(.file(let path)) = operand, own.contains(path) { path } else { nil }
    }
  }

  /// The jobs of `operands`, in order. A file that is the output of another one is left out: an earlier run may have made it.
  /// - Parameters:
  ///   - outputDirectory: The directory of relative outputs. Default: the current directory.
  ///   - replacesSources: Whether outputs may replace sources. A named file that is the output of another one is then an
  ///     error: it may be an original, and which of its contents would be converted isn't defined. Default: false.
  ///   - isImage: Whether a file in a directory is a source, by its path.
  /// - Throws: `ManifestErrors` if the template or the chain is wrong, `Failure` if an operand is wrong or matches
  ///   nothing.
  package init(
    _ operands: [String], _ options: ManifestOptions, outputDirectory: String = ".",
    replacesSources: Bool = false, isImage: @escaping @Sendable (String) -> Bool
  ) throws {
    self.isImage = isImage
    parser = try RecordParser(name: "-", options: LineOptions(.sources), manifest: options)
    self.operands = try operands.map { try Self.operand($0) }
    try refuseConstantTemplate()
    for (text, operand) in zip(operands, self.operands) {
      var files = files(of: operand)
      guard files.walk != nil, files.next() == nil else { continue }
      throw Failure(description: Self.nothing(in: operand, text))
    }
    var own = OwnOutputs()
    for case .success(let job) in self {
      if case .file(let path) = job.sources[0] { own.add(path, job, in: outputDirectory) }
    }
    own.decide()
    leftOut = own.leftOut
    self.own = own
    if replacesSources, let path = namedAndLeftOut.first {
      throw Failure(
        description:
          "\(path) is a source, and the output of another one: name only the originals, or write to another directory"
      )
    }
    try refuseConflicts()
  }

  /// The mistake of an operand without images. A pattern finds more only in a directory with other files.
  private static func nothing(in operand: Operand, _ text: String) -> String {
    guard case .directory(let pattern) = operand else { return "nothing matches '\(text)'" }
    var walk = GlobWalk(pattern, in: "")
    let hint = walk.next() == nil ? "" : ": use a pattern, such as '\(Paths.joined(text, "**"))'"
    return "no images in the directory '\(text)'\(hint)"
  }

  /// Throws if outputs of different sources would have the same path.
  private func refuseConflicts() throws(Failure) {
    var conflicts = RecordConflicts()
    for case .success(let job) in self where conflicts.claim(job) != nil {
      let output = job.outputs.first.flatMap { OutputConflicts.path(of: $0, job) } ?? ""
      let first = lazy.compactMap { result -> Job? in
        guard case .success(let other) = result,
          other.outputs.contains(where: { OutputConflicts.path(of: $0, other) == output })
        else { return nil }
        return other
      }.first { _ in true }
      if let made = Self.inPlace(job, first, output) {
        throw Failure(
          description:
            "the outputs of \(first?.sources.first?.displayText ?? "another source") and \(made) have the path '\(output)': if "
            + "imagemill made \(made), name only the originals, with a pattern such as '*.jpg', or write to another directory"
        )
      }
      throw Failure(
        description:
          "the outputs of \(first?.sources.first?.displayText ?? "another source") and "
          + "\(job.sources.first?.displayText ?? "") have the path '\(output)': use a field that differs, such as "
          + Self.fields(telling: job, from: first))
    }
  }

  /// The source of one of two jobs that is the file at their output's path.
  private static func inPlace(_ job: Job, _ other: Job?, _ output: String) -> String? {
    guard let identity = FileIdentity(path: output) else { return nil }
    return [job, other].compactMap { $0?.sources.first?.displayText }.first {
      FileIdentity(path: $0) == identity
    }
  }

  /// The fields that tell two sources apart, without those that their template has.
  private static func fields(telling job: Job, from other: Job?) -> String {
    let used = Set((job.outputs.first?.template.fields ?? []).map(\.name))
    var fields = [("index", "{index}"), ("source-hash", "{source-hash:8}")]
    if other?.sourceDirectory != job.sourceDirectory { fields.insert(("dir", "{dir}"), at: 0) }
    return fields.filter { !used.contains($0.0) }.prefix(2).map { $0.1 }.joined(separator: " or ")
  }

  /// Throws if several sources would get the same path.
  private func refuseConstantTemplate() throws(Failure) {
    var jobs = makeIterator()
    guard case .success = jobs.next(), case .failure(let second) = jobs.next(), second.concernsInput else {
      return
    }
    throw Failure(description: second.message)
  }

  private static func facts(of path: String) -> stat? {
    var found = stat()
    return stat(path, &found) == 0 ? found : nil
  }

  private static func operand(_ text: String) throws -> Operand {
    let facts = facts(of: text)
    if let facts, facts.st_mode & S_IFMT == S_IFDIR {
      return .directory(GlobPattern(everythingBelow: text))
    }
    if facts == nil, GlobPattern.isPattern(text), !isAddress(text) {
      do throws(GlobPattern.Failure) {
        return .pattern(try GlobPattern(parsing: text))
      } catch {
        throw Failure(description: error.message)
      }
    }
    do throws(DownloadError) {
      return .source(try ImageSource(parsing: text))
    } catch {
      throw Failure(description: error.message)
    }
  }

  private static func isAddress(_ text: String) -> Bool {
    ["http", "https", "s3", "file", "data"].contains(URLReference.scheme(of: text))
  }

  /// Makes an iterator at the first operand.
  package func makeIterator() -> Iterator { Iterator(self) }

  /// Iterates over the jobs.
  package struct Iterator: IteratorProtocol {
    private let jobs: OperandJobs
    private var parser: RecordParser
    private var position = 0
    private var files: Files?

    fileprivate init(_ jobs: OperandJobs) {
      self.jobs = jobs
      parser = jobs.parser
    }

    /// The next source's job; nil at the end.
    package mutating func next() -> Element? {
      while true {
        if let found = files?.next() {
          switch found {
          case .success(.file(let path)) where jobs.own.contains(path): continue
          case .success(let source):
            return parser.job(source, directory: files?.root.directory(of: source) ?? "")
          case .failure(let diagnostic): return .failure(diagnostic)
          }
        }
        guard position < jobs.operands.count else { return nil }
        files = jobs.files(of: jobs.operands[position])
        position += 1
      }
    }
  }

  /// The sources of one operand.
  fileprivate struct Files {
    var walk: GlobWalk?
    var source: ImageSource?
    let root: SourceRoot
    var isImage: (String) -> Bool

    mutating func next() -> Result<ImageSource, ManifestDiagnostic>? {
      if let source {
        self.source = nil
        return .success(source)
      }
      while let found = walk?.next() {
        switch found {
        case .file(let path): if isImage(path) { return .success(.file(path)) }
        case .failure(let path, let message):
          return .failure(ManifestDiagnostic(file: path, line: 1, column: 1, message: message))
        }
      }
      return nil
    }
  }

  private func files(of operand: Operand) -> Files {
    switch operand {
    case .source(let source):
      Files(source: source, root: SourceRoot(directory: ""), isImage: { _ in true })
    case .directory(let pattern):
      Files(walk: GlobWalk(pattern, in: ""), root: SourceRoot(directory: pattern.root), isImage: isImage)
    case .pattern(let pattern):
      Files(
        walk: GlobWalk(pattern, in: ""), root: SourceRoot(directory: pattern.root), isImage: { _ in true })
    }
  }
}
