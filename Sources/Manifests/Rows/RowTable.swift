import Glibc
import ImageBatch

/// What `from` names: a table, a list, or the files that a pattern means. It can be read again and again.
struct RowTable: Sendable {
  enum Kind: Sendable {
    case records(LineForm)
    case files(GlobPattern)
  }

  let kind: Kind
  /// The path, joined to the manifest's directory; the pattern as it is written.
  let name: String
  /// What paths of a pattern are relative to.
  let directory: String
  /// The names that each row has; nil where each says its own, as in NDJSON.
  private(set) var columns: [String]?

  /// The column of lists and patterns.
  static let sourceColumn = "source"

  /// What `text` names in a manifest's directory. Throws a sentence where there is no such thing, or what is wrong
  /// with its header.
  init(_ text: String, in directory: ManifestDirectory) throws(RowFailure) {
    let path: String
    do throws(SourceResolver.Failure) { path = try directory.inside(text) } catch {
      throw .sentence(error.message)
    }
    self.directory = text.hasPrefix("/") ? "" : directory.path
    var facts = stat()
    if stat(path, &facts) != 0, GlobPattern.isPattern(text) {
      do throws(GlobPattern.Failure) {
        kind = .files(try GlobPattern(parsing: text))
      } catch {
        throw .sentence(error.message)
      }
      (name, columns) = (text, [Self.sourceColumn])
      return
    }
    if facts.st_mode & S_IFMT == S_IFDIR {
      throw .sentence("'\(text)' is a directory: write '\(text.hasSuffix("/") ? text : text + "/")**/*.jpg'")
    }
    name = path
    let form = try Self.form(path)
    kind = .records(form)
    switch form {
    case .sources: columns = [Self.sourceColumn]
    case .ndjson: columns = nil
    case .csv, .tsv: columns = try RowReader(self).columns
    }
  }

  /// The files of a pattern.
  init(_ pattern: GlobPattern, name: String) {
    (kind, self.name, directory, columns) = (.files(pattern), name, "", [Self.sourceColumn])
  }

  /// The form that a file's name or its first line says.
  private static func form(_ path: String) throws(RowFailure) -> LineForm {
    let file = try open(path)
    var kind = ManifestKind(fileName: path)
    if kind == nil {
      do throws(ManifestErrors) {
        kind = ManifestKind(sniffing: try ManifestInput.start(try file.read(atMost: 64 << 10), path))
      } catch {
        throw .diagnostics(error.diagnostics)
      }
    }
    guard case .lines(let form) = kind else {
      throw .sentence("'\(path)' is a manifest: 'from' names a CSV, TSV or NDJSON file, a list, or a pattern")
    }
    return form
  }

  /// Opens a file that can be read twice.
  static func open(_ path: String) throws(RowFailure) -> ManifestFile {
    let file: ManifestFile
    do throws(ManifestErrors) { file = try ManifestFile(path: path) } catch {
      throw .sentence("'\(path)' \(error.diagnostics.first?.message ?? "can't be opened")")
    }
    var facts = stat()
    guard fstat(file.descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw .sentence(
        "'\(path)' is no regular file: its rows are read once to be checked, and again to be run")
    }
    return file
  }
}

/// Why rows can't be read.
enum RowFailure: Error {
  /// Of `from` itself.
  case sentence(String)
  /// Of the file that it names.
  case diagnostics([ManifestDiagnostic])
}
