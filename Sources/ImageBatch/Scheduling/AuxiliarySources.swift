import ImageCaches
import ImageDownloads
import ImageRendering
import SystemIO

/// The images that a group's overlays and masks refer to, each downloaded once.
struct AuxiliarySources: Sendable {
  private let results: [ImageSource: Result<StoredSource, JobError>]

  init(_ results: [ImageSource: Result<StoredSource, JobError>]) { self.results = results }

  /// Downloads the sources one after the other, so that a group takes one slot at a time. Those that are missing at the
  /// end are cancelled.
  /// - Parameters:
  ///   - frozen: The sources of a lock file, which refuse other bytes. Default: nil.
  ///   - isWanted: Whether the next download may start. A run that is stopped cancels only what was requested by then.
  init(
    downloading sources: [ImageSource], with downloader: ImageDownloader, frozen: FrozenSources? = nil,
    while isWanted: () -> Bool = { true }
  ) async {
    var results: [ImageSource: Result<StoredSource, JobError>] = [:]
    for source in sources {
      guard isWanted() else { break }
      do throws(DownloadError) {
        let stored = try await downloader.download(
          ImageRequest(source), pinnedDigest: frozen?.digest(of: source))
        results[source] =
          frozen?.refusal(of: source, with: stored.digest).map { .failure($0) } ?? .success(stored)
      } catch {
        let refusal = error.foundDigest.flatMap { frozen?.refusal(of: source, with: $0) }
        results[source] = .failure(refusal ?? JobError(error))
      }
    }
    self.init(results)
  }

  /// The distinct sources that the jobs' chains refer to. Invalid references fail their outputs in ``sources(of:)``.
  static func wanted(by jobs: [Job]) -> [ImageSource] {
    var seen: Set<ImageSource> = []
    return jobs.flatMap(\.outputs).flatMap { output in
      output.chain.references.compactMap(output.source(named:))
    }.filter { seen.insert($0).inserted }
  }

  var found: [StoredSource] {
    results.values.compactMap { if case .success(let stored) = $0 { stored } else { nil } }
  }

  /// The digests for an output's key, by reference.
  func digests(of output: JobOutput) throws(JobError) -> [String: ContentDigest] {
    try sources(of: output).mapValues(\.digest)
  }

  /// The files for a render request, by reference.
  func files(of output: JobOutput) throws(JobError) -> [String: AuxiliarySource] {
    try sources(of: output).mapValues { AuxiliarySource($0, .path($0.path)) }
  }

  /// The images that an output's chain refers to, by reference.
  /// - Throws: `JobError` if a reference is invalid or its download failed.
  func sources(of output: JobOutput) throws(JobError) -> [String: StoredSource] {
    var result: [String: StoredSource] = [:]
    for reference in output.chain.references {
      let source = try output.auxiliarySource(reference)
      switch results[source] {
      case .success(let stored): result[reference] = stored
      case .failure(let error): throw error
      case nil: throw .cancelled
      }
    }
    return result
  }
}

extension AuxiliarySource {
  /// Creates an auxiliary image whose bytes are at `place`.
  init(_ source: StoredSource, _ place: FilePlace) {
    self.init(place, digest: source.digest, name: source.displayText)
  }
}

extension JobOutput {
  /// The source of a chain's reference: a named source, or else a path or URL.
  func auxiliarySource(_ reference: String) throws(JobError) -> ImageSource {
    if let named = namedSources[reference] { return named }
    do throws(DownloadError) {
      return try ImageSource(parsing: reference)
    } catch {
      throw JobError(error)
    }
  }

  /// Like ``auxiliarySource(_:)``, but returns nil for an invalid reference.
  func source(named reference: String) -> ImageSource? {
    do throws(JobError) { return try auxiliarySource(reference) } catch { return nil }
  }
}
