import ImageBatch
import ImageCaches
import ImageDownloads

/// What is shown of failures: the message with its remedy.
extension JobError {
  /// The failure whose message says what to do about it too.
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

extension DownloadError {
  /// The message with what to do about it.
  var messageWithRemedy: String { JobError(self).withRemedy.message }
}

extension CacheError {
  /// The message with what to do about it.
  var messageWithRemedy: String { messageWithRemedy() }

  /// - Parameter canDoWithout: Whether the command works without a cache.
  func messageWithRemedy(canDoWithout: Bool = true) -> String {
    Remedies.remedy(for: reason, canDoWithout: canDoWithout).map { "\(message); \($0)" } ?? message
  }
}

extension StoreRepair {
  /// The message with what to do about it.
  func messageWithRemedy(canDoWithout: Bool = true) -> String {
    guard let error else { return message }
    return message.dropLast(error.message.count) + error.messageWithRemedy(canDoWithout: canDoWithout)
  }
}

extension BatchWarning {
  /// The warning whose message says what to do about it too.
  var withRemedy: BatchWarning {
    guard let error else { return self }
    var result = self
    result.message = message.dropLast(error.message.count) + error.withRemedy.message
    return result
  }
}

extension BatchEvent {
  /// The event as it is reported: each failure in it says what to do about it.
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
    result.error = error.withRemedy
    return result
  }
}

extension BatchPlan {
  /// The plan as it is shown: each output that can't be made says what to do about it.
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
