import Crypto
import ImageBatch

/// Sorts a contact sheet's outputs into sections: the failures, and then the outputs of each source.
///
/// It holds about 100 bytes per source. Each source is counted once, however many outputs it has.
struct ContactSheetSections {
  /// The section of failed outputs, which comes first.
  static let failures = 0

  /// The outputs that were made from one source.
  struct Source {
    var firstJob: Int
    var outputs = 0
    var bytes = 0
    var sourceBytes = 0
  }

  /// A source's digest, instead of its text, which may be long.
  private struct Key: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ source: String) {
      let digest = SHA256.hash(data: Array(source.utf8))
      (high, low) = digest.withUnsafeBytes {
        ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      }
    }
  }

  /// The sources; their sections are one higher than their places.
  private(set) var sources: [Source] = []
  private var numbers: [Key: Int] = [:]
  private(set) var failed = 0

  /// Counts an output. Returns its source's section, and whether it is the first output that was made of the source.
  mutating func count(_ result: OutputResult) -> (source: Int, isFirst: Bool) {
    let key = Key(result.source)
    let number: Int
    if let known = numbers[key] {
      number = known
    } else {
      sources.append(Source(firstJob: result.index))
      number = sources.count
      numbers[key] = number
    }
    if result.status == .failed {
      failed += 1
      return (number, false)
    }
    let place = number - 1
    let isFirst = sources[place].outputs == 0
    sources[place].firstJob = isFirst ? result.index : min(sources[place].firstJob, result.index)
    sources[place].outputs += 1
    sources[place].bytes += result.bytes ?? 0
    sources[place].sourceBytes = max(sources[place].sourceBytes, result.sourceBytes ?? 0)
    return (number, isFirst)
  }

  /// Whether there are no outputs.
  var isEmpty: Bool { sources.isEmpty }

  /// The section of a source that has been counted; 0 for another.
  func number(of source: String) -> Int { numbers[Key(source)] ?? Self.failures }

  /// The source of a section; nil for the failures.
  func source(ofSection number: Int) -> Source? { number == Self.failures ? nil : sources[number - 1] }

  /// The sources of which outputs were made, their bytes, and those of the outputs whose source's size is known.
  var totals: (sources: Int, outputs: Int, sourceBytes: Int, bytes: Int) {
    let made = sources.filter { $0.outputs > 0 && $0.sourceBytes > 0 }
    return made.reduce(into: (made.count, 0, 0, 0)) { sum, source in
      sum.1 += source.outputs
      sum.2 += source.sourceBytes
      sum.3 += source.bytes
    }
  }
}
