import ImageDownloads
import ImageFilters
import ImageRendering
import Synchronization
import SystemIO
import Vips

extension ImagePipeline {
  /// Begins a load, or joins the one of the same key.
  func start(_ waiter: LoadTable.Waiter, _ chain: FilterChain, priority: Int) {
    let key = waiter.receipt.key
    do throws(FilterError) {
      try chain.check()
      try configuration.checkReferences(of: chain)
    } catch {
      waiter.completion(.failure(.invalidFilter(error)))
      return
    }
    let (isCancelled, number): (Bool, Int?) = state.withLock { state in
      guard !state.isShutDown, !waiter.receipt.isCancelled else {
        state.totals.cancelled += 1
        return (true, nil)
      }
      return (false, state.table.join(waiter, priority: priority))
    }
    if isCancelled {
      feed.send(.cancelled(key.request, identifier: key.identifier))
      waiter.completion(.failure(.requestCancelled))
      return
    }
    guard let number else { return }
    // Another load may have ended since the caller looked; its image was added before it left the table. Not under the
    // lock, because the cache is the program's.
    if let image = takeFromMemory(key) {
      finish(key, number, .success(image))
    } else {
      download(key, number, chain, priority: priority)
    }
  }

  private func download(_ key: LoadKey, _ number: Int, _ chain: FilterChain, priority: Int) {
    let progress: @Sendable (Int, Int?) -> Void = { [weak self] received, expected in
      let handlers = self?.state.withLock { $0.table.progressHandlers(key, number) } ?? []
      for handler in handlers { handler(received, expected) }
    }
    let isFirst = state.withLock { $0.table.hasNoDownload(key, number) }
    let receipt = downloader.download(
      key.request, authentication: key.authentication, priority: priority, progress: isFirst ? progress : nil,
      completion: { [self] result in
        switch result {
        case .failure(let error): finish(key, number, .failure(ImageError(error)))
        case .success(let source):
          guard state.withLock({ $0.table.downloaded(key, number) }) else { return }
          feed.send(.downloaded(key.request, bytes: source.byteCount, source.disposition))
          guard !chain.references.isEmpty else {
            render(key, number, chain, source, [:])
            return
          }
          let task = Task { await openReferences(key, number, chain, source, priority: priority) }
          if !state.withLock({ $0.table.attach(task, to: key, number) }) { task.cancel() }
        }
      })
    // The last caller may have cancelled before the download had a receipt.
    if !state.withLock({ $0.table.attach(receipt, to: key, number) }) { downloader.cancel(receipt) }
  }

  /// Downloads the images that the chain refers to (overlays, masks, transitions): one after the other, since few chains
  /// have more than one.
  private func openReferences(
    _ key: LoadKey, _ number: Int, _ chain: FilterChain, _ source: StoredSource, priority: Int
  ) async {
    var references: [String: StoredSource] = [:]
    for reference in chain.references {
      do throws(DownloadError) {
        var request = ImageRequest(try configuration.source(of: reference))
        request.cacheMode = key.request.cacheMode
        references[reference] = try await downloader.download(
          request, authentication: key.authentication, priority: priority)
      } catch {
        finish(key, number, .failure(ImageError(error)))
        return
      }
    }
    render(key, number, chain, source, references)
  }

  private func render(
    _ key: LoadKey, _ number: Int, _ chain: FilterChain, _ source: StoredSource,
    _ references: [String: StoredSource]
  ) {
    threads.start { [self] in
      guard state.withLock({ $0.table.startRendering(key, number) }) else { return }
      let clock = ContinuousClock()
      let start = clock.now
      let opened = OpenedReferences(references, limits: configuration.limits)
      do throws(RenderError) {
        let image = try reader.image(at: source.path, applying: chain) {
          (reference) throws(FilterError) in try opened.image(reference)
        }
        for used in [source] + references.values {
          if let unconfirmed = used.unconfirmed, WholeFile.hasEnd(used.path) { unconfirmed.store() }
        }
        state.withLock { $0.totals.renderings += 1 }
        feed.send(.rendered(key.request, identifier: key.identifier, clock.now - start))
        // Before the load leaves the table: a call that doesn't find the load must find the image.
        if memoryUse(of: key.request).stores {
          let identity = key.memoryIdentity
          images?.add(image, for: identity, withIdentifier: key.memoryIdentifier)
          let encoded = EncodedBytes.Key(request: identity.absoluteURL, identifier: key.identifier)
          let version = [source.digest] + chain.references.compactMap { references[$0]?.digest }
          state.withLock { $0.encodings.rendered(encoded, image, version: version) }
        }
        finish(key, number, .success(image))
      } catch {
        finish(key, number, .failure(.imageSerializationFailed(error)))
      }
      // The pins of the files go only now.
      withExtendedLifetime((source, opened)) {}
    }
  }

  private func finish(_ key: LoadKey, _ number: Int, _ outcome: LoadTable.Outcome) {
    let waiters = state.withLock { state in
      let waiters = state.table.finish(key, number)
      if waiters != nil, case .failure = outcome { state.totals.failures += 1 }
      return waiters
    }
    guard let waiters else { return }
    if case .failure(let error) = outcome {
      feed.send(.failed(key.request, identifier: key.identifier, error))
    }
    for waiter in waiters { waiter.completion(outcome) }
  }
}
