import ImageBatch

/// DIAGNOSTICS of imagemill(1): the codes of failures, as results, reports and metrics have them.
enum DiagnosticsSection {
  static let text =
    #"""
    .Sh DIAGNOSTICS
    A message names the place in the manifest, the source, and the stage that failed: manifest, download, read, decode, filter,
    encode or write.
    Results, reports, events and metrics also have one of these codes:
    .Bl -tag -width Ds
    """# + "\n"
    + JobError.Code.allCases.map { code in
      ".It Li \(ManualPage.text(code.rawValue))\n\(ManualPage.text(meaning(of: code)))\n"
    }.joined()
      + """
      .El

      """

  /// The meaning of a code, and what to do.
  static func meaning(of code: JobError.Code) -> String {
    switch code {
    case .badSource: "The source is not a supported URL or path."
    case .fileUnreadable:
      "A local source can't be opened: it doesn't exist, is a directory, or permission is denied."
    case .httpStatus: "The server's status isn't 2xx. Check the URL, or the credentials."
    case .throttled:
      "The server asks for a wait of more than 60 seconds (Retry-After). Try again later, or send fewer requests with --rate."
    case .hostNotFound: "The host has no address, or the resolver failed."
    case .connectionFailed: "The connection could not be established."
    case .hostDown: "The host failed many times in a row, so no request was sent. Try again later."
    case .transferFailed: "The connection broke, or the response is malformed."
    case .timedOut:
      "A download or a rendering took too long. Raise --timeout, --stall-timeout or --job-timeout."
    case .truncated:
      "The end of a response or a file is missing. An incomplete response is never used; for an incomplete file, --on-corrupt warn uses the part that can be decoded, if any."
    case .tlsFailed: "TLS failed, or the certificate isn't trusted. Name its authority with --cacert."
    case .notAllowed:
      "The address policy blocks the host or its address. Allow it with --allow-net or --allow-host."
    case .tooManyRedirects: "The redirects form a loop, or exceed --max-redirects."
    case .badRedirect: "A redirect leads to another scheme, or from https to http."
    case .tooLarge: "A body exceeds --max-bytes."
    case .notAnImage: "The content is not an image; it may be an error page. Check the URL."
    case .emptyBody: "The response has no body."
    case .digestMismatch: "The source differs from the digest in the manifest or the lock file."
    case .notCached: "The source isn't in the cache, and --offline is given."
    case .cancelled: "The run was stopped before the job ended."
    case .cacheFailed: "The cache directory or its index can't be used. Choose another with --cache-dir."
    case .badChain: "The filter chain has a syntax error."
    case .unknownFilter: "No filter or named chain has this name. See 'imagemill filters'."
    case .badArgument: "A filter's argument is invalid, missing or unexpected."
    case .circularChain: "Named chains refer to each other in a circle."
    case .chainTooLong: "The chain has too many filters, or too much text."
    case .filterFailed: "A filter, such as a crop outside of the image, can't be applied."
    case .unreadable:
      "A local source could not be read again for rendering, for example because the disk is broken."
    case .sourceChanged: "A local file changed while it was read. Run again when it is complete."
    case .empty: "The source is an empty file."
    case .corrupt:
      "The source is damaged. Replace it; --on-corrupt warn uses the part that can be decoded, if any."
    case .unsupportedFormat:
      "The format isn't read by default, or the installed libvips can't read or write it. See --allow-format and 'imagemill doctor'."
    case .externalReference: "An SVG refers to another file."
    case .tooManyPixels: "The image exceeds --max-pixels, or a limit of its decoder."
    case .tooManyFrames: "The animation exceeds --max-frames."
    case .tooMuchMemory: "Rendering would need more than --memory."
    case .processorTime: "Rendering used more CPU time than --job-timeout times the number of CPUs."
    case .fileSize: "A file grew beyond the limit of file sizes ('ulimit -f'). The image isn't the cause."
    case .outOfMemory: "A worker process ran out of memory. Raise --memory."
    case .decoderCrashed: "A worker process crashed twice on this image."
    case .workerKilled: "A worker process was killed or stopped from outside. The image isn't the cause."
    case .systemCallRefused:
      "The sandbox killed a worker process twice for a forbidden system call."
    case .workerNotStarted: "A worker process couldn't be started."
    case .notRendered: "Rendering ended before this output was reached."
    case .sourceNotMade: "The source is an output of another job, which failed."
    case .encodeFailed: "The encoder failed."
    case .badEncoding:
      "An encoder setting is invalid, or the format doesn't have it. See 'imagemill formats'."
    case .noFrames:
      "A transition makes an animation, and the output's format can't hold one. Write webp or gif."
    case .tooLargeForFormat: "The image is wider or higher than the format can hold."
    case .tooManyBytes:
      "Even the smallest output exceeds --max-output-bytes, or the source file is too large for its decoder."
    case .badRecord: "A record of the input isn't a valid job."
    case .badOutput: "A path or a template doesn't name a file."
    case .outsideOutputDirectory:
      "The path is outside the output directory. Choose another with -C, or give --allow-outside."
    case .outputConflict: "Another output of the run has the same path and other content."
    case .overwritesSource:
      "The output would replace a source of the run. Write it elsewhere, or give --in-place."
    case .writeFailed: "A file or directory can't be created or written."
    }
  }
}
