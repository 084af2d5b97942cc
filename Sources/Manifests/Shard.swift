package import ImageBatch
import ImageCaches
import ImageDownloads

/// One of several machines' part of a batch: each job belongs to exactly one of the N, whatever the
/// order of the manifest and whatever other jobs it holds.
package struct Shard: Sendable, Hashable {
  /// From 1 to `count`.
  package let number: Int
  /// At least 1.
  package let count: Int

  /// What is wrong with a shard's text: a sentence for the user.
  package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sentence.
    package let description: String
  }

  /// The shard that `K/N` means.
  package init(parsing text: String) throws(Failure) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], count >= 1,
      (1...count).contains(number)
    else { throw Failure(description: "'\(text)' is no shard: write K/N with K from 1 to N, such as 2/8") }
    (self.number, self.count) = (number, count)
  }

  /// Whether the job is this shard's. It depends on the job's sources and on the names of its outputs, and on neither
  /// its index nor this version's encoders.
  package func contains(_ job: Job) -> Bool {
    var key = KeyBuilder("shard")
    for source in job.sources { key.append(source.identityText) }
    for output in job.outputs {
      key.append(output.template.text)
      for (name, value) in output.variables.sorted(by: { $0.key < $1.key }) {
        key.append(name)
        key.append(value)
      }
    }
    let first = UInt64(key.digest.hex.prefix(16), radix: 16) ?? 0
    return Int(first % UInt64(count)) == number - 1
  }
}

extension ImageSource {
  /// A text that tells it from every other source.
  var identityText: String {
    switch self {
    case .url(let text): "url " + text
    case .file(let path): "file " + path
    case .data(let text): "data " + text
    case .standardInput: "-"
    }
  }
}
