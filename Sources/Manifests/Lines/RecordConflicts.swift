import Glibc
package import ImageBatch
import SystemIO

/// Finds outputs of many jobs with the same path and different content, in one or several manifests, before they run.
///
/// Paths and contents are stored as hashes, since there may be millions. Whenever there are more than `capacity` paths,
/// half of them are dropped, and the jobs must be checked again for each of ``otherParts``.
package struct RecordConflicts: Sendable {
  private struct Claim: BitwiseCopyable {
    var content: UInt32
    var line: UInt32
    var file: UInt16
  }

  /// The paths whose hashes end in these bits.
  struct Part: Sendable, Equatable {
    var bits = 0
    var ending = 0

    func contains(_ hash: UInt64) -> Bool { hash & ((1 << UInt64(bits)) - 1) == UInt64(ending) }
  }

  /// The number of paths to remember, which takes 45 MB.
  static let capacity = 2 << 20

  private var part: Part
  private let capacity: Int
  private var claims = HashTable<Claim>()
  private var files: [String] = []
  private var places = RealPlaces()

  /// Makes an empty set of claims.
  package init() { self.init(Part()) }

  init(_ part: Part, capacity: Int = RecordConflicts.capacity) {
    self.part = part
    self.capacity = capacity
  }

  /// The parts of the paths that were not checked.
  var otherParts: [Part] {
    (0..<(1 << part.bits)).filter { $0 != part.ending }.map { Part(bits: part.bits, ending: $0) }
  }

  /// Claims the paths of a job's outputs, as far as they are known before it runs.
  /// - Returns: The first conflict with an earlier output; nil if there is none.
  package mutating func claim(_ job: Job) -> ManifestDiagnostic? {
    var found: ManifestDiagnostic?
    for output in job.outputs {
      guard let path = OutputConflicts.path(of: output, job) else { continue }
      var location = OutputConflicts.location(of: path, job, isObject: output.template.isObject)
      if !output.template.isObject { location = places.place(of: location) }
      // By bytes: Swift takes texts with the same characters in other bytes for equal.
      let hash = UInt64(bitPattern: Int64(Array(location.utf8).hashValue))
      guard part.contains(hash) else { continue }
      let content = UInt32(truncatingIfNeeded: OutputConflicts.Content(output, of: job).hashValue)
      let place = output.location ?? job.location ?? ManifestLocation(file: "-", line: 1, column: 1)
      let claim = Claim(
        content: content, line: UInt32(truncatingIfNeeded: place.line), file: number(of: place.file))
      guard let holder = claims.insert(claim, for: hash) else {
        if claims.count > capacity { halve() }
        continue
      }
      guard holder.content != content, found == nil else { continue }
      found = ManifestDiagnostic(
        file: place.file, line: place.line, column: place.column,
        message: OutputConflicts.message(
          path, at: place, first: (files[Int(holder.file)], Int(holder.line))))
      found?.isFoundLate = true
    }
    return found
  }

  /// Claims the paths of all outputs of a manifest.
  /// - Parameters:
  ///   - directory: The directory of the manifest's outputs.
  ///   - tell: Receives every conflict with an earlier output.
  package mutating func claim(
    _ manifest: Manifest, in directory: String, _ tell: (ManifestDiagnostic) -> Void
  ) {
    for var job in manifest.jobs {
      job.outputDirectory = directory
      if let found = claim(job) { tell(found) }
    }
    for var rows in manifest.rows {
      rows.outputDirectory = directory
      for case .success(let job) in rows {
        if let found = claim(job) { tell(found) }
      }
    }
  }

  private mutating func halve() {
    part.bits += 1
    claims.filter { [part] in part.contains($0) }
  }

  private mutating func number(of file: String) -> UInt16 {
    if let last = files.last, last == file { return UInt16(files.count - 1) }
    if let index = files.firstIndex(of: file) { return UInt16(index) }
    if files.count < Int(UInt16.max) { files.append(file) }
    return UInt16(files.count - 1)
  }
}
