import ImageCaches
import ImageDownloads

/// The pictures that a group's overlays and masks name, each downloaded once.
struct AuxiliarySources: Sendable {
  private let results: [ImageSource: Result<StoredSource, JobError>]

  init(_ results: [ImageSource: Result<StoredSource, JobError>]) { self.results = results }

  /// Downloads them, one after the other.
  init(downloading sources: [ImageSource], with downloader: ImageDownloader) async {
    var results: [ImageSource: Result<StoredSource, JobError>] = [:]
    for source in sources {
      do throws(DownloadError) {
        results[source] = .success(try await downloader.download(ImageRequest(source)))
      } catch {
        results[source] = .failure(JobError(error))
      }
    }
    self.init(results)
  }

  /// What the chains of jobs refer to, each source once. A text that is no source fails its output, in `sources(of:)`.
  static func wanted(by jobs: [Job]) -> [ImageSource] {
    var seen: Set<ImageSource> = []
    return jobs.flatMap(\.outputs).flatMap { output in
      output.chain.references.compactMap(output.source(named:))
    }.filter { seen.insert($0).inserted }
  }

  /// Those that could be downloaded.
  var found: [StoredSource] {
    results.values.compactMap { if case .success(let stored) = $0 { stored } else { nil } }
  }

  /// The digests that an output's key holds, by reference.
  func digests(of output: Output) throws(JobError) -> [String: ContentDigest] {
    try sources(of: output).mapValues(\.digest)
  }

  /// The files that a render request names, by reference.
  func files(of output: Output) throws(JobError) -> [String: AuxiliarySource] {
    try sources(of: output).mapValues {
      AuxiliarySource(path: $0.path, digest: $0.digest, name: $0.displayText)
    }
  }

  /// The images that an output's chain names, by reference.
  func sources(of output: Output) throws(JobError) -> [String: StoredSource] {
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

extension Output {
  /// The source that a chain's reference names: one with that name, or else a path or URL.
  func auxiliarySource(_ reference: String) throws(JobError) -> ImageSource {
    if let named = namedSources[reference] { return named }
    do throws(DownloadError) {
      return try ImageSource(parsing: reference)
    } catch {
      throw JobError(error)
    }
  }

  /// As ``auxiliarySource(_:)``; nil for a text that is neither.
  func source(named reference: String) -> ImageSource? {
    do throws(JobError) { return try auxiliarySource(reference) } catch { return nil }
  }
}
