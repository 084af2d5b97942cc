import Curl
import ImageCaches

/// A flight's way: looked up first, then, where that isn't enough, transfers with a slot each.
extension ImageDownloader {
  /// Looks a flight up; it ends here, or queues for a slot. Blocks.
  func lookUp(_ number: Int) {
    guard let order = board.withLock({ $0.flights[number]?.order }) else {
      // Cancelled meanwhile.
      return perform(
        board.withLock { $0.endLookup(number, .failure(.cancelled(""))) + $0.begin(now: Clock.monotonic) })
    }
    let step: Transport.Step
    switch order.source {
    case .url(let text):
      guard let address = order.address else {
        let error = DownloadError.badSource(text, "this is no URL of the form http://host/path")
        return finishLookup(number, .failure(error))
      }
      step = transport.lookUp(Journey(order, home: address))
    default:
      return finishLookup(number, local(order))
    }
    switch step {
    case .done(let outcome): finishLookup(number, outcome)
    case .doneForNow(let answer, let validate):
      finishLookup(number, .success(answer))
      revalidate(validate)
    case .transfer(let journey), .redirect(let journey), .retry(let journey, _, _, _):
      perform(
        board.withLock { board in
          board.enqueue(journey, number)
          return board.begin(now: Clock.monotonic)
        })
    }
  }

  private func finishLookup(_ number: Int, _ outcome: FlightBoard.Outcome) {
    perform(board.withLock { $0.endLookup(number, outcome) + $0.begin(now: Clock.monotonic) })
  }

  /// Validates a stale answer that was already handed out, as a flight that nobody waits for.
  private func revalidate(_ journey: Journey) {
    let order = journey.order.refreshing
    let receipt = RequestReceipt(ImageRequest(order.source))
    perform(
      board.withLock { board in
        let (_, actions) = board.add(order, priority: -1) { joined in
          FlightBoard.Waiter(receipt: receipt, completion: { _ in }, progress: nil, joined: joined)
        }
        return actions + board.begin(now: Clock.monotonic)
      })
  }

  /// Transfers with the slot that the flight was given, until there is an answer or no hope.
  func travel(_ number: Int, _ first: Journey) async {
    var journey = first
    var claim: RequestClaim?
    defer { claim?.release() }
    while true {
      var step = await send(number, journey, &claim)
      // Stored redirects are followed without a slot.
      if case .redirect(let next) = step { step = await work.run { self.transport.lookUp(next) } }
      switch step {
      case .done(let outcome): return land(number, outcome)
      case .doneForNow(let answer, let validate):
        land(number, .success(answer))
        return revalidate(validate)
      case .transfer(let next), .redirect(let next): journey = next
      case .retry(let next, let seconds, let error, let hostPause):
        journey = next
        send(.retrying(source: journey.order.displayText, seconds: seconds, reason: error.message))
        if let hostPause { pause(journey.address, seconds: hostPause) }
        do {
          try await Task.sleep(for: .seconds(seconds))
        } catch {
          return land(number, .failure(.cancelled(journey.order.displayText)))
        }
      }
      switch await nextSlot(number, journey.address.origin) {
      case .granted: continue
      case .refused:
        let refused = journey
        return await work.run { self.refuse(number, refused) }
      case .withdrawn: return land(number, .failure(.cancelled(journey.order.displayText)))
      }
    }
  }

  /// Sends a hop's request with the slot that the flight has, unless another process is sending it: then it waits for
  /// that process, without the slot, and looks into the cache again.
  private func send(_ number: Int, _ journey: Journey, _ claim: inout RequestClaim?) async -> Transport.Step {
    var journey = journey
    if let old = claim, old.address != journey.address {
      old.release()
      claim = nil
    }
    if claim == nil {
      do throws(CacheError) {
        switch try transport.claim(journey) {
        case .needless: break
        case .elsewhere(let other):
          release(number)
          let next = await transport.wait(for: other, journey)
          guard !Task.isCancelled else { return .done(.failure(.cancelled(journey.order.displayText))) }
          return await work.run { self.transport.lookUp(next) }
        case .taken(let taken, let mustLookAgain):
          claim = taken
          let step = await prepare(journey, taken, looksAgain: mustLookAgain)
          guard case .transfer(let next) = step, next.address == journey.address else {
            release(number)
            return step
          }
          journey = next
        }
      } catch {
        release(number)
        return .done(.failure(DownloadError(error, source: journey.order.displayText)))
      }
    }
    let step = await transfer(number, journey)
    release(number)
    return step
  }

  /// A claimed request as it is sent; or what makes it needless, if others have been about since the lookup.
  private func prepare(
    _ journey: Journey, _ claim: RequestClaim, looksAgain: Bool
  ) async -> Transport.Step {
    let mayResume: Bool
    do throws(CacheError) {
      mayResume = try store.mayHavePartials()
    } catch {
      return .done(.failure(DownloadError(error, source: journey.order.displayText)))
    }
    // Most of the time there is nothing to do that blocks.
    guard looksAgain || mayResume else { return .transfer(journey) }
    return await work.run {
      var step = Transport.Step.transfer(journey)
      if looksAgain {
        var unsure = journey
        unsure.validating = nil
        step = self.transport.lookUp(unsure)
      }
      guard case .transfer(let next) = step, next.address == journey.address else { return step }
      do throws(CacheError) {
        return .transfer(try self.transport.resumed(next, claim))
      } catch {
        return .done(.failure(DownloadError(error, source: journey.order.displayText)))
      }
    }
  }

  /// Ends a flight to a host that is down: with what is stored, where that may stand in. Blocks.
  func refuse(_ number: Int, _ journey: Journey) {
    land(number, transport.refused(journey))
  }

  private func transfer(_ number: Int, _ journey: Journey) async -> Transport.Step {
    let name = journey.order.displayText
    let engine: TransferEngine
    do throws(CurlError) {
      guard let running = try runningEngine() else { return .done(.failure(.cancelled(name))) }
      engine = running
    } catch {
      return .done(.failure(DownloadError(.transferFailed, error.message, source: name)))
    }
    send(.started(id: number, source: name, host: journey.address.host))
    let attempt = await transport.transfer(journey, engine: engine) { [weak self] received, expected in
      guard let self else { return }
      self.send(.progressed(id: number, received: received, expected: expected))
      for handler in self.board.withLock({ $0.progressHandlers(of: number) }) { handler(received, expected) }
    }
    send(
      .finished(
        id: number, url: journey.address.displayText, bytes: attempt.body.byteCount,
        error: transport.failure(of: attempt)))
    if let warning = attempt.body.warning, attempt.result != nil {
      send(.warning(source: name, message: warning))
    }
    // The slot is for the network; what follows is disk work.
    note(attempt)
    release(number)
    return await transport.evaluate(attempt)
  }

  /// Has the host judged by an attempt, whose slot isn't given back yet.
  private func note(_ attempt: Attempt) {
    guard let sign = attempt.sign else { return }
    let (address, now) = (attempt.journey.address, Clock.monotonic)
    switch board.withLock({ $0.note(sign, of: address.origin, now: now) }) {
    case .pause(let time)?, .down(let time)?: send(.hostPaused(host: address.host, seconds: time - now))
    case nil: break
    }
  }

  private func release(_ number: Int) {
    perform(
      board.withLock { board in
        board.releaseSlot(number)
        return board.begin(now: Clock.monotonic)
      })
  }

  private func land(_ number: Int, _ outcome: FlightBoard.Outcome) {
    perform(board.withLock { $0.land(number, outcome) + $0.begin(now: Clock.monotonic) })
  }

  private func pause(_ address: WebAddress, seconds: Double) {
    send(.hostPaused(host: address.host, seconds: seconds))
    board.withLock { $0.pause(address.origin, until: Clock.monotonic + seconds) }
  }

  /// Waits for another slot.
  private func nextSlot(_ number: Int, _ host: String) async -> FlightBoard.Slot {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        perform(
          board.withLock { board in
            guard !Task.isCancelled else { return [.resume(continuation, .withdrawn)] }
            return board.requestSlot(number, host: host, continuation) + board.begin(now: Clock.monotonic)
          })
      }
    } onCancel: {
      perform(board.withLock { $0.withdrawSlotRequest(number) })
    }
  }
}
