import ImageBatch
import ImageCaches
import ImageDownloads
import Manifests
import SystemIO
import Vips

extension JobError {
  /// The error with its remedy appended to the message.
  var withRemedy: JobError {
    var result = self
    if parts.isEmpty {
      if let remedy = Remedies.remedy(for: self) { result.message += "; \(remedy)" }
    } else {
      result.message = JobError(allOf: parts.map(\.withRemedy)).message
    }
    return result
  }
}

extension JobError {
  /// The error of a job with its remedy. For a list in place of an image, it is the command that reads the list; for a
  /// reference that looks like a name, the option that names a source.
  /// - Parameter job: The job's source.
  func withRemedy(ofJob job: String) -> JobError {
    var result = self
    if isList(job) {
      result.message =
        "\(NonImageContent.text.rawValue); to convert the sources that it lists, write 'imagemill pipe -o TEMPLATE < "
        + "\(ShellWord.quoted(job))'"
      return result
    }
    if let name = missingName(job) {
      result.message += "; to name a source, use --source \(ShellWord.quoted(name))=FILE"
      return result
    }
    return withRemedy(ofSource: job)
  }

  /// The error with its remedy.
  /// - Parameter name: The source, unless the error names another one.
  func withRemedy(ofSource name: String) -> JobError {
    var named = self
    named.source = source ?? name
    named.parts = parts.map { part in
      var part = part
      part.source = part.source ?? name
      return part
    }
    var result = named.withRemedy
    result.parts = parts
    result.source = source
    return result
  }

  /// Whether a job's source is a local list of sources.
  private func isList(_ job: String) -> Bool {
    code == .notAnImage && parts.isEmpty && (source ?? job) == job
      && message.hasPrefix(NonImageContent.text.rawValue) && URLReference.scheme(of: job) == nil
      && ManifestKind(fileName: job) == .lines(.sources)
  }

  /// The reference of a filter, such as `logo`, that is neither the name of a source nor a file; nil for other errors.
  private func missingName(_ job: String) -> String? {
    guard parts.isEmpty, let source, source != job, case .download(.missingFile(let path))? = reason,
      !path.contains("/"), !path.contains("."), Remedies.remedy(for: self) == nil
    else { return nil }
    return path
  }
}

extension DownloadError {
  /// The message with its remedy.
  var messageWithRemedy: String { JobError(self).withRemedy.message }
}

extension CacheError {
  var messageWithRemedy: String { messageWithRemedy() }

  /// The message with its remedy.
  /// - Parameter canDoWithout: Whether the command has `--no-cache`.
  func messageWithRemedy(canDoWithout: Bool = true) -> String {
    if reason == .noSpace, DiskStore.isTemporary(placeIn: message) {
      return "\(message); \(Remedies.temporarySpace)"
    }
    return Remedies.remedy(for: reason, canDoWithout: canDoWithout).map { "\(message); \($0)" } ?? message
  }
}

extension StoreRepair {
  /// The message with its remedy.
  func messageWithRemedy(canDoWithout: Bool = true) -> String {
    guard let error else { return message }
    return message.dropLast(error.message.count) + error.messageWithRemedy(canDoWithout: canDoWithout)
  }
}

extension BatchWarning {
  /// The warning with its remedy appended to the message.
  var withRemedy: BatchWarning {
    var result = self
    guard let error else {
      result.message = SecretText.hidden(in: message)
      return result
    }
    let advised = source.map { error.withRemedy(ofSource: $0) } ?? error.withRemedy
    result.message = SecretText.hidden(in: message.dropLast(error.message.count) + advised.message)
    return result
  }
}

extension BatchEvent {
  /// The event with a remedy in each failure's message.
  var withRemedies: BatchEvent {
    switch self {
    case .warning(let warning): return .warning(warning.withRemedy)
    case .outputFinished(let result): return .outputFinished(result.withRemedy)
    case .jobFinished(var job):
      job.outputs = job.outputs.map(\.withRemedy)
      return .jobFinished(job)
    default: return self
    }
  }
}

extension OutputResult {
  fileprivate var withRemedy: OutputResult {
    guard let error else { return self }
    var result = self
    var shown = error.withRemedy(ofJob: source)
    shown.message = SecretText.hidden(in: shown.message)
    result.error = shown
    return result
  }
}

extension LockCheck.Difference {
  /// The difference with the remedy of what prevented the comparison.
  var withRemedy: LockCheck.Difference {
    guard let failure else { return self }
    return LockCheck.Difference(
      subject: subject, failure: failure.withRemedy, location: location)
  }
}

extension BatchPlan {
  /// The plan with a remedy in the reason of each output that can't be made.
  var withRemedies: BatchPlan {
    var plan = self
    for index in plan.entries.indices {
      guard let error = plan.entries[index].error, plan.entries[index].reason == error.message else {
        continue
      }
      plan.entries[index].reason = error.withRemedy(ofSource: plan.entries[index].source).message
    }
    return plan
  }
}
