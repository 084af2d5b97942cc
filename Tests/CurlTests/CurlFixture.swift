import LoopbackServer
import Synchronization

@testable import Curl

/// An engine for the length of `work`.
func withEngine(
  connections: Int = 256, _ work: (TransferEngine) async throws -> Void
) async throws {
  let engine = try TransferEngine(connectionLimit: connections)
  do {
    try await work(engine)
  } catch {
    await engine.shutDown()
    throw error
  }
  await engine.shutDown()
}

extension TransferEngine {
  /// The error of a transfer that fails; nil where it doesn't.
  func failure(
    _ url: String, into sink: any TransferSink = MemorySink(),
    _ change: (inout TransferOptions) -> Void = { _ in }
  ) async -> CurlError? {
    var options = TransferOptions(url: url)
    change(&options)
    do throws(CurlError) {
      _ = try await perform(options, into: sink)
      return nil
    } catch {
      return error
    }
  }

  /// A transfer's result.
  func result(
    _ url: String, into sink: any TransferSink = MemorySink(),
    _ change: (inout TransferOptions) -> Void = { _ in }
  ) async throws -> TransferResult {
    var options = TransferOptions(url: url)
    change(&options)
    return try await perform(options, into: sink)
  }
}

/// A sink that counts its calls, and ends the transfer where it is told to.
final class CountingSink: TransferSink {
  struct Calls {
    var heads: [ResponseHead] = []
    var pieces = 0
    var bytes = 0
    /// Whether a byte has come before the head.
    var isOutOfOrder = false
    /// Whether anything has come after the sink had said that it wants no more.
    var isLate = false
    var hasStopped = false
  }

  private let state = Mutex(Calls())
  private let wantsHead: Bool
  private let limit: Int

  /// - Parameters:
  ///   - wantsHead: Whether the body is wanted once the head is known.
  ///   - limit: From how many bytes on no more is wanted.
  init(wantsHead: Bool = true, limit: Int = .max) {
    self.wantsHead = wantsHead
    self.limit = limit
  }

  var calls: Calls { state.withLock { $0 } }

  func receive(head: ResponseHead) -> Bool {
    state.withLock { state in
      if state.hasStopped { state.isLate = true }
      if state.bytes > 0 { state.isOutOfOrder = true }
      state.heads.append(head)
      state.hasStopped = !wantsHead
    }
    return wantsHead
  }

  func receive(bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      if state.hasStopped { state.isLate = true }
      if state.heads.isEmpty { state.isOutOfOrder = true }
      state.pieces += 1
      state.bytes += bytes.count
      state.hasStopped = state.bytes >= limit
      return !state.hasStopped
    }
  }
}
