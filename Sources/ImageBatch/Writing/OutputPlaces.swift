import Glibc
import ImageCaches

/// The places of outputs: what is in them, and how a finished file comes to be there.
struct OutputPlaces: Sendable {
  let store: DiskStore
  let stamps: StampMemory
  let ledger: OutputLedger
  let sources: SourceFiles
  let replacing: ReplacementPolicy

  var pruning: Pruning { Pruning(store: store, stamps: stamps, sources: sources) }

  /// Copies a stored object to its place. What is there with the same bytes stays, and what the policy keeps.
  func put(
    _ made: MadeOutput, at location: String, in directory: OutputDirectory
  ) -> Result<OutputResult.Status, JobError> {
    do throws(JobError) {
      if isInPlace(made.image.digest, bytes: made.image.bytes, at: location) { return .success(.unchanged) }
      // Again, although it was asked when the path was claimed: a stream's later sources are known only by now.
      guard replacing.allowsSources || !sources.contains(location) else { throw .overwritesSource(location) }
      if isToBeKept(location) || isOfLaterRun(location) { return .success(.kept) }
      try directory.prepare(location)
      do throws(AtomicFile.Failure) {
        // A file that came into the place since it was looked at isn't ours.
        let replaces = !replacing.keepsForeignFiles || access(location, F_OK) == 0
        guard try AtomicFile.copy(made.object.path, to: location, replacing: replaces) else {
          return .success(.kept)
        }
      } catch {
        throw JobError(code: .writeFailed, stage: .write, message: error.message)
      }
      stamps.remember(location, made.image.digest)
      return .success(made.isNew ? .written : .cached)
    } catch {
      return .failure(error)
    }
  }

  /// Whether a file is there that no run has written, or that was edited since, and such files are kept.
  func isToBeKept(_ location: String) -> Bool {
    var status = stat()
    guard replacing.keepsForeignFiles, lstat(location, &status) == 0 else { return false }
    do throws(CacheError) {
      guard let entry = try ledger.entry(of: location), let file = StampMemory.File(path: location) else {
        return true
      }
      return stamps.digests(of: [file])[file] != entry.digest
    } catch {
      store.noteRepair("what runs have written can't be looked up, and every file is kept", error)
      return true
    }
  }

  /// Whether a run that began after this one has put the file there: of two runs at once the later wins, whichever ends
  /// first.
  private func isOfLaterRun(_ location: String) -> Bool {
    var status = stat()
    // Most files were there before this run, and need no look-up.
    guard lstat(location, &status) == 0, Double(status.st_ctim.tv_sec) + 1 >= ledger.began else {
      return false
    }
    do throws(CacheError) {
      return try ledger.entry(of: location).map { $0.began > ledger.began } ?? false
    } catch {
      store.noteRepair(error)
      return false
    }
  }

  private func isInPlace(_ digest: ContentDigest, bytes: Int, at location: String) -> Bool {
    file(at: location, bytes: bytes).map { stamps.digests(of: [$0])[$0] == digest } ?? false
  }

  /// The ordinary file at a path, where it has the size that is wanted.
  func file(at location: String, bytes: Int) -> StampMemory.File? {
    guard let file = StampMemory.File(path: location), file.stamp.bytes == bytes else { return nil }
    return file
  }
}
