package import ImageBatch
import ImageCaches
import ImageDownloads

/// A part of a batch, for one of several machines. Each job belongs to exactly one of N parts, regardless of its
/// position and of other jobs in the manifest.
package struct Shard: Sendable, Hashable {
  /// The number of the part, from 1 to `count`.
  package let number: Int
  /// The number of parts, at least 1.
  package let count: Int

  /// An invalid shard.
  package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for the user.
    package let description: String
  }

  /// Parses `K/N`.
  /// - Throws: `Failure` if `text` has another form or K isn't from 1 to N.
  package init(parsing text: String) throws(Failure) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], count >= 1,
      (1...count).contains(number)
    else { throw Failure(description: "invalid shard '\(text)': write K/N with K from 1 to N, such as 2/8") }
    (self.number, self.count) = (number, count)
  }

  /// The documents' jobs that belong to this part: jobs that wait for others belong to their part.
  func selecting(_ jobs: [Job]) -> [Job] {
    let members = JobDependencies(jobs).components()
    let keys = jobs.map(key)
    var least: [Int: UInt64] = [:]
    for (position, component) in members.enumerated() {
      least[component] = min(least[component] ?? .max, keys[position])
    }
    return jobs.indices.filter { contains(least[members[$0]] ?? keys[$0]) }.map { jobs[$0] }
  }

  /// Whether the job belongs to this part. That depends on its sources and its outputs' templates and variables only.
  package func contains(_ job: Job) -> Bool { contains(key(of: job)) }

  private func contains(_ key: UInt64) -> Bool { Int(key % UInt64(count)) == number - 1 }

  private func key(of job: Job) -> UInt64 {
    var key = KeyBuilder("shard")
    for source in job.sources { key.append(source.identityText) }
    for output in job.outputs {
      key.append(output.template.text)
      for (name, value) in output.variables.sorted(by: { $0.key < $1.key }) {
        key.append(name)
        key.append(value)
      }
    }
    return UInt64(key.digest.hex.prefix(16), radix: 16) ?? 0
  }
}

extension ImageSource {
  /// A string that is unique to the source.
  var identityText: String {
    switch self {
    case .url(let text): "url " + text
    case .file(let path): "file " + path
    case .data(let text): "data " + text
    case .standardInput: "-"
    }
  }
}
