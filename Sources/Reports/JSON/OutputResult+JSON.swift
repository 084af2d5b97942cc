import ImageBatch
import ImageRendering

extension JSONWriter {
  /// A result object. Every member is present, `null` if unknown, except `error`, which only failures have.
  mutating func resultLine(_ result: OutputResult) {
    document { json in
      json.resultMembers(result)
      if let placeholders = result.placeholders {
        json.member("placeholders", object: { $0.members(placeholders) })
      }
      if let place = result.location { json.member("location", object: { $0.members(place) }) }
    }
  }

  /// The result object as a line of a report: a document of its own.
  mutating func reportLine(_ result: OutputResult) {
    document { $0.members(result) }
  }

  /// The result object with the additional members of a report.
  mutating func reportEntry(_ result: OutputResult) {
    object { $0.members(result) }
  }

  mutating func members(_ result: OutputResult) {
    resultMembers(result)
    member("path", result.path)
    member("frames", result.frames)
    member("quality", result.quality)
    member("sourceBytes", result.sourceBytes)
    member("seconds", result.seconds.roundedToMilliseconds)
    member("usedPlaceholder", result.usedPlaceholder)
    if let place = result.location { member("location", object: { $0.members(place) }) }
    if let placeholders = result.placeholders {
      member("placeholders", object: { $0.members(placeholders) })
    }
  }

  mutating func members(_ placeholders: Placeholders) {
    member("dominantColor", placeholders.dominantColor)
    member("blurHash", placeholders.blurHash)
    member("thumbHash", placeholders.thumbHash)
    member("dataURI", placeholders.dataURI)
  }

  mutating func members(_ place: ManifestLocation) {
    member("file", place.file)
    member("line", place.line)
    member("column", place.column)
  }

  mutating func members(_ summary: BatchSummary) {
    member("jobs", summary.jobs)
    member("jobsDone", summary.jobsDone)
    member("jobsFailed", summary.jobsFailed)
    member("jobsNotStarted", summary.jobsNotStarted)
    member("isInputUnread", summary.isInputUnread)
    member("outputs", summary.outputs)
    member("outputsWritten", summary.outputsWritten)
    member("outputsUnchanged", summary.outputsUnchanged)
    member("outputsFromCache", summary.outputsFromCache)
    member("outputsKept", summary.outputsKept)
    member("outputsFailed", summary.outputsFailed)
    member("outputsRemoved", summary.outputsRemoved)
    member("downloads", summary.downloads)
    member("downloadedBytes", summary.downloadedBytes)
    member("mergedDownloads", summary.mergedDownloads)
    member("revalidatedDownloads", summary.revalidatedDownloads)
    member("freshDownloads", summary.freshDownloads)
    member("decodes", summary.decodes)
    member("renderings", summary.renderings)
    member("renditionsReused", summary.renditionsReused)
    member("remoteHits", summary.remoteHits)
    member("remoteMisses", summary.remoteMisses)
    member("remoteReceivedBytes", summary.remoteReceivedBytes)
    member("remoteUploads", summary.remoteUploads)
    member("remoteSentBytes", summary.remoteSentBytes)
    member("remoteFailedUploads", summary.remoteFailedUploads)
    member("placeholdersUsed", summary.placeholdersUsed)
    member("allFailuresTemporary", summary.allFailuresTemporary)
    member("seconds", summary.seconds.roundedToMilliseconds)
  }

  private mutating func resultMembers(_ result: OutputResult) {
    member("index", result.index)
    member("source", result.source)
    member("output", result.output)
    member("status", result.status.rawValue)
    member("width", result.width)
    member("height", result.height)
    member("bytes", result.bytes)
    member("sha256", result.sha256)
    member("filter", result.filter)
    member("format", result.format)
    if let error = result.error {
      member(
        "error",
        object: { json in
          json.member("code", error.code.rawValue)
          json.member("stage", error.stage.rawValue)
          if let source = error.source { json.member("source", source) }
          json.member("message", error.message)
          json.member("temporary", error.isTemporary)
        })
    }
    member(
      "fields",
      object: { json in
        for field in result.fields { json.member(field.name, json: field.json) }
      })
  }
}

extension Double {
  /// The time rounded for output; more digits would be noise.
  var roundedToMilliseconds: Double { (self * 1000).rounded() / 1000 }
}
