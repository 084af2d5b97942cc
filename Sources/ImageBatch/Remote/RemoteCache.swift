import Curl
import ImageCaches
import ImageRendering
import Synchronization
import SystemIO
import Vips

/// Looks up outputs in a remote cache, and uploads those that were rendered. Nothing that it does fails an output.
final class RemoteCache: Sendable {
  private struct State {
    var health: RemoteHealth
    var totals = RemoteTotals()
    /// The objects that this run has found or uploaded.
    var known: Set<ContentDigest> = []
    /// The uploads that failed on this machine or on the way, and what the first of them met.
    var damagedUploads = 0
    var damage: String?
  }

  /// The outputs that other jobs read, and that stay on the machine.
  let privateOutputs = PrivateOutputs()
  private let transport: RemoteTransport
  private let store: DiskStore
  private let writer: OutputWriter
  private let lookups: RequestSlots
  private let uploads: RemoteUploads
  private let state: Mutex<State>
  private let warn: @Sendable (String) async -> Void

  /// - Parameters:
  ///   - writer: Stores what is found.
  ///   - warn: Receives each problem once.
  init(
    _ configuration: RemoteCacheConfiguration, store: DiskStore, writer: OutputWriter,
    warn: @escaping @Sendable (String) async -> Void
  ) throws(CurlError) {
    transport = try RemoteTransport(configuration)
    self.store = store
    self.writer = writer
    self.warn = warn
    lookups = RequestSlots(configuration.connections)
    uploads = RemoteUploads(limit: configuration.connections / 4)
    state = Mutex(
      State(
        health: RemoteHealth(
          patience: configuration.timeout / .seconds(1), concurrency: configuration.connections)))
  }

  var totals: RemoteTotals { state.withLock(\.totals) }

  private func allows(_ operation: RemoteHealth.Operation) -> Bool {
    state.withLock { $0.health.allows(operation) }
  }

  /// Whether a lookup may be sent now.
  private var allowsLookup: Bool {
    state.withLock {
      $0.health.allows(.lookup) && $0.health.pause(of: .lookup, now: SystemTime.monotonic) == 0
    }
  }

  private func follow(_ verdict: RemoteHealth.Verdict) async {
    // Every transfer would wait for its own timeout otherwise.
    if verdict.endsTransfers { await transport.engine.shutDown() }
    if let warning = verdict.warning { await warn(warning) }
  }

  // MARK: Lookups

  /// Finds outputs, and stores them.
  /// - Parameters:
  ///   - outputs: The wanted outputs by key.
  ///   - withPlaceholders: Whether to find only outputs that have placeholders.
  func find(
    _ outputs: [ContentDigest: JobOutput], withPlaceholders: Bool
  ) async -> [ContentDigest: EncodedOutput] {
    guard !outputs.isEmpty, allowsLookup else { return [:] }
    let found = await withTaskGroup(of: OutputWriter.Rendered?.self) { tasks in
      for (key, output) in outputs {
        tasks.addTask { await self.find(key, output, withPlaceholders: withPlaceholders) }
      }
      return await tasks.reduce(into: [OutputWriter.Rendered]()) { if let output = $1 { $0.append(output) } }
    }
    var results: [ContentDigest: EncodedOutput] = [:]
    for (key, outcome) in await writer.store(found, facts: [:]) {
      // What the store can't take is rendered, and the error is named if it can't take that either.
      guard case .success(var output) = outcome else { continue }
      output.isNew = false
      results[key] = output
    }
    state.withLock { [results] state in
      for output in found where results[output.key] != nil {
        state.known.insert(output.image.digest)
        state.totals.hits += 1
        state.totals.receivedBytes += output.image.bytes
        state.totals.savedSeconds += output.seconds
      }
      state.totals.misses += outputs.count - results.count
    }
    return results
  }

  private func find(
    _ key: ContentDigest, _ output: JobOutput, withPlaceholders: Bool
  ) async -> OutputWriter.Rendered? {
    await lookups.enter()
    defer { lookups.leave() }
    guard allowsLookup else { return nil }
    let start = ContinuousClock.now
    let result = await lookUp(key, output, withPlaceholders: withPlaceholders)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    switch result {
    case .success(let found):
      await follow(
        state.withLock { state in
          state.health.succeeded(.lookup)
          // The time of a hit is well spent, unless rendering would have been faster.
          return state.health.took(found == nil ? seconds : 0)
        })
      return found
    case .failure(let failure):
      await follow(
        state.withLock { $0.health.failed(.lookup, failure, now: SystemTime.monotonic) })
      await follow(state.withLock { $0.health.took(seconds) })
      return nil
    }
  }

  private func lookUp(
    _ key: ContentDigest, _ output: JobOutput, withPlaceholders: Bool
  ) async -> Result<OutputWriter.Rendered?, RemoteFailure> {
    do throws(RemoteFailure) {
      var record = try await retrying { [transport] () async throws(RemoteFailure) in
        try await transport.record(key)
      }
      if !withPlaceholders { record = record.withoutPlaceholders }
      guard !withPlaceholders || record.placeholders != nil else { return .success(nil) }
      guard output.encoding.allows(record.format) else {
        throw RemoteFailure(.wrong, "ac/\(key.hex) is of another output")
      }
      let file = try temporaryPath()
      try await retrying { [transport, record] () async throws(RemoteFailure) in
        try await transport.bytes(of: record, to: file)
      }
      guard try signature(of: file) == record.format.rawValue else {
        throw RemoteFailure(.wrong, "ac/\(key.hex) has another format than its bytes")
      }
      return .success(
        OutputWriter.Rendered(
          key: key, image: RenderedFile(record), file: file, seconds: record.seconds))
    } catch {
      return .failure(error)
    }
  }

  private func temporaryPath() throws(RemoteFailure) -> TemporaryPath {
    do throws(CacheError) {
      return try store.makeTemporaryPath()
    } catch {
      throw RemoteFailure(.local, error.message)
    }
  }

  private func signature(of file: TemporaryPath) throws(RemoteFailure) -> String? {
    do throws(SystemError) {
      return ImageFormat(signature: try File.start(of: file.path, count: 4096))?.rawValue
    } catch {
      throw RemoteFailure(.local, error.text)
    }
  }

  // MARK: Uploads

  /// Uploads a rendered output beside the batch. The output's object stays in the store until then.
  func offer(_ key: ContentDigest, _ output: EncodedOutput) {
    guard transport.configuration.mode == .readWrite, allows(.upload) else { return }
    uploads.add { await self.upload(key, output) }
  }

  private func upload(_ key: ContentDigest, _ output: EncodedOutput) async {
    // A busy server gets the output after its pause, unless the run ends before that.
    await wait { state.withLock { $0.health.pause(of: .upload, now: SystemTime.monotonic) } }
    guard allows(.upload) else { return state.withLock { $0.totals.failedUploads += 1 } }
    let digest = output.image.digest
    do throws(RemoteFailure) {
      if !state.withLock({ $0.known.contains(digest) }) {
        try await retrying { [transport] () async throws(RemoteFailure) in
          try await transport.upload(output.object)
        }
      }
      let record = RemoteRecord(StoredOutput(output.image, seconds: output.seconds))
      try await retrying { [transport] () async throws(RemoteFailure) in
        try await transport.upload(record, for: key)
      }
      state.withLock { state in
        state.health.succeeded(.upload)
        state.known.insert(digest)
        state.totals.uploads += 1
        state.totals.sentBytes += output.image.bytes
      }
    } catch {
      let isPostponed = error.kind == .busy && uploads.add { await self.upload(key, output) }
      let verdict = state.withLock { state in
        if !isPostponed { state.totals.failedUploads += 1 }
        if error.kind == .local {
          state.damagedUploads += 1
          state.damage = state.damage ?? error.message
        }
        return state.health.failed(.upload, error, now: SystemTime.monotonic)
      }
      await follow(verdict)
    }
  }

  /// Waits for the uploads that are left, at most for the timeout, and ends all transfers.
  /// - Parameter isHurried: Whether to give up at once, because the run was stopped.
  func finish(isHurried: Bool) async {
    let limit = isHurried ? .zero : transport.configuration.timeout
    let timer = Task {
      // Cancelled when all uploads are done.
      do { try await Task.sleep(for: limit) } catch { return }
      let dropped = uploads.close()
      state.withLock { $0.totals.failedUploads += dropped }
      await transport.engine.shutDown()
    }
    await uploads.drained()
    timer.cancel()
    await timer.value
    await transport.engine.shutDown()
    guard allows(.upload), !isHurried else { return }
    let (failed, damaged, damage) = state.withLock {
      ($0.totals.failedUploads, $0.damagedUploads, $0.damage)
    }
    if let damage { await warn("\(Self.missing(damaged)): \(damage)") }
    guard failed > damaged else { return }
    await warn(
      "\(Self.missing(failed - damaged)), because it was busy or took longer than "
        + "\(transport.configuration.timeout)")
  }

  private static func missing(_ count: Int) -> String {
    "\(count) output\(count == 1 ? " was" : "s were") not uploaded to the remote cache"
  }

  // MARK: Retries

  /// Repeats a request that a busy server refused, after growing waits.
  private func retrying<Value: Sendable>(
    _ request: () async throws(RemoteFailure) -> Value
  ) async throws(RemoteFailure) -> Value {
    var wait = 0.25
    while true {
      do throws(RemoteFailure) {
        return try await request()
      } catch {
        guard error.kind == .busy, wait <= 2 else { throw error }
        // Uneven, so that the requests of a burst don't come back together. A cancelled run doesn't wait.
        let end = SystemTime.monotonic + wait * Double.random(in: 0.5...1.5)
        await self.wait { end - SystemTime.monotonic }
        if Task.isCancelled || uploads.isClosed { throw RemoteFailure(.ended, "the run was stopped") }
        wait *= 2
      }
    }
  }

  /// Waits in small steps while there are seconds left, and no longer when the run is at its end.
  private func wait(_ secondsLeft: () -> Double) async {
    while !uploads.isClosed {
      let left = secondsLeft()
      guard left > 0 else { return }
      do { try await Task.sleep(for: .seconds(min(left, 0.1))) } catch { return }
    }
  }
}
