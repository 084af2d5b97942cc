import ImageBatch

/// The documents of batches: results, reports, events, markup and locks.
extension DocumentSchema {
  static let location = Form.object([
    .required("file", .text), .required("line", .integer, "From 1."),
    .required("column", .integer, "From 1."),
  ])

  static let error = Form.object([
    .required("code", .words(JobError.Code.allCases.map(\.rawValue)), "See DIAGNOSTICS in imagemill(1)."),
    .required("stage", .words(["manifest", "download", "read", "decode", "filter", "encode", "write"])),
    .optional("source", .text, "The source that failed, if it isn't the job's first."),
    .required("message", .text), .required("temporary", .flag, "Whether retrying may succeed."),
  ])

  static let placeholders = Form.object([
    .required("dominantColor", .text), .required("blurHash", .text), .required("thumbHash", .text),
    .required("dataURI", .text),
  ])

  private static let resultMembers: [Member] = [
    .required("index", .integer, "The job's position, from 1."), .required("source", .text),
    .required("output", .nullable(.text), "The path; null if it isn't known."),
    .required("status", .words(["written", "unchanged", "cached", "kept", "failed"])),
    .required("width", .nullable(.integer)), .required("height", .nullable(.integer)),
    .required("bytes", .nullable(.integer)), .required("sha256", .nullable(.digest)),
    .required("filter", .text, "The chain's canonical form."), .required("format", .text),
    .optional("error", error, "Of a failed output."),
    .required("fields", .map(.any), "The fields of the input's record."),
    .optional("location", location),
  ]

  private static let reportMembers: [Member] =
    resultMembers + [
      .required("path", .nullable(.text), "The file, relative to the working directory."),
      .required("frames", .nullable(.integer)),
      .required("quality", .nullable(.integer), "The quality that max-bytes reached."),
      .required("sourceBytes", .nullable(.integer)), .required("seconds", .number),
      .required("usedPlaceholder", .flag, "Whether the fallback image was used."),
      .optional("placeholders", placeholders),
    ]

  private static let summaryMembers: [Member] =
    [
      "jobs", "jobsDone", "jobsFailed", "jobsNotStarted", "outputs", "outputsWritten", "outputsUnchanged",
      "outputsFromCache", "outputsKept", "outputsFailed", "outputsRemoved", "downloads", "downloadedBytes",
      "mergedDownloads", "revalidatedDownloads", "freshDownloads", "decodes", "renderings",
      "renditionsReused", "remoteHits", "remoteMisses", "remoteReceivedBytes", "remoteUploads",
      "remoteSentBytes",
      "remoteFailedUploads", "placeholdersUsed",
    ].map { .required($0, .integer) } + [
      .required(
        "isInputUnread", .flag, "Whether the run stopped before the end of an input whose length isn't known."
      ),
      .required("allFailuresTemporary", .flag), .required("seconds", .number),
    ]

  private static func event(_ name: String, _ members: [Member]) -> [Member] {
    [.required("event", .words([name])), .required("time", .number, "Seconds since the start.")] + members
  }

  static let batches: [DocumentSchema] = [
    DocumentSchema(
      "result", "A line of 'pipe --json' and of an .ndjson report.",
      alternatives: [resultMembers, reportMembers]),
    DocumentSchema(
      "report", "A .json report.",
      [
        .required("imagemill", .text, "The program's version."),
        .required("summary", .object(summaryMembers)),
        .required("outputs", .list(.object(reportMembers))),
      ]),
    DocumentSchema(
      "event", "A line of --events.",
      alternatives: [
        event("jobs-counted", [.required("jobs", .integer)]),
        event(
          "download-started",
          [.required("id", .integer), .required("source", .text), .required("host", .text)]),
        event(
          "download-progressed",
          [
            .required("id", .integer), .required("received", .integer),
            .required("expected", .nullable(.integer)),
          ]),
        event(
          "download-finished",
          [.required("id", .integer), .required("bytes", .integer), .required("failed", .flag)]),
        event(
          "rendering-started",
          [.required("slot", .integer), .required("index", .integer), .required("source", .text)]),
        event("rendering-finished", [.required("slot", .integer)]),
        event(
          "warning",
          [
            .required("source", .nullable(.text)), .required("message", .text),
            .optional("location", location),
          ]),
        event("output-finished", reportMembers), event("output-removed", [.required("path", .text)]),
        event(
          "job-finished",
          [
            .required("index", .integer), .required("source", .text), .required("failed", .flag),
            .optional("location", location),
          ]),
        event("finished", summaryMembers),
      ]),
    DocumentSchema(
      "markup", "The output of --emit json=FILE.",
      [
        .required(
          "images",
          .list(
            .object([
              .required("source", .text), .required("alt", .text), .optional("loading", .text),
              .required(
                "variants",
                .list(
                  .object([
                    .required("format", .text), .required("type", .text), .required("srcset", .text),
                    .required("sizes", .nullable(.text)),
                    .required(
                      "pictures",
                      .list(
                        .object([
                          .required("url", .text), .required("width", .integer),
                          .required("height", .integer), .required("bytes", .nullable(.integer)),
                          .optional("placeholders", placeholders),
                        ]))),
                  ]))),
            ])))
      ]),
    DocumentSchema(
      "lock", "A lock file.",
      [
        .required("imagemill-lock", .integer, "The version of the lock's contents."),
        .required("manifests", .map(.digest)),
        .required(
          "sources",
          .map(
            .object([
              .optional("sha256", .digest), .optional("bytes", .integer), .optional("final-url", .text),
              .optional("etag", .text), .optional("last-modified", .text), .optional("type", .text),
              .optional("format", .text), .optional("width", .integer), .optional("height", .integer),
            ]))),
        .required(
          "outputs",
          .map(
            .object([
              .required("sha256", .digest), .required("bytes", .integer), .required("recipe", .text),
            ]))),
      ]),
  ]
}
