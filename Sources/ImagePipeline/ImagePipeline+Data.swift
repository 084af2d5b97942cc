public import struct FoundationEssentials.Data
public import struct FoundationEssentials.URL
import ImageCaches
public import ImageDownloads
public import ImageFilters
public import ImageRendering
import Vips

extension ImagePipeline {
  /// The image at a URL of the Web, filtered and encoded: the body of a server's response.
  ///
  ///     let body = try await pipeline.data(for: url, filters: .circle, as: .webp(quality: 80))
  ///
  /// Encoded bytes are kept in memory, up to ``Configuration/encodedCapacity``, and returned without suspension.
  /// Calls for the same image and encoding share one encoding. Cancelling the calling task cancels only this call.
  /// - Parameters:
  ///   - url: An http or https URL.
  ///   - filters: The filters, in the order of application.
  ///   - encoding: The format and its options. `Encoding.followsSource` isn't allowed.
  /// - Returns: The bytes of an image file.
  /// - Throws: `ImageError`: `downloadFailed`, `imageSerializationFailed`, `invalidFilter`, or
  ///   `requestCancelled` if the call was cancelled.
  nonisolated(nonsending) public func data(
    for url: URL, filters: any ImageFilter..., as encoding: Encoding
  ) async throws(ImageError) -> Data {
    try await data(for: ImageRequest(url), chain: FilterChain(combining: filters), as: encoding)
  }

  /// The image of a request, filtered by a chain and encoded. See ``data(for:filters:as:)``.
  /// - Parameters:
  ///   - request: The source, headers and cache mode.
  ///   - chain: The filters.
  ///   - encoding: The format and its options. `Encoding.followsSource` isn't allowed.
  ///   - priority: Pending downloads with a higher priority go first. Default: 0.
  /// - Returns: The bytes of an image file.
  /// - Throws: `ImageError`: `downloadFailed`, `imageSerializationFailed`, `invalidFilter`, or
  ///   `requestCancelled` if the call was cancelled.
  nonisolated(nonsending) public func data(
    for request: ImageRequest, chain: FilterChain, as encoding: Encoding, priority: Int = 0
  ) async throws(ImageError) -> Data {
    let load = loadKey(request, chain.identifier)
    let key = EncodedBytes.Key(request: load.memoryIdentity.absoluteURL, identifier: chain.identifier)
    let use = memoryUse(of: request)
    let found: Data? = state.withLock { state in
      if use.reads, let bytes = state.encodings.bytes(key, encoding) {
        state.totals.memoryHits += 1
        return bytes
      }
      state.encodings.begin(key)
      return nil
    }
    if let found {
      feed.send(.foundInMemory(request, identifier: chain.identifier))
      return found
    }
    defer { state.withLock { $0.encodings.end(key) } }
    let image = try await image(load, chain, priority: priority)
    let work = EncodingTable.Work(key: key, image: image, encoding: encoding)
    let receipt = ImageReceipt(load)
    let outcome: EncodingTable.Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        encode(work, EncodingTable.Waiter(receipt: receipt) { continuation.resume(returning: $0) }, use)
      }
    } onCancel: {
      cancel(receipt)
    }
    return try outcome.get()
  }

  private func encode(_ work: EncodingTable.Work, _ waiter: EncodingTable.Waiter, _ use: MemoryUse) {
    let step: EncodingTable.Step = state.withLock { state in
      guard !state.isShutDown, !waiter.receipt.isCancelled else {
        state.totals.cancelled += 1
        return .cancelled
      }
      // Another call's encoding may have ended since this one looked.
      if use.reads, let bytes = state.encodings.bytes(work.key, work.encoding) { return .found(bytes) }
      return state.encodings.join(waiter, work, keeps: use.stores) ? .started : .joined
    }
    switch step {
    case .cancelled:
      feed.send(.cancelled(waiter.receipt.request, identifier: waiter.receipt.identifier))
      waiter.completion(.failure(.requestCancelled))
    case .found(let bytes): waiter.completion(.success(bytes))
    case .joined: break
    case .started: start(work, waiter.receipt.key)
    }
  }

  private func start(_ work: EncodingTable.Work, _ key: LoadKey) {
    monitorPressure()
    threads.start { [self] in
      let clock = ContinuousClock()
      let start = clock.now
      let outcome: EncodingTable.Outcome
      do throws(RenderError) {
        outcome = .success(try work.image.data(as: work.encoding))
      } catch {
        outcome = .failure(.imageSerializationFailed(error))
      }
      let waiters = state.withLock { state in
        switch outcome {
        case .success: state.totals.encodings += 1
        case .failure: state.totals.failures += 1
        }
        return state.encodings.finish(work, outcome)
      }
      switch outcome {
      case .success(let bytes):
        feed.send(
          .encoded(key.request, identifier: key.identifier, bytes: bytes.count, clock.now - start))
      case .failure(let error): feed.send(.failed(key.request, identifier: key.identifier, error))
      }
      for waiter in waiters { waiter.completion(outcome) }
    }
  }

  /// Starts to monitor memory pressure for the encoded bytes. Not in the initializer, because a monitor has a thread,
  /// and most programs have no encoded bytes.
  private func monitorPressure() {
    guard configuration.encodedCapacity > 0 else { return }
    monitor.withLock { monitor in
      guard monitor == nil else { return }
      monitor = MemoryPressureMonitor { [weak self] pressure in
        self?.state.withLock { $0.encodings.handle(pressure) }
      }
    }
  }
}
