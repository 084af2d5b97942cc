import Glibc
import ImageCaches
import Synchronization

/// Puts outputs in place, and keeps what was made in the disk store for the next run.
///
/// An output that is in place with the right bytes is left alone, its modification time too.
final class OutputWriter: Sendable {
  let directory: OutputDirectory
  private let store: DiskStore
  private let threads = BlockingThreads(label: "writing", count: 4)

  init(directory: OutputDirectory, store: DiskStore) {
    self.directory = directory
    self.store = store
  }

  /// A new file for a worker to write into.
  func temporaryFile() throws(JobError) -> TemporaryFile {
    do throws(CacheError) {
      return try store.makeTemporaryFile()
    } catch {
      throw JobError(error)
    }
  }

  /// What earlier runs have stored under the keys.
  func stored(_ keys: [ContentDigest]) async -> [ContentDigest: MadeOutput] {
    await threads.run { [store] in
      var found: [ContentDigest: MadeOutput] = [:]
      for (key, output) in store.storedOutputs(forKeys: keys) {
        guard let path = store.object(output.digest) else { continue }
        let image = RenderedImage(
          width: output.width, height: output.height, frames: output.frames, bytes: output.bytes,
          digest: output.digest)
        found[key] = MadeOutput(image: image, path: path, isNew: false)
      }
      return found
    }
  }

  /// Stores what was rendered.
  func store(
    _ rendered: [(key: ContentDigest, image: RenderedImage, file: TemporaryFile)]
  ) async -> [ContentDigest: OutputFlights.Landing] {
    await threads.run { [store] in
      var landings: [ContentDigest: OutputFlights.Landing] = [:]
      var records: [ContentDigest: StoredOutput] = [:]
      for (key, image, file) in rendered {
        do throws(CacheError) {
          let path = try store.insert(file, image.digest)
          landings[key] = .success(MadeOutput(image: image, path: path, isNew: true))
          records[key] = StoredOutput(
            digest: image.digest, width: image.width, height: image.height, frames: image.frames,
            bytes: image.bytes)
        } catch {
          landings[key] = .failure(JobError(error))
        }
      }
      store.recordOutputs(records)
      return landings
    }
  }

  /// Puts one output in place and says so in `result`.
  func place(
    _ planned: PlannedOutput, _ made: [ContentDigest: OutputFlights.Landing], claims: OutputClaims,
    into result: inout OutputResult
  ) async {
    do throws(JobError) {
      if let error = planned.error { throw error }
      guard let key = planned.key, let landing = made[key] else { throw .cancelled }
      let output = try landing.get()
      var planned = planned
      result.describe(output.image)
      if planned.location == nil {
        planned.values.rendered = (output.image.width, output.image.height, output.image.digest)
        try planned.resolvePath(directory)
        if let location = planned.location, !claims.claim(location, for: output.image.digest) {
          throw .conflict(planned.path ?? location)
        }
      }
      guard let location = planned.location else { throw .cancelled }
      result.output = planned.path
      result.path = location
      let outcome = await threads.run { [self] in put(output, at: location) }
      result.status = try outcome.get()
    } catch {
      result.status = .failed
      result.error = error
    }
  }

  private func put(_ output: MadeOutput, at location: String) -> Result<OutputResult.Status, JobError> {
    do throws(JobError) {
      if isInPlace(output.image, at: location) { return .success(.unchanged) }
      try directory.prepare(location)
      do throws(AtomicFile.Failure) {
        try AtomicFile.copy(output.path, to: location)
      } catch {
        throw JobError(
          code: "write-failed", stage: .write,
          message: "can't \(error.action): \(describe(error.code))")
      }
      store.recordStamp(of: location, output.image.digest)
      return .success(output.isNew ? .written : .cached)
    } catch {
      return .failure(error)
    }
  }

  private func isInPlace(_ image: RenderedImage, at location: String) -> Bool {
    var information = stat()
    guard lstat(location, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
      Int(information.st_size) == image.bytes
    else { return false }
    return store.digest(ofFile: location) == image.digest
  }
}
