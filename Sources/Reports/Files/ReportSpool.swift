import Glibc
import SystemIO

/// Stores a report's entries in an unlinked file until the report's head, which comes first, is known. Where each one is,
/// 24 bytes to return them by section and in the manifest's order, is in the same file, in blocks: until the end, memory
/// holds one of these.
///
/// Not thread-safe; the mutex of a ``FileReport`` protects it.
final class ReportSpool {
  private struct Entry {
    let job: Int32
    let output: Int32
    let section: Int32
    let length: Int32
    let offset: Int
  }

  /// The output number of a section's heading, which comes before its outputs.
  private static let heading: Int32 = -1

  private let descriptor: Int32
  /// The number of entries of a full block.
  private static let blockLength = 4096

  /// The offsets of the full blocks.
  private var blocks: [Int] = []
  /// The entries of the last block.
  private var entries: [Entry] = []
  private var buffer: [UInt8] = []
  private var end = 0

  /// Takes ownership of the descriptor and closes it on deinit.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Appends an entry. Throws `SystemError` if the file can't be written.
  func append(_ bytes: [UInt8], section: Int = 0, job: Int, output: Int) throws(SystemError) {
    try append(bytes, section, Int32(clamping: job), Int32(clamping: output))
  }

  /// Appends the heading of a section. Throws `SystemError` if the file can't be written.
  func append(heading bytes: [UInt8], section: Int) throws(SystemError) {
    try append(bytes, section, .min, Self.heading)
  }

  private func append(_ bytes: [UInt8], _ section: Int, _ job: Int32, _ output: Int32) throws(SystemError) {
    entries.append(
      Entry(
        job: job, output: output, section: Int32(clamping: section), length: Int32(clamping: bytes.count),
        offset: end))
    end += bytes.count
    buffer += bytes
    if entries.count == Self.blockLength {
      blocks.append(end)
      entries.withUnsafeBytes { buffer += $0 }
      end += entries.count * MemoryLayout<Entry>.stride
      entries.removeAll(keepingCapacity: true)
    }
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Passes the entries to `take` in the order of their sections and jobs, many at a time, without the last separator.
  /// - Parameters:
  ///   - document: The document that the entries are for.
  ///   - take: Receives adjacent entries, and the texts before sections.
  func read(_ document: any ReportDocument, _ take: ([UInt8]) throws(SystemError) -> Void) throws(SystemError)
  {
    try flush()
    let position = document.position(ofSection:)
    var entries = try allEntries()
    entries.sort {
      if $0.section != $1.section { return position(Int($0.section)) < position(Int($1.section)) }
      return ($0.job, $0.output, $0.offset) < ($1.job, $1.output, $1.offset)
    }
    var previous: Int?
    var next = 0
    while next < entries.count {
      let first = entries[next]
      if previous != Int(first.section) {
        let hasHeading = first.output == Self.heading
        let heading = hasHeading ? try bytes(at: first.offset, count: Int(first.length)) : []
        try take(document.opening(ofSection: Int(first.section), heading: heading, after: previous))
        previous = Int(first.section)
        if hasHeading {
          next += 1
          continue
        }
      }
      var length = 0
      repeat {
        length += Int(entries[next].length)
        next += 1
      } while next < entries.count && entries[next].section == first.section
        && entries[next].offset == first.offset + length && length < 1 << 18
      if next == entries.count { length -= document.separator.utf8.count }
      try take(try bytes(at: first.offset, count: length))
    }
  }

  private func allEntries() throws(SystemError) -> [Entry] {
    var all: [Entry] = []
    all.reserveCapacity(blocks.count * Self.blockLength + entries.count)
    for block in blocks {
      let bytes = try bytes(at: block, count: Self.blockLength * MemoryLayout<Entry>.stride)
      bytes.withUnsafeBytes { all += $0.bindMemory(to: Entry.self) }
    }
    return all + entries
  }

  private func flush() throws(SystemError) {
    try FileIO.write(buffer, to: descriptor)
    buffer.removeAll(keepingCapacity: true)
  }

  private func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard try FileIO.read(descriptor, at: offset, into: &bytes) == count else { throw SystemError(code: EIO) }
    return bytes
  }
}
