import ImageBatch
import ImageDownloads

/// Templates of the command line without a field: two records would have the same path.
extension RecordParser {
  /// Whether an earlier record has the path that the command line's template gives this one too.
  mutating func isRepeatedConstant() -> Bool {
    guard let template = context.outputTemplate, template.fields.isEmpty else { return false }
    constantRecords += 1
    return constantRecords > 1
  }

  /// The error of a record that is the second one with that path too.
  func alsoRefused(_ diagnostic: ManifestDiagnostic, at record: Record) -> ManifestDiagnostic {
    var diagnostic = diagnostic
    diagnostic.concernsInput = true
    diagnostic.further.append(.init(file: name, line: record.line, column: 1, message: constantTemplate))
    return diagnostic
  }

  /// Whether the first record has that path, and no second one has come yet: with a second one, neither is made.
  var hasOneConstant: Bool { constantRecords == 1 && index == options.firstIndex + 1 }

  /// The error of the first record once a second one has come.
  func refusal(ofFirst job: Job) -> ManifestDiagnostic {
    var diagnostic = ManifestDiagnostic(
      file: name, line: job.location?.line ?? 1, column: 1, message: constantTemplate)
    diagnostic.concernsInput = true
    diagnostic.isFoundLate = true
    diagnostic.reads = job.sources.compactMap(\.localPath)
    return diagnostic
  }

  var constantTemplate: String {
    context.hints.template
      + "'\(context.outputTemplate?.text ?? "")' is the path of one output, and there are several sources: use a field, "
      + "such as {name} or {index}"
  }
}

/// The sources of wrong records, which no output may replace.
extension RecordParser {
  /// The error of a record with these sources.
  func reading(
    _ sources: [ImageSource], _ failure: Result<Job, ManifestDiagnostic>
  ) -> Result<Job, ManifestDiagnostic> {
    failure.mapError { diagnostic in
      var diagnostic = diagnostic
      diagnostic.reads = sources.compactMap(\.localPath)
      return diagnostic
    }
  }

  /// The sources that a wrong record names, without those that can't be read.
  func sources(named node: ManifestNode) -> [ImageSource] {
    ["source", "placeholder"].compactMap { node[$0] }.flatMap { $0.list ?? [$0] }.compactMap(\.scalar)
      .compactMap { text in
        do { return try context.resolver.resolve(text) } catch { return nil }
      }
  }
}
