import Glibc
import ImageCaches
import SystemIO

/// Inspects the files at the outputs' paths, and writes outputs there.
struct OutputPlaces: Sendable {
  let store: DiskStore
  let fingerprints: FileDigestCache
  let registry: OutputRegistry
  let sources: SourceFiles
  let replacing: ReplacementPolicy
  let durability: Durability
  private let directories = OpenDirectories()

  var pruning: Pruning { Pruning(store: store, fingerprints: fingerprints, sources: sources) }

  /// Copies a stored object to an output's path, unless the file has the same bytes already or the policy
  /// keeps it.
  func put(
    _ made: EncodedOutput, at location: String, in directory: OutputDirectory
  ) -> Result<OutputResult.Status, JobError> {
    do throws(JobError) {
      if isInPlace(made.image.digest, bytes: made.image.bytes, at: location) { return .success(.unchanged) }
      // Check again: a stream's later sources weren't known when the path was claimed.
      guard replacing.allowsSources || !sources.contains(location) else { throw .overwritesSource(location) }
      if isToBeKept(location) || isOfLaterRun(location) { return .success(.kept) }
      // A file that appeared since the checks above isn't ours to replace.
      let replaces = !replacing.keepsForeignFiles || File.exists(location)
      let options = AtomicFile.Options(replaces: replaces, syncs: durability == .safe)
      let isReplacement = sources.notesReplaced && isForeign(location)
      guard let status = try copy(made.object.path, to: location, in: directory, options) else {
        return .success(.kept)
      }
      fingerprints.remember(location, status, made.image.digest)
      if isReplacement { sources.noteReplaced(status) }
      return .success(made.isNew ? .written : .cached)
    } catch {
      return .failure(error)
    }
  }

  /// Copies with the open directory of an earlier output if there is one. It is known to be inside the root,
  /// which saves creating and checking the directory again.
  private func copy(
    _ source: String, to location: String, in directory: OutputDirectory, _ options: AtomicFile.Options
  ) throws(JobError) -> stat? {
    if let open = directories.open(location, in: directory) {
      do throws(JobError) {
        return try copy(source, to: location, open, options)
      } catch {
        // If the directory was removed in the meantime, open it again, which recreates it.
        guard !open.isLinked else { throw error }
      }
    }
    let open = try directory.open(location)
    if directories.keep(open, location, in: directory) { open.removeAbandonedFiles() }
    return try copy(source, to: location, open, options)
  }

  private func copy(
    _ source: String, to location: String, _ directory: OpenDirectory, _ options: AtomicFile.Options
  ) throws(JobError) -> stat? {
    do throws(AtomicFile.Failure) {
      return try AtomicFile.copy(
        source, to: DirectoryEntry(location).name, in: directory, options: options)
    } catch {
      throw JobError(code: .writeFailed, stage: .write, message: error.message)
    }
  }

  /// Whether the policy keeps the file at `location`: no run wrote it, or it was edited since. True if the
  /// registry can't be read.
  func isToBeKept(_ location: String) -> Bool {
    replacing.keepsForeignFiles
      && isForeign(location, "the record of written files can't be read, so every existing file is kept")
  }

  /// Whether there is a file at `location` that no run is known to have written, or that was edited since. True if the
  /// registry can't be read.
  private func isForeign(_ location: String, _ consequence: String? = nil) -> Bool {
    var status = stat()
    guard lstat(location, &status) == 0 else { return false }
    do throws(CacheError) {
      guard let entry = try store.registryEntry(at: location) else { return true }
      return !fingerprints.isUnchanged(entry, at: location)
    } catch {
      if let consequence { store.noteRepair(consequence, error) } else { store.noteRepair(error) }
      return true
    }
  }

  /// Whether a run that began after this one wrote the file. Of two concurrent runs the later one wins,
  /// regardless of which ends first.
  func isOfLaterRun(_ location: String) -> Bool {
    var status = stat()
    // Most files are older than this run and need no lookup.
    guard lstat(location, &status) == 0, Double(status.st_ctim.tv_sec) + 1 >= registry.began else {
      return false
    }
    do throws(CacheError) {
      guard let entry = try store.registryEntry(at: location), entry.began > registry.began else {
        return false
      }
      // A record from the future is of a run before the clock was set back, which has ended. And a file that was edited
      // since isn't that run's.
      return entry.began <= SystemTime.now && fingerprints.isUnchanged(entry, at: location)
    } catch {
      store.noteRepair(error)
      return false
    }
  }

  private func isInPlace(_ digest: ContentDigest, bytes: Int, at location: String) -> Bool {
    file(at: location, bytes: bytes).map { fingerprints.digests(of: [$0])[$0] == digest } ?? false
  }

  /// The regular file at `location`; nil if it has another size.
  func file(at location: String, bytes: Int) -> FileDigestCache.File? {
    guard let file = FileDigestCache.File(path: location), file.fingerprint.bytes == bytes else { return nil }
    return file
  }
}
