import Glibc
import ImageBatch
import SystemIO

/// The table in `from`: a file of rows, a list, or the files that match a pattern. It can be read repeatedly.
struct RowTable: Sendable {
  enum Kind: Sendable {
    case records(LineForm)
    case files(GlobPattern)
  }

  let kind: Kind
  /// The path, joined to the manifest's directory; the pattern as written.
  let name: String
  /// The directory that a pattern's paths are relative to.
  let directory: String
  /// The names of the columns; nil for NDJSON, where each row has its own.
  private(set) var columns: [String]?

  /// Files that match the pattern and that other jobs will make, in the order of a walk; none of them exists yet.
  var expected: [String] = []

  /// The only column of lists and patterns.
  static let sourceColumn = "source"

  /// The table that `text` names in a manifest's directory.
  /// - Throws: `RowFailure` if it can't be read, lies outside the directory, or has a wrong header.
  init(_ text: String, in directory: ManifestDirectory, _ hints: ManifestHints) throws(RowFailure) {
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
      throw .sentence("'\(text)' is a directory: use '\(text.hasSuffix("/") ? text : text + "/")**/*.jpg'")
    }
    name = path
    let form = try Self.form(path, hints)
    kind = .records(form)
    switch form {
    case .sources: columns = [Self.sourceColumn]
    case .ndjson: columns = nil
    case .csv, .tsv: columns = try RowReader(self).columns
    }
  }

  /// The files that match a pattern.
  init(_ pattern: GlobPattern, name: String) {
    (kind, self.name, directory, columns) = (.files(pattern), name, "", [Self.sourceColumn])
  }

  /// The path of a file that matches the pattern.
  func path(of file: String) -> String {
    directory.isEmpty || Paths.isAbsolute(file) ? file : Paths.joined(directory, file)
  }

  /// The form of a file, by its name or else by its first line.
  private static func form(_ path: String, _ hints: ManifestHints) throws(RowFailure) -> LineForm {
    let file = try open(path)
    var kind = ManifestKind(fileName: path)
    if kind == nil {
      do throws(ManifestErrors) {
        kind = ManifestKind(sniffing: try ManifestInput.start(try file.read(atMost: 64 << 10), path, hints))
      } catch {
        throw .diagnostics(error.diagnostics)
      }
    }
    guard case .lines(let form) = kind else {
      throw .sentence(
        "'\(path)' is a manifest: 'from' must name a CSV, TSV or NDJSON file, a list, or a pattern")
    }
    return form
  }

  /// What to do about a header whose cells have another separator than the rows of this form, after a semicolon; nil for
  /// other headers.
  var separatorHint: String? {
    guard case .records(let form) = kind, form == .csv || form == .tsv else { return nil }
    let separator = form == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")
    guard DelimitedRow.otherSeparator(in: columns ?? [], than: separator) != nil else { return nil }
    return "; separate its cells with \(form == .csv ? "commas" : "tabs")"
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
        "'\(path)' isn't a regular file: its rows must be read twice, to check them and to run them")
    }
    return file
  }
}

/// Why rows can't be read.
enum RowFailure: Error {
  /// An error in `from` itself.
  case sentence(String)
  /// Errors in the file that it names.
  case diagnostics([ManifestDiagnostic])
}
