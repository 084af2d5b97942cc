import Curl
import Glibc
import ImageCaches
package import ImageDownloads
import ImageRendering

/// Compares manifests, sources and outputs with a lock file's digests, without a cache, rendering or writing.
///
/// Remote sources are requested conditionally with the lock's validators. A source without validators is downloaded to
/// compare its digest.
package struct LockCheck: Sendable {
  /// A difference from the lock file.
  package struct Difference: Sendable, Hashable {
    /// The manifest, source or output that differs.
    package var subject: String
    /// What differs, as text for the user.
    package var reason: String
    /// The output's or job's location in its manifest, or the manifest itself with line 0; nil if the difference has none.
    package var location: ManifestLocation?
    /// Why it can't be compared; nil if it differs.
    package var failure: JobError?

    /// Creates a difference from the lock file.
    /// - Parameters:
    ///   - subject: The manifest, source or output that differs.
    ///   - reason: What differs, as text.
    ///   - location: The location in the manifest. Default: nil.
    package init(subject: String, reason: String, location: ManifestLocation? = nil) {
      self.subject = subject
      self.reason = reason
      self.location = location
    }

    /// Creates the entry of a source or output that can't be compared.
    /// - Parameters:
    ///   - subject: The source or output.
    ///   - failure: The reason.
    ///   - location: The location in the manifest.
    package init(subject: String, failure: JobError, location: ManifestLocation?) {
      self.init(subject: subject, reason: "can't check it: \(failure.message)", location: location)
      self.failure = failure
    }
  }

  private let lock: LockFile
  private let paths: LockPaths
  private let downloader: ImageDownloader

  /// Creates a check against a lock.
  /// - Parameters:
  ///   - lock: The lock file's contents.
  ///   - paths: The converter of paths, which must be that of the lock's file.
  ///   - downloader: Requests the remote sources. The check bypasses its cache.
  package init(_ lock: LockFile, paths: LockPaths, downloader: ImageDownloader) {
    self.lock = lock
    self.paths = paths
    self.downloader = downloader
  }

  /// Finds all differences: first manifests, then outputs, then sources.
  /// - Parameters:
  ///   - manifests: The paths of the manifests; `-` is skipped.
  ///   - jobs: The jobs of the manifests, with the options of the command line applied.
  /// - Returns: The differences; empty if the lock is up to date. A source that can't be compared is among them, with
  ///   its failure.
  package func differences(manifests: [String], jobs: [Job]) async -> [Difference] {
    var found = compareManifests(manifests)
    found += compareRecipes(jobs)
    found += compareOutputs(places: places(of: jobs))
    return found + (await compareSources(jobs))
  }

  // MARK: Files

  private func compareManifests(_ manifests: [String]) -> [Difference] {
    manifests.compactMap { path in
      guard path != "-" else { return nil }
      let whole = ManifestLocation(file: path, line: 0, column: 0)
      guard let name = paths.relative(path), let locked = lock.manifests[name] else {
        return Difference(subject: path, reason: "the manifest isn't in the lock file", location: whole)
      }
      return digest(of: path) == locked
        ? nil
        : Difference(subject: path, reason: "the manifest has changed since it was locked", location: whole)
    }
  }

  /// Compares the jobs' recipes, which include command-line options, with the lock.
  private func compareRecipes(_ jobs: [Job]) -> [Difference] {
    var locked: [String: Int] = [:]
    for output in lock.outputs.values { locked[output.recipe, default: 0] += 1 }
    var found: [Difference] = []
    var changed: Set<String> = []
    for job in jobs {
      for output in job.outputs {
        let recipe = LockFile.recipe(output, of: job)
        let count = locked[recipe]
        // The lock has equal outputs with the same path once.
        if let count { locked[recipe] = max(0, count - 1) }
        guard count == nil || !isLocked(output, of: job) else { continue }
        let path = output.path(of: job, in: job.outputDirectory)
        let name = output.knownPath(of: job) == nil ? nil : paths.relative(path)
        let isKnown = name.map { lock.outputs[$0] != nil } ?? false
        if let name, isKnown { changed.insert(name) }
        found.append(
          Difference(
            subject: path,
            reason: isKnown
              ? "its source, filter or options differ from those in the lock file"
              : "this output isn't in the lock file",
            location: output.location ?? job.location))
      }
    }
    let unasked = Set(locked.filter { $0.value > 0 }.keys)
    for (path, output) in lock.outputs.sorted(by: { $0.key < $1.key })
    where unasked.contains(output.recipe) && !changed.contains(path) {
      found.append(
        Difference(subject: path, reason: "it is in the lock file, but the manifests no longer make it"))
    }
    return found
  }

  /// Whether the lock has an output at this path, which may be in another directory; true if the path isn't known.
  private func isLocked(_ output: JobOutput, of job: Job) -> Bool {
    guard output.knownPath(of: job) != nil else { return true }
    return paths.relative(output.path(of: job, in: job.outputDirectory)).map { lock.outputs[$0] != nil }
      ?? false
  }

  /// The places of the outputs in their manifests, by their names in the lock file.
  private func places(of jobs: [Job]) -> [String: ManifestLocation] {
    var places: [String: ManifestLocation] = [:]
    for job in jobs {
      for output in job.outputs where output.knownPath(of: job) != nil {
        guard let place = output.location ?? job.location,
          let name = paths.relative(output.path(of: job, in: job.outputDirectory))
        else { continue }
        places[name] = places[name] ?? place
      }
    }
    return places
  }

  private func compareOutputs(places: [String: ManifestLocation]) -> [Difference] {
    lock.outputs.sorted { $0.key < $1.key }.compactMap { name, output in
      let path = paths.absolute(name)
      var status = stat()
      guard stat(path, &status) == 0 else {
        return Difference(subject: name, reason: "missing", location: places[name])
      }
      guard Int(status.st_size) == output.bytes, digest(of: path) == output.sha256 else {
        return Difference(subject: name, reason: "it differs from the lock file", location: places[name])
      }
      return nil
    }
  }

  /// nil if the file can't be read.
  private func digest(of path: String) -> String? {
    do throws(RenderError) { return try FileReading.digest(of: path).digest.hex } catch { return nil }
  }

  // MARK: Sources

  /// A source to compare.
  private struct Subject {
    let source: ImageSource
    let location: ManifestLocation?
    /// The digests that the manifest demands, nil for none, in the jobs that would use it although the lock has no digest of
    /// it.
    var triedDigests: Set<ContentDigest?> = []
    /// Whether a run would use another source if this one failed.
    var isReplaceable = true
  }

  /// What came of a comparison.
  private enum Finding: Sendable {
    case same
    case differs(String)
    case failed(JobError)
  }

  private func compareSources(_ jobs: [Job]) async -> [Difference] {
    let subjects = subjects(of: jobs)
    var found: [(Int, Finding)] = []
    await withTaskGroup(of: (Int, Finding).self) { tasks in
      // Started all at once: the downloader's queue limits concurrency.
      for (index, subject) in subjects.enumerated() {
        tasks.addTask { (index, await finding(on: subject)) }
      }
      for await result in tasks { found.append(result) }
    }
    return found.sorted { $0.0 < $1.0 }.compactMap { index, finding in
      let subject = subjects[index]
      let name = subject.source.displayText
      switch finding {
      case .same: return nil
      case .differs(let reason):
        return Difference(subject: name, reason: reason, location: subject.location)
      // A run would make the outputs from another source, and a temporary failure says nothing about the next run.
      case .failed(let error) where subject.isReplaceable && !error.isTemporary:
        return Difference(
          subject: name, reason: "the source can't be used any more: \(error.message)",
          location: subject.location)
      case .failed(let error):
        return Difference(subject: name, failure: error, location: subject.location)
      }
    }
  }

  /// Every source of the jobs, once.
  private func subjects(of jobs: [Job]) -> [Subject] {
    var subjects: [Subject] = []
    var places: [ImageSource: Int] = [:]
    for job in jobs {
      let tried = triedSources(of: job)
      let replaceable = job.sources.count > 1 || job.placeholder != nil ? Set(job.sources) : []
      for source in job.allSources {
        let place = places[source] ?? subjects.count
        if place == subjects.count {
          places[source] = place
          subjects.append(Subject(source: source, location: job.location))
        }
        if tried.contains(source) { subjects[place].triedDigests.insert(job.pinnedDigest) }
        if !replaceable.contains(source) { subjects[place].isReplaceable = false }
      }
    }
    return subjects
  }

  /// The sources that a run requests, as far as the lock tells: all versions, or those up to the one in use.
  private func triedSources(of job: Job) -> Set<ImageSource> {
    guard !job.isProgressive else { return Set(job.sources) }
    func entry(_ source: ImageSource) -> LockFile.Source? { lock.sources[source.displayText] }
    // A source that can't be decoded has a digest, but no format.
    let used =
      job.sources.firstIndex { entry($0)?.sha256 != nil && entry($0)?.format != nil }
      ?? job.sources.lastIndex { entry($0)?.sha256 != nil }
    return Set(used.map { job.sources[...$0] } ?? job.sources[...])
  }

  private func finding(on subject: Subject) async -> Finding {
    let source = subject.source
    guard let locked = lock.sources[source.displayText] else {
      return .differs("the source isn't in the lock file")
    }
    guard let digest = locked.sha256 else {
      return subject.triedDigests.isEmpty ? .same : await availability(of: subject)
    }
    let changed = Finding.differs("the source has changed since it was locked")
    do throws(DownloadError) {
      guard case .url = source else {
        return try await downloader.download(ImageRequest(source)).digest.hex == digest ? .same : changed
      }
      var request = ImageRequest(source)
      request.cacheMode = CacheMode.none
      if let etag = locked.etag { request.headers.append(HeaderField("If-None-Match", etag)) }
      if let date = locked.lastModified { request.headers.append(HeaderField("If-Modified-Since", date)) }
      let response = try await downloader.fetch(request)
      if response.status == 304 { return .same }
      if let error = response.failure(of: source.displayText) { return .failed(JobError(error)) }
      return response.body.digest.hex == digest ? .same : changed
    } catch {
      return .failed(JobError(error))
    }
  }

  /// A source that couldn't be downloaded when the lock was written must not be available now: a run would use it.
  private func availability(of subject: Subject) async -> Finding {
    do throws(DownloadError) {
      let found = try await downloader.download(ImageRequest(subject.source)).digest
      guard subject.triedDigests.contains(where: { $0 == nil || $0 == found }) else { return .same }
      return .differs("the source is available now, but wasn't when it was locked")
    } catch {
      return .same
    }
  }
}

extension Job {
  /// All sources: the job's, the placeholder, and those of its chains.
  package var allSources: [ImageSource] {
    var sources = self.sources
    if let placeholder { sources.append(placeholder) }
    // Few outputs refer to images, and a copy of each would cost more than the rest.
    for index in outputs.indices where !outputs[index].chain.references.isEmpty {
      let output = outputs[index]
      sources += output.chain.references.compactMap { output.source(named: $0) }
    }
    return sources
  }
}
