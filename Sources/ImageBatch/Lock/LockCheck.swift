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
    /// The output's or job's location in its manifest; nil if the difference has none.
    package var location: ManifestLocation?

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
  /// - Returns: The differences; empty if the lock is up to date. A source that can't be compared counts as
  ///   different.
  package func differences(manifests: [String], jobs: [Job]) async -> [Difference] {
    var found = compareManifests(manifests)
    found += compareRecipes(jobs)
    found += compareOutputs()
    return found + (await compareSources(jobs))
  }

  // MARK: Files

  private func compareManifests(_ manifests: [String]) -> [Difference] {
    manifests.compactMap { path in
      guard path != "-" else { return nil }
      guard let name = paths.relative(path), let locked = lock.manifests[name] else {
        return Difference(subject: path, reason: "the manifest isn't in the lock file")
      }
      return digest(of: path) == locked
        ? nil : Difference(subject: path, reason: "the manifest has changed since it was locked")
    }
  }

  /// Compares the jobs' recipes, which include command-line options, with the lock.
  private func compareRecipes(_ jobs: [Job]) -> [Difference] {
    var locked: [String: Int] = [:]
    for output in lock.outputs.values { locked[output.recipe, default: 0] += 1 }
    var found: [Difference] = []
    for job in jobs {
      for output in job.outputs {
        let recipe = LockFile.recipe(output, of: job)
        if let count = locked[recipe] {
          // The lock has equal outputs with the same path once.
          locked[recipe] = max(0, count - 1)
        } else {
          found.append(
            Difference(
              subject: output.path(of: job, in: job.outputDirectory),
              reason: "this output isn't in the lock file",
              location: output.location ?? job.location))
        }
      }
    }
    let unasked = Set(locked.filter { $0.value > 0 }.keys)
    for (path, output) in lock.outputs.sorted(by: { $0.key < $1.key }) where unasked.contains(output.recipe) {
      found.append(
        Difference(subject: path, reason: "it is in the lock file, but the manifests no longer make it"))
    }
    return found
  }

  private func compareOutputs() -> [Difference] {
    lock.outputs.sorted { $0.key < $1.key }.compactMap { name, output in
      let path = paths.absolute(name)
      var status = stat()
      guard stat(path, &status) == 0 else {
        return Difference(subject: name, reason: "missing")
      }
      guard Int(status.st_size) == output.bytes, digest(of: path) == output.sha256 else {
        return Difference(subject: name, reason: "it differs from the lock file")
      }
      return nil
    }
  }

  /// nil if the file can't be read.
  private func digest(of path: String) -> String? {
    do throws(RenderError) { return try FileReading.digest(of: path).digest.hex } catch { return nil }
  }

  // MARK: Sources

  private func compareSources(_ jobs: [Job]) async -> [Difference] {
    var sources: [ImageSource] = []
    var seen: Set<ImageSource> = []
    var locations: [ImageSource: ManifestLocation] = [:]
    for job in jobs {
      for source in job.allSources where seen.insert(source).inserted {
        sources.append(source)
        locations[source] = job.location
      }
    }
    var found: [(Int, Difference)] = []
    await withTaskGroup(of: (Int, String?).self) { tasks in
      // Started all at once: the downloader's queue limits concurrency.
      for (index, source) in sources.enumerated() {
        tasks.addTask { (index, await difference(of: source)) }
      }
      for await (index, reason) in tasks {
        guard let reason else { continue }
        let source = sources[index]
        found.append(
          (index, Difference(subject: source.displayText, reason: reason, location: locations[source])))
      }
    }
    return found.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// The difference between a source and its entry; nil if they are equal.
  private func difference(of source: ImageSource) async -> String? {
    guard let locked = lock.sources[source.displayText] else { return "the source isn't in the lock file" }
    // Another source or the placeholder was used, so that no output depends on this one.
    guard let digest = locked.sha256 else { return nil }
    let changed = "the source has changed since it was locked"
    do throws(DownloadError) {
      guard case .url = source else {
        return try await downloader.download(ImageRequest(source)).digest.hex == digest ? nil : changed
      }
      var request = ImageRequest(source)
      request.cacheMode = CacheMode.none
      if let etag = locked.etag { request.headers.append(HeaderField("If-None-Match", etag)) }
      if let date = locked.lastModified { request.headers.append(HeaderField("If-Modified-Since", date)) }
      let response = try await downloader.fetch(request)
      if response.status == 304 { return nil }
      guard (200..<300).contains(response.status) else {
        return "the server responded with \(response.status)"
      }
      return response.body.digest.hex == digest ? nil : changed
    } catch {
      return "can't compare it: \(error.message)"
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
