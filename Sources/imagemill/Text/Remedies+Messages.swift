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
  /// The error of a source with its remedy. For a list in place of an image, it is the command that reads the list.
  func withRemedy(of source: String) -> JobError {
    guard code == .notAnImage, parts.isEmpty, (self.source ?? source) == source,
      message.hasPrefix(NonImageContent.text.rawValue), URLReference.scheme(of: source) == nil,
      ManifestKind(fileName: source) == .lines(.sources)
    else { return withRemedy }
    var result = self
    result.message =
      "\(NonImageContent.text.rawValue); to convert the sources that it lists, write 'imagemill pipe -o TEMPLATE < "
      + "\(ShellWord.quoted(source))'"
    return result
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
    Remedies.remedy(for: reason, canDoWithout: canDoWithout).map { "\(message); \($0)" } ?? message
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
    guard let error else { return self }
    var result = self
    result.message = message.dropLast(error.message.count) + error.withRemedy.message
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
    result.error = error.withRemedy(of: source)
    return result
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
      plan.entries[index].reason = error.withRemedy.message
    }
    return plan
  }
}
