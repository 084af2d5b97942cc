import FoundationEssentials
import Synchronization

/// A cache for values that many frames have in common, such as chains, so that each is encoded and decoded once.
///
/// A batch has one chain and encoding per output of its manifest, but thousands of requests.
final class WireMemo<Value: Codable & Hashable & Sendable>: Sendable {
  private struct Tables {
    var encoded: [Value: [UInt8]] = [:]
    var decoded: [[UInt8]: Value] = [:]
  }

  private let tables = Mutex(Tables())
  /// The most values per table. Without a limit, a batch whose requests all differ would fill the memory.
  private let capacity: Int

  init(capacity: Int = 256) { self.capacity = capacity }

  func write(_ value: Value, to writer: inout WireWriter) throws(WireError) {
    let known = tables.withLock { $0.encoded[value] }
    let block: [UInt8]
    if let known {
      block = known
    } else {
      do { block = Array(try JSONEncoder().encode(value)) } catch { throw WireError(message: "\(error)") }
      tables.withLock { tables in
        if tables.encoded.count >= capacity { tables.encoded = [:] }
        tables.encoded[value] = block
      }
    }
    writer.append(block: block)
  }

  func read(from reader: inout WireReader) throws(WireError) -> Value {
    let block = Array(try reader.block())
    if let known = tables.withLock({ $0.decoded[block] }) { return known }
    let value: Value
    do { value = try JSONDecoder().decode(Value.self, from: Data(block)) } catch {
      throw WireError(message: "\(error)")
    }
    tables.withLock { tables in
      if tables.decoded.count >= capacity { tables.decoded = [:] }
      tables.decoded[block] = value
    }
    return value
  }
}
