import ImageCaches
import Synchronization

/// Single flight for outputs: of all who want one output key at once, one renders and the others wait for it.
///
/// A leader never waits for another key before it has ended its own flights, so no two leaders wait for each other.
final class OutputFlights: Sendable {
  /// How a flight ended.
  typealias Landing = Result<MadeOutput, JobError>

  /// The answer to a group that wants a key.
  enum Role {
    /// Render it, and call ``land(_:_:)`` whatever happens.
    case leader
    /// Somebody renders it: wait for its value.
    case follower(Flight)
  }

  /// One key on its way.
  typealias Flight = OneShot<Landing>

  private let flights = Mutex<[ContentDigest: Flight]>([:])

  /// Joins the flight of `key`, or begins it.
  func join(_ key: ContentDigest) -> Role {
    flights.withLock { flights in
      if let flight = flights[key] { return .follower(flight) }
      flights[key] = Flight()
      return .leader
    }
  }

  /// Ends the flight of `key`.
  func land(_ key: ContentDigest, _ landing: Landing) {
    let flight = flights.withLock { $0.removeValue(forKey: key) }
    flight?.fulfil(landing)
  }
}

/// An output's bytes, made or found, and where they lie.
struct MadeOutput: Sendable {
  var image: RenderedFile
  /// The bytes in the store, held there.
  var object: StoredObject
  /// Whether this run rendered it; otherwise it was stored by an earlier one.
  var isNew: Bool
}
